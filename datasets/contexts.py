"""The context that a prompt shows of a contradiction, the span in it, and the groups of its questions. Pure.

Source: WikiContradict (Hou et al. 2024), sections 3.3 and 3.4, and the derivation of the published question
table from the published records (docs/datasets.md).
"""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Protocol

from datasets.schema import SAME
from datasets.taxonomy import EXPLICIT, IMPLICIT

Ranges = list[tuple[int, int]]


class Passages(Protocol):
    """The columns of a contradiction that its context is made from; None if the source has none."""

    passage_1_copied: str | None
    passage_1_standalone: str | None
    passage_2_copied: str | None
    passage_2_standalone: str | None
    same_passage: str | None


class QuestionKind(StrEnum):
    YES_NO = "yes/no"
    WH = "wh"


class Reasoning(StrEnum):
    EXPLICIT = "explicit"
    IMPLICIT = "implicit"
    UNTYPED = "untyped"


def context_1(passages: Passages) -> str:
    """Passage 1 as a prompt shows it: stand-alone if there is one, else as copied."""
    return passages.passage_1_standalone or passages.passage_1_copied or ""


def context_2(passages: Passages) -> str:
    """Passage 2 as a prompt shows it: stand-alone if there is one, else as copied."""
    return passages.passage_2_standalone or passages.passage_2_copied or ""


def is_same(passages: Passages) -> bool:
    """Whether both answers come from one passage, by the annotator's answer; texts are not compared."""
    return passages.same_passage == SAME


def merged_context(passages: Passages) -> str:
    """Both contexts as one text; only once if the passage is the same."""
    if is_same(passages):
        return context_1(passages)
    return f"{context_1(passages)}\n{context_2(passages)}"


def reasoning(type_4: str | None) -> Reasoning:
    """The group of a type IV value; anything but the two options, also None, is untyped."""
    if type_4 == EXPLICIT:
        return Reasoning.EXPLICIT
    return Reasoning.IMPLICIT if type_4 == IMPLICIT else Reasoning.UNTYPED


_AUXILIARY = re.compile(
    r"\W*(am|is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must)"
    r"(n['’]t)?\b",
    re.IGNORECASE,
)


def question_kind(question: str) -> QuestionKind:
    """Yes/no if the question begins with an auxiliary verb, else wh-. This rule gives Table 1's 133 and 120."""
    return QuestionKind.YES_NO if _AUXILIARY.match(question) else QuestionKind.WH


def ranges_in(passage: str, span: str | None, kept: Iterable[Iterable[int]] = ()) -> Ranges:
    """[start, end) of the span in the passage, in characters, ordered and disjoint.

    The stored ranges, if an annotator chose any and all are within the passage; else the first occurrence of the
    span; else none.
    """
    chosen = [tuple(pair) for pair in kept]
    if chosen and all(_lies_inside(pair, len(passage)) for pair in chosen):
        return _disjoint((pair[0], pair[1]) for pair in chosen)
    wanted = (span or "").strip()
    start = passage.find(wanted) if wanted else -1
    return [(start, start + len(wanted))] if start >= 0 else []


def segments(passage: str, ranges: Ranges) -> list[tuple[str, bool]]:
    """The passage in pieces, each with whether it is marked."""
    pieces, at = [], 0
    for start, end in ranges:
        pieces += [(passage[at:start], False), (passage[start:end], True)]
        at = end
    return [(text, marked) for text, marked in [*pieces, (passage[at:], False)] if text]


def _lies_inside(pair: tuple[int, ...], length: int) -> bool:
    return len(pair) == 2 and 0 <= pair[0] < pair[1] <= length


def _disjoint(pairs: Iterable[tuple[int, int]]) -> Ranges:
    merged: Ranges = []
    for start, end in sorted(pairs):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged

"""Where a record departs from what the annotation form would have asked for. Pure.

An import stores a record as given and lists its deviations; it corrects and refuses nothing here.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from datasets.schema import SAME, VALID, Slot
from datasets.taxonomy import DIMENSIONS, Dimension, dimension, dimension_of

PLACEHOLDER = "add the answer based on passage"


class Kind(StrEnum):
    """What was departed from; the value is the sentence shown to people."""

    SPAN = "contradicted span is in neither form of its passage"
    SAME_PASSAGE = "same or different passage not said"
    SAME_BUT_DIFFERENT = "said to be the same passage, but the texts differ"
    DIFFERENT_BUT_SAME = "not said to be the same passage, but the texts are equal"
    TYPE_MISSING = "no option in a dimension of the taxonomy"
    TYPE_TWICE = "several options in a dimension of the taxonomy"
    TYPE_UNKNOWN = "not an option of the taxonomy"
    TYPE_KEY = "type differs from the taxonomy list"
    CONFIDENCE = "no confidence given"
    CONFIDENCE_VALUE = "confidence is not 1 to 5"
    STATEMENT = "no statement of what a passage says"
    NO_QUESTION = "no question"
    INVALID_ANSWERED = "questions asked of an invalid tag"
    PLACEHOLDER = "the form's placeholder stands as an answer"
    EQUAL_ANSWERS = "both answers of a question are equal"


class Deviation(NamedTuple):
    """One departure: its kind, the columns' name for the place, and the text that shows it."""

    kind: Kind
    place: str
    detail: str = ""

    @property
    def where(self) -> str:
        """The place in words: "span 1"."""
        return self.place.replace("_", " ")


def deviations(columns: Mapping[str, Any], questions: Sequence[Slot]) -> list[Deviation]:
    """All departures of one record, in the form's order; an invalid tag ends after its first step."""
    if columns["validity"] != VALID:
        return [Deviation(Kind.INVALID_ANSWERED, "question_1")] if questions else []
    return [
        *_same_passage(columns),
        *_statements(columns),
        *_spans(columns),
        *_types(columns),
        *_questions(questions),
        *_confidence(columns),
    ]


def count_by_kind(found: Sequence[Deviation]) -> dict[Kind, int]:
    """How many of each kind, in the order of Kind."""
    counts = Counter(deviation.kind for deviation in found)
    return {kind: counts[kind] for kind in Kind if counts[kind]}


def folded(text: str | None) -> str:
    """The text with runs of blanks as one and none outside; for comparing, never for storing."""
    return " ".join((text or "").split())


def _same_passage(columns: Mapping[str, Any]) -> list[Deviation]:
    said = columns["same_passage"]
    one = folded(columns["passage_1_standalone"] or columns["passage_1_copied"])
    two = folded(columns["passage_2_standalone"] or columns["passage_2_copied"])
    found = [Deviation(Kind.SAME_PASSAGE, "same_passage")] if said is None else []
    if said == SAME and one != two:
        found.append(Deviation(Kind.SAME_BUT_DIFFERENT, "same_passage"))
    if said != SAME and one == two:
        found.append(Deviation(Kind.DIFFERENT_BUT_SAME, "same_passage"))
    return found


def _statements(columns: Mapping[str, Any]) -> list[Deviation]:
    names = ("statement_1", "statement_2")
    return [Deviation(Kind.STATEMENT, name) for name in names if not folded(columns[name])]


def _spans(columns: Mapping[str, Any]) -> list[Deviation]:
    found = []
    for n in (1, 2):
        span = folded(columns[f"span_{n}"])
        passages = (columns[f"passage_{n}_standalone"], columns[f"passage_{n}_copied"])
        if span and not any(span in folded(passage) for passage in passages):
            found.append(Deviation(Kind.SPAN, f"span_{n}", columns[f"span_{n}"]))
    return found


def _types(columns: Mapping[str, Any]) -> list[Deviation]:
    entries: list[list[str]] = columns["taxonomy"] or []
    found = [
        Deviation(Kind.TYPE_UNKNOWN, "taxonomy", " / ".join(entry))
        for entry in entries
        if dimension(entry[0]) is None
        or (len(entry) == 2 and dimension_of(entry[1]) != dimension(entry[0]))
    ]
    for n, asked in enumerate(DIMENSIONS, 1):
        chosen = [entry[1] for entry in entries if entry[0] == asked.key and len(entry) == 2]
        found += _options_of(asked, chosen)
        column = f"type_{n}"
        if columns[column] != (chosen[-1] if chosen else None):
            found.append(Deviation(Kind.TYPE_KEY, column, columns[column] or "absent"))
    return found


def _options_of(asked: Dimension, chosen: list[str]) -> list[Deviation]:
    if not chosen:
        return [Deviation(Kind.TYPE_MISSING, "taxonomy", f"{asked.short}: {asked.title}")]
    if len(chosen) > 1:
        return [Deviation(Kind.TYPE_TWICE, "taxonomy", f"{asked.short}: {'; '.join(chosen)}")]
    return []


def _questions(questions: Sequence[Slot]) -> list[Deviation]:
    if not questions:
        return [Deviation(Kind.NO_QUESTION, "question_1")]
    found = []
    for slot in questions:
        one, two = folded(slot.answer_1).casefold(), folded(slot.answer_2).casefold()
        if any(answer.startswith(PLACEHOLDER) for answer in (one, two)):
            found.append(Deviation(Kind.PLACEHOLDER, f"question_{slot.n}", slot.question or ""))
        elif one == two:
            found.append(Deviation(Kind.EQUAL_ANSWERS, f"question_{slot.n}", slot.question or ""))
    return found


def _confidence(columns: Mapping[str, Any]) -> list[Deviation]:
    given = folded(columns["confidence"])
    if not given:
        return [Deviation(Kind.CONFIDENCE, "confidence")]
    if given not in {"1", "2", "3", "4", "5"}:
        return [Deviation(Kind.CONFIDENCE_VALUE, "confidence", given)]
    return []

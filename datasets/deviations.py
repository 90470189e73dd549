"""Where a record differs from what the annotation form would accept. Pure.

An import stores such a record unchanged, and lists its deviations.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from datasets.schema import SAME, VALID, Slot
from datasets.taxonomy import DIMENSIONS, Dimension, dimension, dimension_of

PLACEHOLDER = "add the answer based on passage"


class DeviationKind(StrEnum):
    """The kind of a deviation; the value is shown to people."""

    EMPTY_PASSAGE = "a passage is empty"
    SPAN = "contradicted span is in neither form of its passage"
    SAME_PASSAGE = "same or different passage not given"
    SAME_BUT_DIFFERENT = "marked as the same passage, but the texts differ"
    DIFFERENT_BUT_SAME = "not marked as the same passage, but the texts are equal"
    TYPE_MISSING = "no option in a dimension of the taxonomy"
    TYPE_TWICE = "several options in a dimension of the taxonomy"
    TYPE_UNKNOWN = "not an option of the taxonomy"
    TYPE_KEY = "type differs from the taxonomy list"
    CONFIDENCE = "no confidence given"
    CONFIDENCE_VALUE = "confidence is not 1 to 5"
    STATEMENT = "no statement of what a passage says"
    NO_QUESTION = "no question"
    INVALID_ANSWERED = "questions asked of an invalid tag"
    PLACEHOLDER = "the form's placeholder is left as an answer"
    EMPTY_ANSWER = "an answer is empty"
    EQUAL_ANSWERS = "both answers of a question are equal"
    # Of declared records (declared/deviations.py).
    UNKNOWN_VALUE = "not a value that the protocol knows"
    EQUAL_OPTIONS = "a list has the same text twice"
    EMPTY_OPTION = "a list has an empty text"
    NOT_LISTED = "a text is not in the list that is to hold it"
    EMPTY_LIST = "the list that is to hold a text is empty"
    UNEQUAL_OPTION = "the option and the field that it stands for differ"
    EQUAL_LETTERS = "two answers have the same letter"


class Deviation(NamedTuple):
    """One deviation: its kind, the column, and the text that shows it."""

    kind: DeviationKind
    place: str
    detail: str = ""

    @property
    def where(self) -> str:
        """The column in words: "span 1"."""
        return self.place.replace("_", " ")


def deviations(columns: Mapping[str, Any], questions: Sequence[Slot]) -> list[Deviation]:
    """All deviations of one record, in the form's order; an invalid tag has only the first step."""
    if columns["validity"] != VALID:
        return [Deviation(DeviationKind.INVALID_ANSWERED, "question_1")] if questions else []
    return [
        *_passages(columns),
        *_same_passage(columns),
        *_statements(columns),
        *_spans(columns),
        *_types(columns),
        *_questions(questions),
        *_confidence(columns),
    ]


def folded(text: str | None) -> str:
    """The text with single blanks and none around it; for comparing, never for storing."""
    return " ".join((text or "").split())


def _shown(columns: Mapping[str, Any], n: int) -> str:
    """The passage as prompts show it (contexts.py), folded."""
    return folded(columns[f"passage_{n}_standalone"] or columns[f"passage_{n}_copied"])


def _passages(columns: Mapping[str, Any]) -> list[Deviation]:
    return [
        Deviation(DeviationKind.EMPTY_PASSAGE, f"passage_{n}")
        for n in (1, 2)
        if not _shown(columns, n)
    ]


def _same_passage(columns: Mapping[str, Any]) -> list[Deviation]:
    given = columns["same_passage"]
    first, second = _shown(columns, 1), _shown(columns, 2)
    result = [Deviation(DeviationKind.SAME_PASSAGE, "same_passage")] if given is None else []
    if given == SAME and first != second:
        result.append(Deviation(DeviationKind.SAME_BUT_DIFFERENT, "same_passage"))
    if given != SAME and first and first == second:
        result.append(Deviation(DeviationKind.DIFFERENT_BUT_SAME, "same_passage"))
    return result


def _statements(columns: Mapping[str, Any]) -> list[Deviation]:
    names = ("statement_1", "statement_2")
    return [Deviation(DeviationKind.STATEMENT, name) for name in names if not folded(columns[name])]


def _spans(columns: Mapping[str, Any]) -> list[Deviation]:
    result = []
    for n in (1, 2):
        span = folded(columns[f"span_{n}"])
        passages = (columns[f"passage_{n}_standalone"], columns[f"passage_{n}_copied"])
        # The text as it is comes first: mostly the span is in it; and folding a text changes no word of it.
        if span and not any(
            span in (text or "") or (" " in span and span in folded(text)) for text in passages
        ):
            result.append(Deviation(DeviationKind.SPAN, f"span_{n}", columns[f"span_{n}"]))
    return result


def _types(columns: Mapping[str, Any]) -> list[Deviation]:
    entries: list[list[str]] = columns["taxonomy"] or []
    result = [
        Deviation(DeviationKind.TYPE_UNKNOWN, "taxonomy", " / ".join(entry))
        for entry in entries
        if dimension(entry[0]) is None
        or (len(entry) == 2 and dimension_of(entry[1]) != dimension(entry[0]))
    ]
    for n, dim in enumerate(DIMENSIONS, 1):
        chosen = [entry[1] for entry in entries if entry[0] == dim.key and len(entry) == 2]
        result += _options_of(dim, chosen)
        column = f"type_{n}"
        if columns[column] != (chosen[-1] if chosen else None):
            result.append(Deviation(DeviationKind.TYPE_KEY, column, columns[column] or "absent"))
    return result


def _options_of(dim: Dimension, chosen: list[str]) -> list[Deviation]:
    if not chosen:
        return [Deviation(DeviationKind.TYPE_MISSING, "taxonomy", f"{dim.short}: {dim.title}")]
    if len(chosen) > 1:
        return [
            Deviation(DeviationKind.TYPE_TWICE, "taxonomy", f"{dim.short}: {'; '.join(chosen)}")
        ]
    return []


def _questions(questions: Sequence[Slot]) -> list[Deviation]:
    if not questions:
        return [Deviation(DeviationKind.NO_QUESTION, "question_1")]
    result = []
    for slot in questions:
        first, second = folded(slot.answer_1).casefold(), folded(slot.answer_2).casefold()
        result += [
            Deviation(
                DeviationKind.EMPTY_ANSWER, f"question_{slot.n}_answer_{n}", slot.question or ""
            )
            for n, answer in enumerate((first, second), 1)
            if not answer
        ]
        if any(answer.startswith(PLACEHOLDER) for answer in (first, second)):
            result.append(
                Deviation(DeviationKind.PLACEHOLDER, f"question_{slot.n}", slot.question or "")
            )
        elif first and first == second:
            result.append(
                Deviation(DeviationKind.EQUAL_ANSWERS, f"question_{slot.n}", slot.question or "")
            )
    return result


def _confidence(columns: Mapping[str, Any]) -> list[Deviation]:
    given = folded(columns["confidence"])
    if not given:
        return [Deviation(DeviationKind.CONFIDENCE, "confidence")]
    if given not in {"1", "2", "3", "4", "5"}:
        return [Deviation(DeviationKind.CONFIDENCE_VALUE, "confidence", given)]
    return []

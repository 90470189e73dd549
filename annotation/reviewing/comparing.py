"""Compare the annotations of one tag, field by field. Pure.

Texts are equal as the checks take them (matching.py): quotes, blanks and capitals make no difference.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.fields.matching import fold
from annotation.fields.shown_steps import in_words
from annotation.fields.walker import Entries, Field, FieldKind, FormStep, answered, counted, is_open
from pages.worddiff import Piece, word_diff

# Not compared here: questions are joined (joining.py), and a place goes with its span.
LEFT_OUT = (FieldKind.ROWS, FieldKind.PLACE)


@dataclass(frozen=True)
class ComparedCell:
    """What the annotation at `index` has in a field, in pieces: "new" are the words that another one lacks."""

    index: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class ComparedField:
    """A field with a cell for each annotation that was asked for it, in their order."""

    field: Field
    cells: tuple[ComparedCell, ...]
    differs: bool


@dataclass(frozen=True)
class ComparedStep:
    step: FormStep
    fields: tuple[ComparedField, ...]


def compared_steps(steps: Iterable[FormStep], annotations: Sequence[Entries]) -> list[ComparedStep]:
    """The steps with the fields that somebody answered, of the annotations that the step is open to."""
    found = []
    for step in steps:
        asked = {
            at: counted([step], entries)
            for at, entries in enumerate(annotations)
            if is_open(step, entries)
        }
        found.append(ComparedStep(step, tuple(_fields(step, asked))))
    return [step for step in found if step.fields]


def same_value(field: Field, first: Any, second: Any) -> bool:
    """Whether two values of a field are the same to a reader."""
    if field.kind in (FieldKind.LINE, FieldKind.TEXT):
        return fold(first) == fold(second)
    return (
        sorted(first) == sorted(second) if field.kind == FieldKind.MANY else bool(first == second)
    )


def _fields(step: FormStep, asked: Mapping[int, Entries]) -> Iterator[ComparedField]:
    for field in step.fields:
        values = {at: entries[field.name] for at, entries in asked.items()}
        if field.kind in LEFT_OUT or not any(answered(field, value) for value in values.values()):
            continue
        first = next(iter(values.values()))
        unequal = [value for value in values.values() if not same_value(field, first, value)]
        # Marked against the first; of the first itself, against the next that differs.
        cells = [
            _cell(at, field, value, first if value is not first else next(iter(unequal), first))
            for at, value in values.items()
        ]
        yield ComparedField(field, tuple(cells), bool(unequal))


def _cell(index: int, field: Field, value: Any, other: Any) -> ComparedCell:
    words = in_words(field, value)
    if same_value(field, value, other):
        return ComparedCell(index, (Piece("same", words),) if words else ())
    pieces = word_diff(in_words(field, other), words)
    return ComparedCell(index, tuple(piece for piece in pieces if piece.kind != "gone"))

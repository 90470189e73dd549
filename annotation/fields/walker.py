"""The logic of a form with steps: which steps are open, what is missing, which step is next. Pure.

It knows no field by name, only the shape of `FormStep` and `Field`. Entries map field names to values: text for most
kinds, a list of option values for MANY, an int or None for RATING, a list of mappings for ROWS.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Entries = Mapping[str, Any]


class FieldKind(StrEnum):
    """How a field is entered, which determines the type of its value."""

    ONE = "one"
    MANY = "many"
    LINE = "line"
    TEXT = "text"
    RATING = "rating"
    TICK = "tick"
    ROWS = "rows"
    PLACE = "place"  # of a span in its passage, written by the page (spans.py), not seen by people


@dataclass(frozen=True)
class FieldOption:
    """One option: `value` is stored, `label` and `help` are read, `key` chooses it; `opens`: later steps need it."""

    value: str
    label: str
    help: str = ""
    group: str = ""
    opens: bool = False
    key: str = ""


@dataclass(frozen=True)
class Field:
    """One entry of a step.

    `max_length` is in characters, 0 if the kind has none. For ROWS, `fields` are the columns of a row,
    and `at_most` is how many can be submitted; a required ROWS field needs one complete row. `needed` says when a field
    that is not required is needed all the same (checks.py).
    """

    name: str
    label: str
    kind: FieldKind
    required: bool = False
    help: str = ""
    choices: tuple[FieldOption, ...] = ()
    max_length: int = 0
    fields: tuple["Field", ...] = ()
    at_most: int = 0
    needed: str = ""

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(choice.value for choice in self.choices)


@dataclass(frozen=True)
class Need:
    """The condition that opens a step: this field has this value."""

    field: str
    value: str


@dataclass(frozen=True)
class FormStep:
    """One step of the form, with its name in the list of steps (`short`) and its part of the guideline (`anchor`).

    `reads_passages`: both passages stay in sight.
    """

    key: str
    number: int
    title: str
    short: str
    anchor: str
    fields: tuple[Field, ...]
    needs: Need | None = None
    reads_passages: bool = False


@dataclass(frozen=True)
class Missing:
    name: str
    label: str
    kind: FieldKind


@dataclass(frozen=True)
class StepStanding:
    """The standing of one step: whether it is open, whether anything was entered, what is missing."""

    step: FormStep
    open: bool
    begun: bool
    missing: tuple[Missing, ...]

    @property
    def complete(self) -> bool:
        return self.open and not self.missing

    @property
    def name(self) -> str:
        if not self.open:
            return "closed"
        return "complete" if self.complete else "begun" if self.begun else "open"

    @property
    def words(self) -> str:
        return {"closed": "not open", "complete": "complete"}.get(
            self.name, f"{len(self.missing)} missing"
        )


def blank(field: Field) -> Any:
    if field.kind in (FieldKind.MANY, FieldKind.ROWS):
        return []
    if field.kind == FieldKind.RATING:
        return None
    return False if field.kind == FieldKind.TICK else ""


def answered(field: Field, value: Any) -> bool:
    """Whether anything but blanks was entered."""
    if field.kind == FieldKind.ROWS:
        return any(row_begun(field, row) for row in value or ())
    return bool(value.strip()) if isinstance(value, str) else value not in (None, [], (), False)


def row_begun(field: Field, row: Entries) -> bool:
    return any(answered(column, row.get(column.name)) for column in field.fields)


def row_name(field: Field, index: int | str, column: Field) -> str:
    """The name of one cell, as the form posts it: questions-0-answer_1."""
    return f"{field.name}-{index}-{column.name}"


def is_open(step: FormStep, entries: Entries) -> bool:
    return step.needs is None or entries.get(step.needs.field) == step.needs.value


def missing(field: Field, entries: Entries) -> Iterator[Missing]:
    """The missing required entries of this field; every started row must be complete."""
    value = entries.get(field.name)
    if field.kind != FieldKind.ROWS:
        if field.required and not answered(field, value):
            yield Missing(field.name, field.label, field.kind)
        return
    rows: Sequence[Entries] = value or []
    begun = [index for index, row in enumerate(rows) if row_begun(field, row)]
    for index in begun or ([0] if field.required else []):
        row = rows[index] if index < len(rows) else {}
        for column in field.fields:
            if column.required and not answered(column, row.get(column.name)):
                label = f"{column.label} (row {index + 1})" if index else column.label
                yield Missing(row_name(field, index, column), label, column.kind)


def standing(step: FormStep, entries: Entries) -> StepStanding:
    opened = is_open(step, entries)
    absent = (
        tuple(gap for field in step.fields for gap in missing(field, entries)) if opened else ()
    )
    begun = any(answered(field, entries.get(field.name)) for field in step.fields)
    return StepStanding(step, opened, begun, absent)


def standings(steps: Iterable[FormStep], entries: Entries) -> list[StepStanding]:
    return [standing(step, entries) for step in steps]


def next_step(steps: Iterable[FormStep], entries: Entries) -> FormStep | None:
    """The first open step with something missing, or None when every open step is complete."""
    return next((at.step for at in standings(steps, entries) if at.open and at.missing), None)


def fields_of(steps: Iterable[FormStep]) -> dict[str, Field]:
    return {field.name: field for step in steps for field in step.fields}


def counted(steps: Iterable[FormStep], entries: Entries) -> dict[str, Any]:
    """The entries with all fields; those of closed steps are blank."""
    return {
        field.name: entries.get(field.name, blank(field))
        if is_open(step, entries)
        else blank(field)
        for step in steps
        for field in step.fields
    }


def kept(steps: Iterable[FormStep], entries: Entries) -> dict[str, Any]:
    """The entries as a submission stores them: `counted`, without empty rows."""
    complete = counted(steps, entries)
    for field in fields_of(steps).values():
        if field.kind == FieldKind.ROWS:
            complete[field.name] = [row for row in complete[field.name] if row_begun(field, row)]
    return complete

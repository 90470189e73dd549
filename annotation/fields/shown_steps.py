"""The six steps as a page shows them: each field with its value, its problems, and the reviewer's note.

Pure. It uses the shapes that steps.py declares, and no field by name.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.fields.checks import CheckFinding, Level
from annotation.fields.walker import (
    Entries,
    Field,
    FieldKind,
    FieldOption,
    FormStep,
    StepStanding,
    answered,
    blank,
    row_name,
    standings,
)


@dataclass(frozen=True)
class Remarks:
    """Remarks on entries: problems and notes by name of field or cell, findings, ticked warnings, filled fields.

    `languages`: of fields with text from elsewhere, "" where it is unknown.
    """

    problems: Mapping[str, str] = field(default_factory=dict)
    findings: Sequence[CheckFinding] = ()
    ticked: frozenset[str] = frozenset()
    notes: Mapping[str, str] = field(default_factory=dict)
    filled: frozenset[str] = frozenset()
    languages: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ShownChoice:
    """An option; `group` is the heading above it, "" but for the first of each group."""

    choice: FieldOption
    chosen: bool
    group: str


@dataclass(frozen=True)
class Warned:
    """A warning with whether "I checked" is ticked."""

    finding: CheckFinding
    ticked: bool


@dataclass(frozen=True)
class ShownField:
    """One field ready for a template; `rows` holds the cells of a ROWS field."""

    field: Field
    name: str
    value: Any
    choices: tuple[ShownChoice, ...] = ()
    errors: tuple[str, ...] = ()
    warnings: tuple[Warned, ...] = ()
    note: str = ""
    filled: bool = False
    lang: str | None = None
    rows: tuple[tuple["ShownField", ...], ...] = ()

    @property
    def id(self) -> str:
        return f"id_{self.name}"

    @property
    def template(self) -> str:
        return f"annotation/_field_{self.field.kind}.html"

    @property
    def lines(self) -> int:
        """The initial number of lines of the text box."""
        return 5 if self.field.max_length > 5_000 else 2

    @property
    def described_by(self) -> str:
        parts = {
            "help": self.field.help,
            "error": self.errors,
            "warning": self.warnings,
            "note": self.note,
        }
        return " ".join(f"{self.id}-{part}" for part, present in parts.items() if present)

    @property
    def is_explained(self) -> bool:
        """Whether an option says what it means."""
        return any(shown.choice.help for shown in self.choices)

    @property
    def is_read(self) -> bool:
        """Whether there is something for people to read."""
        return self.field.kind != FieldKind.PLACE and answered(self.field, self.value)


@dataclass(frozen=True)
class ShownStep:
    standing: StepStanding
    guideline: str
    fields: tuple[ShownField, ...]

    @property
    def step(self) -> FormStep:
        return self.standing.step

    @property
    def is_explained(self) -> bool:
        return any(entry.is_explained for entry in self.fields)

    @property
    def has_filled(self) -> bool:
        return any(entry.filled for entry in self.fields)


def shown_steps(
    steps: Sequence[FormStep], entries: Entries, remarks: Remarks, guideline: Mapping[str, str]
) -> list[ShownStep]:
    """Every step with its fields; `guideline` holds HTML by anchor."""
    return [
        ShownStep(
            at,
            guideline.get(at.step.anchor, ""),
            tuple(
                shown_field(field, field.name, entries.get(field.name), remarks)
                for field in at.step.fields
            ),
        )
        for at in standings(steps, entries)
    ]


def shown_field(field: Field, name: str, value: Any, remarks: Remarks) -> ShownField:
    value = blank(field) if value is None else value
    return ShownField(
        field=field,
        name=name,
        value=value,
        choices=_choices(field, value),
        errors=tuple(_errors(name, remarks)),
        warnings=tuple(
            Warned(finding, finding.key in remarks.ticked)
            for finding in remarks.findings
            if finding.level == Level.WARN and finding.field == name
        ),
        note=remarks.notes.get(name, ""),
        filled=name in remarks.filled,
        lang=remarks.languages.get(name),
        rows=tuple(shown_row(field, index, row, remarks) for index, row in enumerate(value or [{}]))
        if field.kind == FieldKind.ROWS
        else (),
    )


def _errors(name: str, remarks: Remarks) -> Iterable[str]:
    if name in remarks.problems:
        yield remarks.problems[name]
    yield from (f.message for f in remarks.findings if f.level == Level.BLOCK and f.field == name)


def _choices(field: Field, value: Any) -> tuple[ShownChoice, ...]:
    chosen = set(value) if field.kind == FieldKind.MANY else {str(value)}
    groups: set[str] = set()
    shown = []
    for choice in field.choices:
        group = "" if choice.group in groups else choice.group
        groups.add(choice.group)
        shown.append(ShownChoice(choice, choice.value in chosen, group))
    return tuple(shown)


def shown_row(
    field: Field, index: int | str, row: Entries, remarks: Remarks
) -> tuple[ShownField, ...]:
    return tuple(
        shown_field(column, row_name(field, index, column), row.get(column.name), remarks)
        for column in field.fields
    )


def in_words(field: Field, value: Any) -> str:
    """A value as text for reading and comparing: labels for options, a line for each row."""
    labels = {choice.value: choice.label for choice in field.choices}
    if field.kind == FieldKind.MANY:
        return "\n".join(labels.get(item, item) for item in value or ())
    if field.kind == FieldKind.ROWS:
        return "\n\n".join(_row_in_words(field, row) for row in value or ())
    if field.kind == FieldKind.TICK:
        return "yes" if value else ""
    text = "" if value is None else str(value)
    return labels.get(text, text)


def _row_in_words(field: Field, row: Entries) -> str:
    cells = [(column.label, in_words(column, row.get(column.name))) for column in field.fields]
    return "\n".join(f"{label}: {words}" for label, words in cells if words)

"""What the pages of an entry show: its record, its form with the offered phrases, what is missing, two versions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from annotation.desk.draft_page import ConflictingField, SummaryLine
from annotation.fields.shown_steps import Remarks, ShownField, ShownStep, in_words, shown_steps
from annotation.fields.walker import Entries, Missing, answered
from datasets.declared.shown import FieldShown, shown_fields
from writing.declared.form import WritingForm
from writing.models import Entry
from writing.saving import entries_of
from writing.targets import is_superseded


class OfferedField(NamedTuple):
    """A field of the form with the phrases that are offered for it."""

    entry: ShownField
    offers: Sequence[str]


@dataclass(frozen=True)
class EntryPage:
    """An entry, the entries to show (stored or just posted), and what is wrong with them."""

    row: Entry
    entries: Entries
    problems: Mapping[str, str] = field(default_factory=dict)
    missing: Sequence[Missing] = ()
    conflict: Sequence[ConflictingField] = ()
    message: str = ""

    def context(self) -> dict[str, Any]:
        form = self.row.form
        absent = {gap.name: f"“{gap.label}” is missing." for gap in self.missing}
        said = {**absent, **self.problems}
        steps = shown_steps(form.steps, self.entries, Remarks(said), {})
        return {
            **about(self.row),
            "desk": self,
            "steps": steps,
            "parts": [(step, _offered(form, step)) for step in steps],
            "required": " ".join(name for name, asked in form.fields.items() if asked.required),
            "summary": [SummaryLine(name, message) for name, message in said.items()],
        }


def _offered(form: WritingForm, step: ShownStep) -> list[OfferedField]:
    return [
        OfferedField(shown, form.of_fields[shown.name].get("offers", ())) for shown in step.fields
    ]


def about(row: Entry) -> dict[str, Any]:
    """What every page of the entry shows."""
    return {
        "row": row,
        "writing": row.writing,
        "form": row.form,
        "fields": record_fields(row),
        "combination": combination_of(row),
        "is_superseded": is_superseded(row),
    }


def record_fields(row: Entry) -> list[FieldShown]:
    """The fields of the record that the form shows, in the form's order."""
    declaration = row.writing.protocol.declaration
    shown = {name: declaration.fields[name] for name in row.form.shows}
    return shown_fields(replace(declaration, fields=shown), row.record.fields or {})


def named(row: Entry) -> str:
    """The entry in a message, which may stand over the next one: its record and its combination."""
    title = row.record.title or "(no title)"
    return ": ".join(filter(None, (title, " · ".join(row.combination))))


def combination_of(row: Entry) -> list[tuple[str, str]]:
    """(title, value) of each slice of the record that is to be made."""
    fields = row.writing.protocol.declaration.fields
    return [
        (fields[name].title, value)
        for name, value in zip(row.form.complete, row.combination, strict=True)
    ]


def read_entries(row: Entry) -> list[tuple[str, str]]:
    """(label, words) of each field that was entered."""
    entries = entries_of(row)
    return [
        (asked.label, in_words(asked, entries[name]))
        for name, asked in row.form.fields.items()
        if answered(asked, entries[name])
    ]


def conflicting(row: Entry, details: object) -> list[ConflictingField]:
    """The fields of a StaleVersion's details, side by side."""
    assert isinstance(details, dict)
    fields = row.form.fields
    return [
        ConflictingField(
            fields[name].label,
            name,
            in_words(fields[name], details["mine"][name]),
            in_words(fields[name], details["theirs"][name]),
        )
        for name in details["fields"]
    ]

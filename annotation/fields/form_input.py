"""Convert a browser's input to entries: a form's fields, or the JSON of an autosave. Pure.

It knows no field by name. Text is stored as typed, without control characters (a paste from a PDF has them, and
PostgreSQL refuses some) and without halves of surrogate pairs. `notices` say what was removed, `problems` what cannot
be stored.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from annotation.fields.span_ranges import PLACE
from annotation.fields.walker import Field, FieldKind, FormStep, blank, fields_of, row_name
from leases.refusal import Refusal

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
MOST_DIGITS = 18
# A draft keeps twice as many rows as can be submitted: it may be from a time when more could.
KEPT_ROWS = 2
OLD_PAGE = "If you see this on a page, it is old: reload it."
LINE_END = re.compile("\r\n?|\u2028|\u2029")


def plain(text: str) -> str:
    """A note as it is stored: no control characters, \\n line ends, no blanks around it."""
    return CONTROL.sub("", LINE_END.sub("\n", text)).strip()


def number_in(text: str) -> int | None:
    """A whole number within the range of every database; None for anything else."""
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else None


class PostedFields(Protocol):
    """The part of Django's QueryDict that is used here."""

    def getlist(self, key: str) -> list[str]: ...

    def __contains__(self, key: object) -> bool: ...


@dataclass
class FormReading:
    """The entries, the problems (field name to message), and notices of what was removed."""

    entries: dict[str, Any] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)

    def check(self) -> None:
        """Raise Refusal, with the problem of each field, if there is any."""
        if self.problems:
            fields = {name: [problem] for name, problem in self.problems.items()}
            raise Refusal("Not saved: " + " ".join(self.problems.values()), fields=fields)


def read_form(steps: Iterable[FormStep], posted: PostedFields) -> FormReading:
    """A complete posted form; a missing field is blank. Rows are posted as NAME-INDEX-COLUMN."""
    raw: dict[str, Any] = {}
    for entry in fields_of(steps).values():
        if entry.kind == FieldKind.ROWS:
            raw[entry.name] = _posted_rows(entry, posted)
        elif entry.kind == FieldKind.MANY:
            raw[entry.name] = posted.getlist(entry.name)
        else:
            raw[entry.name] = (posted.getlist(entry.name) or [""])[0]
    return read_changes(steps, raw)


def read_changes(steps: Iterable[FormStep], changes: Mapping[str, Any]) -> FormReading:
    """Some fields by name, as from JSON. A name that no step has is a problem, not ignored."""
    known = fields_of(steps)
    reading = FormReading()
    # Said once: there may be thousands of other names.
    instead = f", only {', '.join(known)}. {OLD_PAGE}"
    for name, value in changes.items():
        if name in known:
            reading.entries[name] = _read(known[name], name, value, reading)
        else:
            shown = plain(name)[:60]
            reading.problems[shown] = f"The form has no field “{shown}”{instead}"
            instead = " either."
    return reading


def _posted_rows(rows: Field, posted: PostedFields) -> list[dict[str, Any]]:
    """Rows in the order of their indexes, which may have gaps where a row was removed."""
    entered = []
    for index in range(rows.at_most * KEPT_ROWS * 2):
        names = {column.name: row_name(rows, index, column) for column in rows.fields}
        if any(name in posted for name in names.values()):
            entered.append({key: (posted.getlist(name) or [""])[0] for key, name in names.items()})
    return entered


def _read(field: Field, name: str, value: Any, reading: FormReading) -> Any:
    if field.kind in (FieldKind.LINE, FieldKind.TEXT):
        return _text(field, name, value, reading)
    if field.kind == FieldKind.PLACE:
        is_one = (
            isinstance(value, str) and len(value) <= field.max_length and PLACE.fullmatch(value)
        )
        return value if is_one else ""
    if field.kind == FieldKind.MANY:
        return _many(field, name, value, reading)
    if field.kind == FieldKind.ROWS:
        return _rows(field, name, value, reading)
    if field.kind == FieldKind.TICK:
        return value is True or value in ("on", "true", "1")
    chosen = "" if value is None else str(value)
    if chosen and chosen not in field.values:
        reading.problems[name] = _no_option(field)
        return blank(field)
    if field.kind == FieldKind.RATING:
        return int(chosen) if chosen else None
    return chosen


def _no_option(field: Field) -> str:
    options = ", ".join(map(str, field.values))
    return f"“{field.label}” has no such option, only {options}. {OLD_PAGE}"


def _text(field: Field, name: str, value: Any, reading: FormReading) -> str:
    if not isinstance(value, str):
        reading.problems[name] = f"“{field.label}” must be text."
        return ""
    text, dropped = CONTROL.subn("", LINE_END.sub("\n", value))
    if field.kind == FieldKind.LINE:
        text = text.replace("\n", " ").replace("\t", " ")
    if dropped:
        what = "1 control character" if dropped == 1 else f"{dropped:,} control characters"
        reading.notices.append(f"{what} taken out of “{field.label}”.")
    if len(text) > field.max_length:
        reading.problems[name] = (
            f"“{field.label}” has {len(text):,} characters; at most {field.max_length:,} can be kept. Shorten it."
        )
    return text


def _many(field: Field, name: str, value: Any, reading: FormReading) -> list[str]:
    given = value if isinstance(value, list) else [value]
    if not all(isinstance(item, str) and item in field.values for item in given):
        reading.problems[name] = _no_option(field)
        return []
    return list(dict.fromkeys(given))


def _rows(field: Field, name: str, value: Any, reading: FormReading) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(row, Mapping) for row in value):
        reading.problems[name] = f"“{field.label}” must be a list of rows."
        return []
    most = field.at_most * KEPT_ROWS
    if len(value) > most:
        reading.problems[name] = f"There are {len(value)} rows; at most {most} can be kept."
    return [_row(field, index, row, reading) for index, row in enumerate(value)]


def _row(field: Field, index: int, row: Mapping[str, Any], reading: FormReading) -> dict[str, Any]:
    return {
        column.name: _read(
            column, row_name(field, index, column), row.get(column.name, blank(column)), reading
        )
        for column in field.fields
    }

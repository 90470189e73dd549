"""Which column of a CSV file becomes which field: proposed by their names, and checked. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO, NamedTuple

from datasets.readers.csv_table import DELIMITERS, CsvTable
from datasets.readers.json_text import Unreadable
from protocols.declaration import Declaration

MOST_COLUMNS = 200


class CsvField(NamedTuple):
    """What a column can become. `also`: the names by which published files call it."""

    name: str
    title: str
    is_required: bool = False
    also: tuple[str, ...] = ()


class Chosen(NamedTuple):
    """How a CSV file is to be read: the field of each column ("" for none), and the name of its delimiter.

    None, "": as proposed, as found.
    """

    columns: Mapping[str, str] | None = None
    delimiter: str = ""


class CsvRow(NamedTuple):
    """A row's cells by the names of the fields to which their columns are mapped; `problem`: why it cannot be read."""

    line: int
    cells: Mapping[str, str]
    problem: str = ""


def opened(file: BinaryIO, chosen: Chosen) -> CsvTable:
    """Raises Unreadable, also for a delimiter that is none."""
    if chosen.delimiter and chosen.delimiter not in DELIMITERS:
        raise Unreadable(
            f"There is no delimiter {chosen.delimiter[:40]!r}; there are {', '.join(DELIMITERS)}."
        )
    table = CsvTable(file, DELIMITERS.get(chosen.delimiter, ""))
    if (n := len(table.columns)) > MOST_COLUMNS:
        raise Unreadable(f"The file has {n} columns; at most {MOST_COLUMNS} can be read.")
    return table


class ColumnsUnclear(Unreadable):
    """The columns give no whole record. `details`: what is proposed, what is missing, what there is."""


def fields_of(declaration: Declaration) -> list[CsvField]:
    """The fields of a protocol's records in a CSV file, without that by which files are parted."""
    return [
        CsvField(name, field.title, not field.optional)
        for name, field in declaration.fields.items()
        if name != declaration.file.by
    ]


def proposed(columns: Sequence[str], fields: Sequence[CsvField]) -> dict[str, str]:
    """The field of each column ("" for none) by its name as it is written, else without case, blanks and marks."""
    chosen = dict.fromkeys(columns, "")
    for alike in (str, _folded):
        for field in fields:
            names = {alike(name) for name in (field.name, field.title, *field.also)} - {""}
            fitting = [name for name in columns if not chosen[name] and alike(name) in names]
            if fitting and field.name not in chosen.values():
                chosen[fitting[0]] = field.name
    return chosen


def rows_of(
    table: CsvTable, columns: Mapping[str, str], reported: Counter[str]
) -> Iterator[CsvRow]:
    """The rows by the fields of their columns. `reported` counts the cells that are mapped to nothing."""
    for line, cells, problem in table.rows():
        held: dict[str, str] = {}
        for name, cell in zip(table.columns, cells, strict=False) if not problem else ():
            if field := columns.get(name, ""):
                held[field] = cell
            elif cell:
                reported[f"column “{name}”"] += 1
        yield CsvRow(line, held, problem)


def mapped(file: CsvTable, fields: Sequence[CsvField], chosen: Chosen) -> dict[str, str]:
    """The field of each of the file's columns. Raises ColumnsUnclear with all problems."""
    guess = proposed(file.columns, fields)
    if chosen.columns is None:
        problems = _problems(guess, guess, fields)
        return _checked(guess, problems, guess, fields)
    whole = dict.fromkeys(file.columns, "") | dict(chosen.columns)
    return _checked(whole, _problems(whole, guess, fields), guess, fields)


def missing(columns: Mapping[str, str], fields: Sequence[CsvField]) -> list[CsvField]:
    """The required fields that no column has."""
    return [field for field in fields if field.is_required and field.name not in columns.values()]


def lacking_in(
    columns: Mapping[str, str], guess: Mapping[str, str], fields: Sequence[CsvField]
) -> str:
    """What is said of those, where this is proposed by the names; "" where there are none."""
    named = ", ".join(f"{field.title} ({field.name})" for field in missing(columns, fields))
    if not named:
        return ""
    said = f"No column is mapped to {named}. Choose a column for each."
    if not any(guess.values()):
        said += " If the file's first line has no names of columns, put such a line first."
    return said


def _checked(
    whole: dict[str, str],
    problems: list[str],
    guess: Mapping[str, str],
    fields: Sequence[CsvField],
) -> dict[str, str]:
    if not problems:
        return whole
    raise ColumnsUnclear(
        " ".join(problems),
        details={
            "columns": dict(guess),
            "missing": [field.name for field in missing(whole, fields)],
            "fields": {field.name: field.title for field in fields},
        },
    )


def _problems(
    whole: Mapping[str, str], columns: Mapping[str, str], fields: Sequence[CsvField]
) -> list[str]:
    known = {field.name: field.title for field in fields}
    problems = [
        f"The file has no column “{name[:80]}”; it has {', '.join(columns)[:400]}."
        for name in whole
        if name not in columns
    ]
    problems += [
        f"There is no field “{field[:80]}” for the column “{name[:80]}”; there are {', '.join(known)}."
        for name, field in whole.items()
        if field and field not in known
    ]
    for field, title in known.items():
        several = [name for name, chosen in whole.items() if chosen == field]
        if len(several) > 1:
            named = ", ".join(f"“{name[:80]}”" for name in several)
            problems.append(f"{named} are all mapped to {title}. Choose one of them.")
    if lacking := lacking_in(whole, columns, fields):
        problems.append(lacking)
    return problems


def _folded(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))

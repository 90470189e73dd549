"""Which field each column of a sent CSV file is: seen in its first rows, chosen by its sender, kept by the job."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO

from datasets.importers import Importer
from datasets.importers.csv_files.columns import (
    Chosen,
    ColumnsUnclear,
    CsvField,
    mapped,
    opened,
    proposed,
)
from datasets.importers.csv_files.questions import CsvQuestions
from datasets.importers.declared_records import DeclaredRecords
from datasets.importers.formats import format_for
from datasets.importers.import_jobs import choose_options
from datasets.models import ImportJob
from datasets.readers.csv_table import DELIMITERS, CsvTable
from datasets.readers.json_text import Unreadable
from leases.refusal import Conflict, Refusal

SHOWN_ROWS = 10
LONGEST_SHOWN = 120  # characters of a cell
# The options of a job that imports a CSV file.
OPTIONS = ("columns", "delimiter")
_LOOKED_BACK = 50  # jobs
CsvReader = CsvQuestions | DeclaredRecords


@dataclass(frozen=True)
class Sheet:
    """The beginning of a file as a page shows it. `fault`: why no more rows are read.

    columns: what is proposed; is_remembered: as it was chosen for the last file with these columns.
    """

    table: CsvTable
    fields: Sequence[CsvField]
    rows: Sequence[Sequence[str]]
    columns: Mapping[str, str]
    is_remembered: bool
    fault: str = ""

    @property
    def delimiter(self) -> str:
        """Its name."""
        return _named(self.table)


def chosen_in(options: Mapping[str, Any]) -> Chosen:
    """Raises Refusal for what is no choice of columns."""
    columns, delimiter = options.get("columns"), options.get("delimiter", "")
    if columns is not None and not (
        isinstance(columns, dict) and all(isinstance(field, str) for field in columns.values())
    ):
        raise Refusal('The option columns is an object: {"a column of the file": "a field"}.')
    if not isinstance(delimiter, str) or delimiter not in ("", *DELIMITERS):
        raise Refusal(f"The option delimiter is one of {', '.join(DELIMITERS)}.")
    return Chosen(columns, delimiter)


def settled(
    file: BinaryIO,
    *,
    file_name: str,
    collection_name: str,
    format: str,
    part: str,
    options: Mapping[str, Any],
) -> Mapping[str, Any]:
    """The options of a job, of a CSV file with the field of each column. Raises ColumnsUnclear with a proposal."""
    chosen = chosen_in(options)
    of = format_for(format, collection_name, file_name=file_name, part=part, chosen=chosen)
    read = _read(of.importer, file_name, file, chosen)
    if read is None:
        if given := [name for name in OPTIONS if name in options]:
            raise Refusal(f"The option {given[0]} is for CSV, and the file is none. Leave it out.")
        return options
    reader, table = read
    try:
        columns = mapped(table, reader.fields, chosen)
    except ColumnsUnclear as unclear:
        if isinstance(unclear.details, dict):
            unclear.details["columns"], _ = _proposal(format, table, reader.fields)
        raise
    return {**options, "columns": columns, "delimiter": _named(table)}


def asks_columns(
    file: BinaryIO, *, file_name: str, collection_name: str, format: str, part: str
) -> bool:
    """Whether the sender is to choose columns. Raises Unreadable for a file without a header that can be read."""
    of = format_for(format, collection_name, file_name=file_name, part=part)
    return _read(of.importer, file_name, file, Chosen()) is not None


def sheet_of(job: ImportJob, file: BinaryIO, delimiter: str = "") -> Sheet:
    """The beginning of the job's file, read with the delimiter of that name. Raises Unreadable."""
    before = chosen_in(job.options)
    of = format_for(job.format, job.collection, file_name=job.file_name, part=job.part)
    chosen = Chosen(delimiter=delimiter or before.delimiter)
    read = _read(of.importer, job.file_name, file, chosen)
    if read is None:
        raise Conflict("This file has no columns to choose.")
    reader, table = read
    rows: list[list[str]] = []
    fault = ""
    try:
        for row in islice(table.rows(), SHOWN_ROWS):
            rows.append(list(map(_shortened, row.cells)))
    except Unreadable as unreadable:
        fault = unreadable.message
    columns, is_remembered = _proposal(job.format, table, reader.fields)
    if before.columns and [*before.columns] == [*table.columns]:
        columns, is_remembered = dict(before.columns), False
    return Sheet(table, reader.fields, rows, columns, is_remembered, fault)


def choose(job: ImportJob, chosen: Chosen) -> None:
    """Have the file checked with these columns. Raises as choose_options (import_jobs.py)."""
    columns = {"columns": dict(chosen.columns or {}), "delimiter": chosen.delimiter}
    choose_options(job, {**job.options, **columns})


def _read(
    importer: Importer, file_name: str, file: BinaryIO, chosen: Chosen
) -> tuple[CsvReader, CsvTable] | None:
    """Who takes the file for CSV, and the table; None where the importer does not. Raises Unreadable."""
    is_named = file_name.casefold().endswith((".csv", ".tsv"))
    if isinstance(importer, DeclaredRecords) and (importer.is_csv or is_named):
        importer.check_csv()
    elif not isinstance(importer, CsvQuestions):
        return None
    return importer, opened(file, chosen)


def _proposal(
    format: str, table: CsvTable, fields: Sequence[CsvField]
) -> tuple[dict[str, str], bool]:
    """The field of each column, and whether it was chosen so for the last file with these columns."""
    known = {"", *(field.name for field in fields)}
    jobs = ImportJob.objects.filter(format=format).exclude(options={}).order_by("-pk")
    for options in jobs.values_list("options", flat=True)[:_LOOKED_BACK]:
        columns = options.get("columns") or {}
        if columns.keys() == set(table.columns) and known.issuperset(columns.values()):
            return {name: columns[name] for name in table.columns}, True
    return proposed(table.columns, fields), False


def _named(table: CsvTable) -> str:
    return next(name for name, mark in DELIMITERS.items() if mark == table.delimiter)


def _shortened(cell: str) -> str:
    return cell if len(cell) <= LONGEST_SHOWN else f"{cell[:LONGEST_SHOWN]}…"

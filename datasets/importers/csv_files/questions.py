"""A CSV table of questions with their passages, as records of WikiContradict. Pure.

Rows that follow each other and differ in nothing but question and answers are the questions of one record. Where a
column has their numbers they come in that order, since the published table has the first of a page last.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, BinaryIO

from datasets.declared.writing import FileNoted
from datasets.deviations import Deviation, deviations
from datasets.importers.checked_records import checked_records
from datasets.importers.comparing import Comparison
from datasets.importers.csv_files.columns import (
    Chosen,
    CsvField,
    CsvRow,
    mapped,
    opened,
    rows_of,
)
from datasets.question_table import HEADER, lines_of_record
from datasets.schema import (
    ANNOTATION_KEYS,
    COLUMNS,
    QUESTION,
    RECORD_KEYS,
    TYPE_COLUMNS,
    VALID,
    Parsed,
    Problem,
    RecordRefused,
    Slot,
    build,
    parse,
)

_MOST_QUESTIONS = 99  # whose numbers have two digits
_NUMBER, _BOTH_PASSAGES, _BOTH_ANSWERS = "question_id", "merged_context", "ref_answer"
_OF_QUESTION = {
    "question": "Question",
    "answer_1": "Answer of passage 1",
    "answer_2": "Answer of passage 2",
}
_PASSAGES = {"passage_1_copied": "Passage 1", "passage_2_copied": "Passage 2"}
# Of other columns whose names do not say it.
_TITLES = _PASSAGES | {
    "title": "Title of the article",
    "url": "Address of the article",
    "paragraph": "Paragraph with the tag",
    "paragraph_clean": "Paragraph without the tag",
    "tag_date": "Date of the tag",
    "tag_reason": "Reason of the tag",
    "validity": "Whether the tag is valid",
    "valid_comment": "Comment on the tag",
    "article_1": "Article of passage 1",
    "article_2": "Article of passage 2",
    "passage_1_standalone": "Passage 1, standalone",
    "passage_2_standalone": "Passage 2, standalone",
    "same_passage": "Same or different passages",
    "statement_1": "Passage 1 states that",
    "statement_2": "Passage 2 states that",
    "span_1": "Span in passage 1",
    "span_2": "Span in passage 2",
    "contradict_comment": "Comment on the types",
    "qa_comment": "Comment on the questions",
}
# Columns of the published table that are made of others, and how they can differ.
_COMPARED = {
    _NUMBER: ("question_ID", "another number than the export gives"),
    _BOTH_PASSAGES: ("merged_context", "not made of both passages"),
    _BOTH_ANSWERS: ("ref_answer", "not made of both answers"),
}
_KEYS = {key.column: key for key in (*RECORD_KEYS, *ANNOTATION_KEYS)}
# What the published table calls them, beside the keys of the published record.
_ALSO = {
    "question": ("question1",),
    "answer_1": ("answer1", "question1_answer1"),
    "answer_2": ("answer2", "question1_answer2"),
    "passage_1_copied": ("context1", "passage_1"),
    "passage_2_copied": ("context2", "passage_2"),
    "title": ("WikipediaArticleTitle",),
    "same_passage": ("samepassage",),
    "type_4": ("contradictType",),
}


def _field(column: str) -> CsvField:
    key = _KEYS[column]
    title = key.key if key.key in TYPE_COLUMNS else _TITLES.get(column, column.capitalize())
    return CsvField(column, title, column in _PASSAGES, (key.key, *_ALSO.get(column, ())))


FIELDS = [
    *(CsvField(name, title, True, _ALSO[name]) for name, title in _OF_QUESTION.items()),
    *(_field(column) for column in _PASSAGES),
    CsvField(_NUMBER, "Number of the question (gives the order)", also=("question_ID",)),
    *(_field(column) for column in _KEYS if column not in _PASSAGES),
    CsvField(_BOTH_PASSAGES, "Both passages in one text (only compared)"),
    CsvField(_BOTH_ANSWERS, "Both answers in one text (only compared)"),
]


@dataclass(frozen=True)
class _Group:
    """The rows of a record, in the order of its questions."""

    rows: Sequence[CsvRow]

    @property
    def place(self) -> str:
        lines = sorted(row.line for row in self.rows)[:: max(1, len(self.rows) - 1)]
        return f"line{'s' if lines[1:] else ''} {' to '.join(map(str, lines))}"


class CsvQuestions:
    """Reads the whole file or refuses it. What becomes no part of a record is counted in `noted`."""

    name = "csv"
    label = "WikiContradict questions (CSV)"
    hint = (
        "A row for each question, with its passages and answers. Columns of any names: which is which is asked "
        "after the upload. The published table maps by itself."
    )
    fields = FIELDS

    def __init__(self, chosen: Chosen | None = None) -> None:
        self.chosen = chosen or Chosen()

    def records(self, file: BinaryIO, noted: FileNoted | None = None) -> Iterator[Parsed]:
        """The file's records in order. Raises Unreadable (checked_records, columns.ColumnsUnclear)."""
        noted = noted or FileNoted()
        table = opened(file, self.chosen)
        columns = mapped(table, FIELDS, self.chosen)
        names = {field: name for name, field in columns.items() if field}
        reading = _Reading(names, noted.reported)
        compared = Comparison(file, noted)
        compared.go_on(_text([HEADER]))
        groups = _groups(rows_of(table, columns, noted.reported), noted.reported)
        for parsed in checked_records(groups, reading.parsed, place=lambda group: group.place):
            compared.go_on(_text(reading.lines))
            yield parsed
        compared.finish()

    def first(self, file: BinaryIO) -> Parsed:
        return next(self.records(file))

    def deviations(self, parsed: Parsed) -> list[Deviation]:
        return deviations(parsed.columns, parsed.slots)


def _groups(rows: Iterable[CsvRow], reported: Counter[str]) -> Iterator[_Group]:
    """Those that follow each other with the same of a record, each once; a row that cannot be read is alone."""
    own = {*_OF_QUESTION, _NUMBER, _BOTH_ANSWERS}

    def key(row: CsvRow) -> tuple[object, ...]:
        if row.problem:
            return (row.line,)
        return tuple(cell for field, cell in row.cells.items() if field not in own)

    for _, alike in groupby(rows, key):
        some: list[CsvRow] = []
        for row in alike:
            if any(row.cells == before.cells for before in some):
                reported["rows that repeat a question of their record"] += 1
                continue
            some.append(row)
            if len(some) == _MOST_QUESTIONS:
                yield _Group(_numbered(some))
                some = []
        if some:
            yield _Group(_numbered(some))


def _numbered(rows: list[CsvRow]) -> list[CsvRow]:
    """By their numbers, where all have one."""
    numbers = [row.cells.get(_NUMBER, "") for row in rows]
    if not all(number.isdecimal() and len(number) < 19 for number in numbers):
        return rows
    return sorted(rows, key=lambda row: int(row.cells[_NUMBER]))


class _Reading:
    """Records on their way. `lines` are those of the last one in the published table."""

    def __init__(self, names: Mapping[str, str], reported: Counter[str]) -> None:
        self._names, self._reported = names, reported
        self._number = 1
        self.lines: list[tuple[object, ...]] = []

    def parsed(self, group: _Group) -> Parsed:
        """Raises RecordRefused with all problems, which name the file's columns."""
        if problem := group.rows[0].problem:
            raise RecordRefused([Problem("", problem)])
        problems = [
            Problem(self._names["question"], f"is empty in line {row.line}: write the question")
            for row in group.rows
            if not row.cells["question"].strip()
        ]
        try:
            parsed = parse(_record(group))
        except RecordRefused as refused:
            problems += [self._named(problem, group) for problem in refused.problems]
        if problems:
            raise RecordRefused(problems)
        self.lines = lines_of_record(parsed.columns, parsed.slots, self._number)
        self._number += len(parsed.slots)
        self._compare(group)
        return parsed

    def _named(self, problem: Problem, group: _Group) -> Problem:
        if match := QUESTION.fullmatch(problem.key):
            field = f"answer_{match[2]}" if match[2] else "question"
            row = group.rows[int(match[1]) - 1]
            return Problem(self._names[field], f"{problem.message} (line {row.line})")
        column = next((name for name, key in _KEYS.items() if key.key == problem.key), "")
        return Problem(self._names.get(column, problem.key), problem.message)

    def _compare(self, group: _Group) -> None:
        """Count the cells that say something else than what is written for them."""
        for row, line in zip(group.rows, sorted(self.lines, key=_number_of), strict=True):
            written = dict(zip(HEADER, map(str, line), strict=True))
            for field, (column, what) in _COMPARED.items():
                if row.cells.get(field, written[column]) != written[column]:
                    self._reported[f"column “{self._names[field]}”, {what}"] += 1


def _number_of(line: tuple[object, ...]) -> Any:
    return line[0]


def _record(group: _Group) -> dict[str, Any]:
    """As published; what the published record must have and the table has not is empty there."""
    cells = group.rows[0].cells
    columns: dict[str, Any] = dict.fromkeys(COLUMNS)
    for column, key in _KEYS.items():
        needed = key.valid_needs or key in RECORD_KEYS
        columns[column] = cells.get(column, "") or ("" if needed else None)
    columns["validity"] = columns["validity"] or VALID
    types = {key: columns[column] for key, column in TYPE_COLUMNS.items() if columns[column]}
    columns["taxonomy"] = [[key, value] for key, value in types.items()] or None
    slots = [
        Slot(n, row.cells["question"], row.cells["answer_1"], row.cells["answer_2"])
        for n, row in enumerate(group.rows, 1)
    ]
    return build(columns, slots)


def _text(lines: Iterable[Iterable[object]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(lines)
    return buffer.getvalue()

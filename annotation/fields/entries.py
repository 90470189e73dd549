"""An annotation's columns as the entries of the form, and back.

The form has one field for each dimension of the taxonomy; the row has one list of pairs in the order of choice.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.fields.steps import QUESTIONS, STEPS, TYPE_FIELDS
from annotation.fields.walker import Entries, fields_of, row_begun
from annotation.models import Annotation, Question
from datasets.taxonomy import DIMENSIONS

FIELDS = fields_of(STEPS)
NAMES = tuple(FIELDS)
COLUMNS = tuple(name for name in NAMES if name not in (*TYPE_FIELDS, QUESTIONS.name))
QUESTION_COLUMNS = tuple(column.name for column in QUESTIONS.fields)
DIMENSION_OF = {
    name: dimension.key for name, dimension in zip(TYPE_FIELDS, DIMENSIONS, strict=True)
}


def entries_of(annotation: Annotation) -> dict[str, Any]:
    """The form's entries for this annotation: every field of every step."""
    columns = {name: getattr(annotation, name) for name in (*COLUMNS, "taxonomy")}
    asked = Question.objects.filter(annotation=annotation).order_by("n")
    return entries_in(columns, list(asked.values(*QUESTION_COLUMNS)))


def entries_in(columns: Mapping[str, Any], questions: Sequence[Entries]) -> dict[str, Any]:
    """The entries of an annotation with these columns and questions."""
    entries: dict[str, Any] = {name: columns[name] for name in COLUMNS}
    for name, key in DIMENSION_OF.items():
        entries[name] = [pair[1] for pair in columns["taxonomy"] if pair[0] == key]
    entries[QUESTIONS.name] = questions
    return {name: entries[name] for name in NAMES}


def columns_of(changes: Entries, taxonomy: list[list[str]]) -> dict[str, Any]:
    """The columns that `changes` set; `taxonomy` is the current list, whose order is kept."""
    columns: dict[str, Any] = {name: changes[name] for name in COLUMNS if name in changes}
    chosen = {DIMENSION_OF[name]: changes[name] for name in TYPE_FIELDS if name in changes}
    if chosen:
        stays = [pair for pair in taxonomy if pair[0] not in chosen or pair[1] in chosen[pair[0]]]
        new = [[key, value] for key, values in chosen.items() for value in values]
        columns["taxonomy"] = stays + [pair for pair in new if pair not in stays]
    return columns


def replace_questions(
    annotation: Annotation, rows: Iterable[Mapping[str, Any]], *, had_some: bool = True
) -> None:
    """Make `rows` the annotation's questions, numbered from 1. Call inside the transaction that saves it."""
    if had_some:
        annotation.questions.all().delete()
    Question.objects.bulk_create(
        Question(annotation=annotation, n=n, **row) for n, row in enumerate(rows, start=1)
    )


def same_entries(first: Entries, second: Entries) -> bool:
    """Whether both are equal; the order of a dimension's options does not count."""
    return not differing(first, second)


def differing(first: Entries, second: Entries, names: Iterable[str] = NAMES) -> list[str]:
    return [name for name in names if _plain(name, first) != _plain(name, second)]


def without_empty_rows(entries: Entries) -> dict[str, Any]:
    """The entries with the questions that were begun: a form always shows one more."""
    rows = [row for row in entries[QUESTIONS.name] if row_begun(QUESTIONS, row)]
    return {**entries, QUESTIONS.name: rows}


def _plain(name: str, entries: Entries) -> Any:
    value = entries.get(name)
    return sorted(value or []) if name in TYPE_FIELDS else value

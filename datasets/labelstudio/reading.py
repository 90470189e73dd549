"""Tasks of a Label Studio export as records of WikiContradict: its JSON, and its JSON_MIN. Pure.

The study's labelling configuration names its controls as the published record names its keys (controls.py).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import Any, NamedTuple

from datasets.labelstudio.controls import DATA, OPTIONAL_DATA, ControlKind, kind_of_control
from datasets.schema import (
    ANNOTATION,
    TAXONOMY,
    TYPE_COLUMNS,
    Parsed,
    Problem,
    RecordRefused,
    kind_of,
    parse,
    types_of,
)
from datasets.taxonomy import dimension

# What a task has besides its data and annotations, in the exports of Label Studio 0.9 to 1.23.
_OF_TASK = {
    "id", "annotations", "completions", "predictions", "drafts", "meta", "created_at", "updated_at", "inner_id",
    "allow_skip", "total_annotations", "cancelled_annotations", "total_predictions", "comment_count",
    "unresolved_comment_count", "last_comment_updated_at", "project", "updated_by", "comment_authors", "file_upload",
    "annotator", "annotation_id", "lead_time", "agreement", "overlap", "is_labeled",
}  # fmt: skip
_SHOWN = 30
# A file may have a new name in each task: so many different kinds are counted, and all others as one.
_MOST_KINDS = 1000
_FURTHER = "further kinds"
_KEY_OF_TYPE = {column: key for key, column in TYPE_COLUMNS.items()}


def lines_of(reported: Counter[str]) -> list[str]:
    """What was counted, a line each, the most frequent first; all that is rarer is one line."""
    named = Counter({what: n for what, n in reported.items() if what != _FURTHER})
    shown = named.most_common(_SHOWN)
    found = [f"{what}: {n}" for what, n in shown]
    others = reported.total() - sum(n for _, n in shown)
    return [*found, f"{_FURTHER}: {others}"] if others else found


class Taken(StrEnum):
    """Which annotation of a task becomes its record."""

    LATEST = "latest"
    GROUND_TRUTH = "ground-truth"
    ONE_ANNOTATOR = "annotator"


class Wanted(NamedTuple):
    """`annotator`: the number or e-mail address by which Label Studio names a person; for ONE_ANNOTATOR."""

    taken: Taken = Taken.LATEST
    annotator: str = ""


def wanted_of(text: str) -> Wanted:
    """From one word: "latest", "ground-truth", or an annotator's number or e-mail address."""
    if text in (Taken.LATEST, Taken.GROUND_TRUTH):
        return Wanted(Taken(text))
    return Wanted(Taken.ONE_ANNOTATOR, text)


@dataclass(frozen=True)
class _Made:
    """An annotation: whose, and its results by control."""

    by: frozenset[str]
    at: str
    is_cancelled: bool
    is_ground_truth: bool
    results: Sequence[Any]

    @property
    def name(self) -> str:
        return min(self.by, key=lambda name: ("@" not in name, name)) if self.by else "unknown"


@dataclass
class TaskReader:
    """Makes records of tasks; `reported` counts what became no part of a record."""

    wanted: Wanted = field(default_factory=Wanted)
    reported: Counter[str] = field(default_factory=Counter)

    @property
    def lines(self) -> list[str]:
        return lines_of(self.reported)

    def record(self, rows: Any) -> Parsed | None:
        """The task's record, or None where it has no annotation that is wanted. Raises RecordRefused.

        rows: a task of the JSON, or the rows of one task of a JSON_MIN.
        """
        task = rows[0] if isinstance(rows, list) and rows else rows
        if not isinstance(task, dict):
            raise RecordRefused([Problem("", f"is {kind_of(task)}, not a task")])
        made = _of_min(rows) if isinstance(rows, list) else _of_json(task)
        chosen = self._chosen(task, made)
        if chosen is None:
            return None
        data = self._data(task)
        return parse({**data, ANNOTATION: self._entries(chosen)})

    def _chosen(self, task: Mapping[str, Any], made: list[_Made]) -> _Made | None:
        whole = [one for one in made if not one.is_cancelled]
        self._count("cancelled annotations", len(made) - len(whole))
        if not whole:
            others = ", with predictions alone" if not made and task.get("predictions") else ""
            self._count(f"tasks without an annotation{others}")
            return None
        fitting = [one for one in whole if self._fits(one)]
        chosen = max(fitting, key=lambda one: one.at) if fitting else None
        if chosen is None:
            self._count("tasks without the wanted annotation")
        for one in whole:
            if one is not chosen:
                self._count(f"annotations of annotator {one.name[:60]}, not taken")
        return chosen

    def _fits(self, one: _Made) -> bool:
        if self.wanted.taken is Taken.GROUND_TRUTH:
            return one.is_ground_truth
        if self.wanted.taken is Taken.ONE_ANNOTATOR:
            return self.wanted.annotator.strip().casefold() in one.by
        return True

    def _data(self, task: Mapping[str, Any]) -> dict[str, Any]:
        given = task.get("data", task)
        if not isinstance(given, dict):
            raise RecordRefused([Problem("data", f"is {kind_of(given)}, not an object")])
        rest = given.keys() - set(DATA)
        if given is task:
            rest = {name for name in rest - _OF_TASK if not kind_of_control(name)}
        for name in sorted(rest):
            self._count(f"data {name[:60]!r}, not kept")
        return {name: given[name] for name in DATA if name in given} | {
            name: "" for name in OPTIONAL_DATA if name not in given
        }

    def _entries(self, made: _Made) -> dict[str, Any]:
        """The annotation as the record has it. Raises RecordRefused with the problem of each control."""
        entries: dict[str, Any] = {}
        problems: list[Problem] = []
        for result in made.results:
            name, kind, value = _result(result)
            if kind is None:
                self._count(f"results of the control {name[:60]!r}, which the study's form lacks")
            elif name in entries:
                problems.append(Problem(name, "has two results. Keep one in Label Studio"))
            else:
                try:
                    entries[name] = self._entry(name, kind, value)
                except RecordRefused as refused:
                    problems += refused.problems
        if problems:
            raise RecordRefused(problems)
        types = types_of(entries.get(TAXONOMY, ()))
        return entries | {_KEY_OF_TYPE[column]: option for column, option in types.items()}

    def _entry(self, name: str, kind: ControlKind, value: Any) -> Any:
        if kind is ControlKind.RATING:
            if not isinstance(value, int) or isinstance(value, bool):
                raise RecordRefused([Problem(name, f"is {kind_of(value)}, not a rating")])
            return str(value)
        if not isinstance(value, list):
            raise RecordRefused([Problem(name, f"is {kind_of(value)}, not a list")])
        if kind is ControlKind.TAXONOMY:
            wrong = [
                Problem(name, f"entry {place} is not [dimension] or [dimension, option]")
                for place, path in enumerate(value, 1)
                if not _is_path(path)
            ]
            if wrong:
                raise RecordRefused(wrong)
            return [self._path(path) for path in value]
        if not all(isinstance(text, str) for text in value):
            raise RecordRefused([Problem(name, "holds what is not text")])
        if kind is ControlKind.CHOICES and len(value) != 1:
            raise RecordRefused([Problem(name, f"has {len(value)} choices, not one")])
        if len(value) > 1:
            self._count(f"texts of several parts in {name!r}, joined by line feeds")
        return "\n".join(value)

    def _path(self, path: list[str]) -> list[str]:
        """[dimension, option], with the option as the taxonomy spells it: two end in a blank."""
        known = dimension(path[0])
        if known is None or len(path) == 1 or path[1] in known.values:
            return path
        for option in known.values:
            if option.strip() == path[1].strip():
                self._count("options without the blank at their end, which the taxonomy has")
                return [path[0], option]
        return path

    def _count(self, what: str, n: int = 1) -> None:
        if n:
            is_room = what in self.reported or len(self.reported) < _MOST_KINDS
            self.reported[what if is_room else _FURTHER] += n


def _is_path(path: Any) -> bool:
    """Whether it is [dimension] or [dimension, option]."""
    if not isinstance(path, list) or len(path) not in (1, 2):
        return False
    return all(isinstance(text, str) for text in path)


def tasks_in(values: Iterable[Any]) -> Iterator[Any]:
    """The tasks of a JSON, or of a JSON_MIN, whose rows of one task follow each other, a list for each task."""

    def task_of(row: Any) -> object:
        is_row = isinstance(row, dict) and not row.keys() & {"annotations", "completions", "data"}
        return (row["id"],) if is_row and isinstance(row.get("id"), int) else object()

    for key, rows in groupby(values, task_of):
        group = list(rows)
        yield group if isinstance(key, tuple) else group[0]


def _of_json(task: Mapping[str, Any]) -> list[_Made]:
    given = task.get("annotations", task.get("completions", []))
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise RecordRefused([Problem("annotations", "is not a list of annotations")])
    return [
        _Made(
            _names(one.get("completed_by")),
            str(one.get("updated_at") or one.get("created_at") or ""),
            bool(one.get("was_cancelled") or one.get("skipped")),
            bool(one.get("ground_truth") or one.get("honeypot")),
            _listed(one.get("result")),
        )
        for one in given
    ]


def _of_min(rows: list[dict[str, Any]]) -> list[_Made]:
    """A row has its results by control, and says neither what was cancelled nor what is a ground truth."""
    return [
        _Made(
            _names(row["annotator"]),
            str(row.get("updated_at") or row.get("created_at") or ""),
            is_cancelled=False,
            is_ground_truth=False,
            results=[(name, _flat(value)) for name, value in row.items() if kind_of_control(name)],
        )
        for row in rows
        if row.get("annotator") is not None
    ]


def _listed(results: Any) -> list[Any]:
    if not isinstance(results, list):
        raise RecordRefused([Problem("result", f"is {kind_of(results)}, not a list of results")])
    return results


def _names(person: Any) -> frozenset[str]:
    """The number and the e-mail address of an annotator, which is given as a number or an object."""
    given = [person.get("id"), person.get("email")] if isinstance(person, dict) else [person]
    return frozenset(str(name).casefold() for name in given if isinstance(name, int | str))


def _flat(value: Any) -> Any:
    """The value of a row of JSON_MIN as that of a result: a text stands alone, other values in lists of objects."""
    if (
        isinstance(value, list)
        and len(value) == 1
        and isinstance(value[0], dict)
        and len(value[0]) == 1
    ):
        [inner] = value[0].values()
        return inner
    return [value] if isinstance(value, str) else value


def _result(result: Any) -> tuple[str, ControlKind | None, Any]:
    """Its control, that control's kind if the study's form has it, and its value."""
    if isinstance(result, tuple):
        name, value = result
        return name, kind_of_control(name), value
    if not isinstance(result, dict):
        raise RecordRefused([Problem("result", f"has {kind_of(result)}, not a result")])
    name = result.get("from_name")
    if not isinstance(name, str):
        return str(result.get("type", "")), None, None
    kind, value = kind_of_control(name), result.get("value")
    if kind and not (isinstance(value, dict) and kind.value_key in value):
        raise RecordRefused([Problem(name, f"has no value {kind.value_key!r}")])
    return name, kind, value[kind.value_key] if kind and isinstance(value, dict) else None

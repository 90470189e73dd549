"""Tasks of a Label Studio export as records of WikiContradict: its JSON, and its JSON_MIN. Pure.

The study's labelling configuration names its controls as the published record names its keys (controls.py).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from datasets.labelstudio.controls import (
    DATA,
    OPTIONAL_DATA,
    PSEUDONYM,
    ControlKind,
)
from datasets.labelstudio.made import MOST_ROWS, Made, Result, of_json, of_min, result_in
from datasets.labelstudio.naming import DATUM, Found, Names, key_of, kind_of_key
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
    "annotator", "annotation_id", "lead_time", "agreement", "overlap", "is_labeled", PSEUDONYM,
}  # fmt: skip
_SHOWN = 30
# A file may have a new name in each task: so many different kinds are counted, and all others as one.
_MOST_KINDS = 1000
_FURTHER = "further kinds"
# By kind, which values of a result are taken. A choice is a text too, and a number a rating.
_TAKEN = {kind: (kind.value_key,) for kind in ControlKind} | {
    ControlKind.TEXTAREA: ("text", "choices"),
    ControlKind.RATING: ("rating", "number"),
}
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
    """`annotator`: the number, e-mail address or pseudonym by which the file names a person; for ONE_ANNOTATOR.

    names: for controls, and data of tasks, that have another name than the study's: their keys in the record.
    """

    taken: Taken = Taken.LATEST
    annotator: str = ""
    names: Names = MappingProxyType({})


def wanted_of(text: str, names: Names = MappingProxyType({})) -> Wanted:
    """From one word: "latest", "ground-truth", or an annotator's number, e-mail address or pseudonym."""
    if text in (Taken.LATEST, Taken.GROUND_TRUTH):
        return Wanted(Taken(text), names=names)
    return Wanted(Taken.ONE_ANNOTATOR, text, names)


@dataclass
class TaskReader:
    """Makes records of tasks; `reported` counts what became no part of a record, `found` says what is in them."""

    wanted: Wanted = field(default_factory=Wanted)
    reported: Counter[str] = field(default_factory=Counter)
    found: Found = field(default_factory=Found)

    @property
    def lines(self) -> list[str]:
        return lines_of(self.reported)

    @property
    def advice(self) -> str:
        """What to do where no task gives a record."""
        if self.found.annotators and self.wanted.taken is Taken.GROUND_TRUTH:
            return (
                "No annotation is marked as a ground truth, which JSON_MIN never says. Mark them in Label Studio and "
                "export JSON, or take the latest annotation."
            )
        if self.found.annotators:
            return "Name another annotator, or take the latest annotation."
        return (
            "Only annotations that were submitted are imported; predictions, drafts and cancelled ones are not. Submit "
            "annotations in Label Studio, and export the tasks again."
        )

    def record(self, rows: Any) -> Parsed | None:
        """The task's record, or None where it has no annotation that is wanted. Raises RecordRefused.

        rows: a task of the JSON, or the rows of one task of a JSON_MIN.
        """
        task = rows[0] if isinstance(rows, list) and rows else rows
        if not isinstance(task, dict):
            raise RecordRefused([Problem("", f"is {kind_of(task)}, not a task")])
        if isinstance(rows, list) and len(rows) > MOST_ROWS:
            raise RecordRefused([Problem("id", f"is that of over {MOST_ROWS} rows of the file")])
        made = self._of_min(rows) if isinstance(rows, list) else of_json(task)
        chosen = self._chosen(task, made)
        if chosen is None:
            return None
        data = self._data(task)
        return parse({**data, ANNOTATION: self._entries(chosen)})

    def _of_min(self, rows: list[dict[str, Any]]) -> list[Made]:
        return of_min(rows, {name for row in rows for name in row if self._key(name)})

    def _key(self, name: str) -> str:
        """The key of an annotation that a control stands for; "" for none."""
        key = key_of(name, self.wanted.names)
        return "" if key in DATA else key

    def _chosen(self, task: Mapping[str, Any], made: list[Made]) -> Made | None:
        whole = [one for one in made if not one.is_cancelled]
        self._count("cancelled annotations", len(made) - len(whole))
        drafts = task.get("drafts")
        self._count("drafts", len(drafts) if isinstance(drafts, list) else 0)
        for one in whole:
            self.found.note_annotator(one.name)
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

    def _fits(self, one: Made) -> bool:
        if self.wanted.taken is Taken.GROUND_TRUTH:
            return one.is_ground_truth
        if self.wanted.taken is Taken.ONE_ANNOTATOR:
            return self.wanted.annotator.strip().casefold() in (one.by or {one.name})
        return True

    def _data(self, task: Mapping[str, Any]) -> dict[str, Any]:
        given = task.get("data", task)
        if not isinstance(given, dict):
            raise RecordRefused([Problem("data", f"is {kind_of(given)}, not an object")])
        named = {self._datum(name): value for name, value in given.items()}
        if len(named) < len(given):
            raise RecordRefused([Problem("data", "has two keys that stand for the same")])
        rest = named.keys() - set(DATA)
        if given is task:
            rest = {name for name in rest - _OF_TASK if not self._key(name)}
        for name in sorted(rest):
            self.found.note(Result(name, "" if given is task else DATUM, named[name]))
            self._count(f"data {name[:60]!r}, not kept")
        return {name: named[name] for name in DATA if name in named} | {
            name: "" for name in OPTIONAL_DATA if name not in named
        }

    def _datum(self, name: str) -> str:
        key = self.wanted.names.get(name, "")
        return key if key in DATA else name

    def _entries(self, made: Made) -> dict[str, Any]:
        """The annotation as the record has it. Raises RecordRefused with the problem of each control."""
        entries: dict[str, Any] = {}
        problems: list[Problem] = []
        for given in made.results:
            result = result_in(given)
            if result.control == PSEUDONYM:
                continue
            self.found.note(result)
            name = self._key(result.control)
            if not name:
                kind = f" ({result.kind[:60]})" if result.kind != result.control else ""
                lacking = f"results of the control {result.control[:60]!r}{kind}"
                self._count(f"{lacking}, which the study's form lacks")
            elif name in entries:
                problems.append(Problem(name, "has two results. Keep one in Label Studio"))
            else:
                try:
                    entries[name] = self._entry(name, result)
                except RecordRefused as refused:
                    problems += refused.problems
        if problems:
            raise RecordRefused(problems)
        self._join_types(entries)
        types = types_of(entries.get(TAXONOMY, ()))
        return entries | {_KEY_OF_TYPE[column]: option for column, option in types.items()}

    def _join_types(self, entries: dict[str, Any]) -> None:
        """Make dimensions that have a control of their own entries of the taxonomy."""
        for key in TYPE_COLUMNS:
            if key in entries:
                paths = [self._path([key, option]) for option in entries.pop(key)]
                entries[TAXONOMY] = [*entries.get(TAXONOMY, ()), *paths]

    def _entry(self, name: str, result: Result) -> Any:
        kind = kind_of_key(name)
        assert kind
        value = _held(name, kind, result)
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
        if name in TYPE_COLUMNS:
            return value
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


def _held(name: str, kind: ControlKind, result: Result) -> Any:
    """What the result has for a key of this kind. Raises RecordRefused for a control of another kind."""
    value = result.value
    if isinstance(value, dict):
        for key in _TAKEN[kind]:
            if key in value:
                return value[key]
    elif not result.kind:
        return value  # of a JSON_MIN
    raise RecordRefused([Problem(name, f"has no value {kind.value_key!r}")])

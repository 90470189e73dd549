"""What a task holds: annotations, each with its results, of a JSON or of the rows of a JSON_MIN. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any, NamedTuple

from datasets.labelstudio.controls import PSEUDONYM
from datasets.schema import Problem, RecordRefused, kind_of

MOST_ROWS = 1_000  # annotations of a task


class Result(NamedTuple):
    """What was entered in a control. kind: its type in Label Studio; "" in a JSON_MIN, which names none."""

    control: str
    kind: str
    value: Any


@dataclass(frozen=True)
class Made:
    """An annotation: by what names its annotator is known, when, and its results as the file has them."""

    by: frozenset[str]
    at: str
    is_cancelled: bool
    is_ground_truth: bool
    results: Sequence[Any]

    @property
    def name(self) -> str:
        return min(self.by, key=lambda name: ("@" not in name, name)) if self.by else "unknown"


def tasks_in(values: Iterable[Any]) -> Iterator[Any]:
    """The tasks of a JSON, or of a JSON_MIN, whose rows of one task follow each other, a list for each task.

    Of a task with more than MOST_ROWS rows a list of one more, the others are skipped.
    """

    def task_of(row: Any) -> object:
        is_row = isinstance(row, dict) and not row.keys() & {"annotations", "completions", "data"}
        return (row["id"],) if is_row and isinstance(row.get("id"), int) else object()

    for key, rows in groupby(values, task_of):
        group = list(islice(rows, MOST_ROWS + 1))
        yield group if isinstance(key, tuple) else group[0]


def of_json(task: Mapping[str, Any]) -> list[Made]:
    """Raises RecordRefused."""
    given = task.get("annotations", task.get("completions", []))
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise RecordRefused([Problem("annotations", "is not a list of annotations")])
    made = []
    for one in given:
        results = one.get("result")
        if not isinstance(results, list):
            raise RecordRefused(
                [Problem("result", f"is {kind_of(results)}, not a list of results")]
            )
        made.append(
            Made(
                _signed(results) or _names(one.get("completed_by")),
                str(one.get("updated_at") or one.get("created_at") or ""),
                bool(one.get("was_cancelled") or one.get("skipped")),
                bool(one.get("ground_truth") or one.get("honeypot")),
                results,
            )
        )
    return made


def of_min(rows: list[dict[str, Any]], controls: Iterable[str]) -> list[Made]:
    """Of rows with their results by control; they say neither what was cancelled nor what is a ground truth."""
    wanted = set(controls)
    return [
        Made(
            _names(row.get(PSEUDONYM)) or _names(row["annotator"]),
            str(row.get("updated_at") or row.get("created_at") or ""),
            is_cancelled=False,
            is_ground_truth=False,
            results=[
                Result(name, "", _flat(value)) for name, value in row.items() if name in wanted
            ],
        )
        for row in rows
        if row.get("annotator") is not None
    ]


def result_in(result: Any) -> Result:
    """The result, as the file has it. Raises RecordRefused."""
    if isinstance(result, Result):
        return result
    if not isinstance(result, dict):
        raise RecordRefused([Problem("result", f"has {kind_of(result)}, not a result")])
    kind = str(result.get("type", ""))
    name = result.get("from_name")
    return Result(name if isinstance(name, str) else kind, kind, result.get("value"))


def _signed(results: list[Any]) -> frozenset[str]:
    """The pseudonym that the annotation has in a control; it counts instead of whoever imported it."""
    for result in results:
        if isinstance(result, dict) and result.get("from_name") == PSEUDONYM:
            value = result.get("value")
            texts = value.get("text") if isinstance(value, dict) else None
            return _names(texts[0]) if isinstance(texts, list) and texts else frozenset()
    return frozenset()


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

"""A record of WikiContradict as a task of Label Studio. Pure."""

from collections.abc import Mapping
from typing import Any

from datasets.labelstudio.controls import PSEUDONYM, SEEN, ControlKind, kind_of_control
from datasets.schema import ANNOTATION

Record = Mapping[str, Any]
MOST = 5  # the highest confidence


def data_of(record: Record) -> dict[str, str]:
    """What a task of this record shows."""
    return {key: value for key, value in record.items() if key != ANNOTATION}


def results_of(record: Record) -> list[dict[str, Any]]:
    """The results of an annotation with the record's entries. What is absent has none, nor an odd confidence."""
    entries = record[ANNOTATION].items()
    given = ((name, kind_of_control(name), value) for name, value in entries)
    return [
        _result(name, kind, value)
        for name, kind, value in given
        if kind and (kind is not ControlKind.RATING or _is_rating(value))
    ]


def signature(pseudonym: str) -> dict[str, Any]:
    """The result that says whose annotation it is."""
    return _result(PSEUDONYM, ControlKind.TEXTAREA, pseudonym)


def _is_rating(value: str) -> bool:
    return value.isdecimal() and 1 <= int(value[:9]) <= MOST


def _result(name: str, kind: ControlKind, value: Any) -> dict[str, Any]:
    if kind is ControlKind.RATING:
        held: Any = int(value)
    else:
        held = value if kind is ControlKind.TAXONOMY else [value]
    return {
        "id": name,
        "from_name": name,
        "to_name": SEEN,
        "type": kind.value,
        "value": {kind.value_key: held},
    }

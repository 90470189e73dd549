"""A record of WikiContradict as a task of Label Studio. Pure."""

from collections.abc import Mapping
from typing import Any

from datasets.labelstudio.controls import SEEN, ControlKind, kind_of_control
from datasets.schema import ANNOTATION

Record = Mapping[str, Any]


def data_of(record: Record) -> dict[str, str]:
    """What a task of this record shows."""
    return {key: value for key, value in record.items() if key != ANNOTATION}


def results_of(record: Record) -> list[dict[str, Any]]:
    """The results of an annotation with the record's entries. What is empty or absent has none."""
    entries = record[ANNOTATION].items()
    given = ((name, value, kind_of_control(name)) for name, value in entries)
    return [
        _result(name, kind, value)
        for name, value, kind in given
        if kind and not (kind is ControlKind.RATING and not value)
    ]


def _result(name: str, kind: ControlKind, value: Any) -> dict[str, Any]:
    held = {
        ControlKind.CHOICES: lambda: [value],
        ControlKind.TEXTAREA: lambda: [value],
        ControlKind.TAXONOMY: lambda: value,
        ControlKind.RATING: lambda: int(value),
    }[kind]()
    return {
        "id": name,
        "from_name": name,
        "to_name": SEEN,
        "type": kind.value,
        "value": {kind.value_key: held},
    }

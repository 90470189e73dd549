"""JSON Schemas of the data lines. Pure."""

import json
from collections.abc import Sequence
from typing import Any

from datasets.releasing.bundle.fields import Field, Type

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema(title: str, fields: Sequence[Field]) -> bytes:
    """The schema of a line, as a file."""
    whole = {
        "$schema": _DIALECT,
        "title": title,
        "type": "object",
        "properties": {field.name: _property(field) for field in fields},
        "required": [field.name for field in fields],
        "additionalProperties": False,
    }
    return json.dumps(whole, ensure_ascii=False, indent=2).encode("utf-8") + b"\n"


def _property(field: Field) -> dict[str, Any]:
    about = {"description": field.about}
    if field.type == Type.DATA:
        return {"type": ["object", "array"], **about}
    if field.type == Type.TEXTS:
        kind: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
    else:
        kind = {"type": field.type.value}
    if field.can_be_null:
        kind["type"] = [kind["type"], "null"]
    return kind | about

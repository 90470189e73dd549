"""The identity of a record, by its content. Pure."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def canonical(record: Mapping[str, Any]) -> bytes:
    """The record as UTF-8 JSON with sorted keys and no blanks: equal data gives equal bytes."""
    text = json.dumps(
        record, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return text.encode("utf-8")


def external_id(record: Mapping[str, Any]) -> str:
    """The sha256 of the whole record, 64 hexadecimal digits.

    The whole record, since two published ones share title, tag and paragraph and differ in their questions.
    """
    return hashlib.sha256(canonical(record)).hexdigest()


def repeated(identity: str, time: int) -> str:
    """The identity of a row with the content of an earlier version, for the second, third … time."""
    return hashlib.sha256(canonical({"again": identity, "time": time})).hexdigest()

"""Checksums of rows: the same rows give the same checksum in any order and from any database. Pure."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

MODULUS = 2**256
OF_MANY_FORMS = (float, list, dict)


@dataclass
class Checksum:
    """The number of rows, and the sum of their SHA-256 hashes modulo 2**256."""

    rows: int = 0
    total: int = 0

    def add(self, row: Sequence[Any], *, nested: bool = True) -> None:
        """`nested`: whether a value may be an object or an array; databases write those in different ways."""
        values = [plain(v) if isinstance(v, OF_MANY_FORMS) else v for v in row] if nested else row
        line = json.dumps(values, separators=(",", ":"), sort_keys=nested)
        self.rows += 1
        self.total = (self.total + int.from_bytes(sha256(line.encode("ascii")).digest())) % MODULUS

    @property
    def hash(self) -> str:
        return f"{self.total:064x}"


def plain(value: Any) -> Any:
    """The value with every whole number as an integer: PostgreSQL returns 1e16 as 10000000000000000."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value

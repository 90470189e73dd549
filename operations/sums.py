"""What rows say, summed: the same rows give the same sum in every order and from every database. Pure."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

MODULUS = 2**256
OF_MANY_FORMS = (float, list, dict)


@dataclass
class Sum:
    """How many rows there were, and the sum of their hashes."""

    rows: int = 0
    total: int = 0

    def add(self, row: Sequence[Any], *, nested: bool = True) -> None:
        """`nested`: whether a value may be an object or an array, whose written forms differ by database."""
        said = [plain(v) if isinstance(v, OF_MANY_FORMS) else v for v in row] if nested else row
        line = json.dumps(said, separators=(",", ":"), sort_keys=nested)
        self.rows += 1
        self.total = (self.total + int.from_bytes(sha256(line.encode("ascii")).digest())) % MODULUS

    @property
    def hash(self) -> str:
        return f"{self.total:064x}"


def plain(value: Any) -> Any:
    """The value with every whole number as an integer: PostgreSQL gives back 1e16 as 10000000000000000."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value

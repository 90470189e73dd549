"""What was compared with the report, what differs, and what there was no way to compute."""

from collections import Counter
from collections.abc import Mapping
from math import isclose
from typing import Any

Data = Mapping[str, Any]  # a part of the report or of the manifest, or a row


class Findings:
    """`wrong` names each difference in words; `skipped` counts the numbers that were not recomputed, by kind."""

    def __init__(self) -> None:
        self.checked = 0
        self.wrong: list[str] = []
        self.skipped: Counter[str] = Counter()

    def compare(self, where: str, entry: Data, key: str, computed: Any) -> None:
        """`entry[key]` is in the report, `computed` comes from rows or counts."""
        self.checked += 1
        if not same(entry[key], computed):
            self.wrong.append(f"{where}: the report has {entry[key]}, computed is {computed}.")

    def compare_all(self, where: str, entry: Data, computed: Data) -> None:
        """Each number of `computed` with that of the same name in the report."""
        for name, value in computed.items():
            self.compare(f"{name} of {where}", entry, name, value)

    def skip(self, what: str, n: int = 1) -> None:
        if n:
            self.skipped[what] += n

    def in_words(self) -> list[str]:
        outcome = f"{len(self.wrong)} differ" if self.wrong else "all equal"
        return [
            *self.wrong,
            f"{self.checked} numbers compared: {outcome}.",
            *(f"Not recomputed: {name} ({n})." for name, n in sorted(self.skipped.items())),
        ]


def same(reported: Any, computed: Any) -> bool:
    """Whether two values are equal, numbers but for rounding."""
    if isinstance(reported, list) and isinstance(computed, list):
        return len(reported) == len(computed) and all(map(same, reported, computed))
    if isinstance(reported, int | float) and isinstance(computed, int | float):
        return isclose(reported, computed, rel_tol=1e-9, abs_tol=1e-9)
    return bool(reported == computed)

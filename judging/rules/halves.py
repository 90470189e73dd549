"""The two halves of a study's clusters: one to choose a judge prompt on, one to measure it on. Pure.

Whole clusters, which are articles unless a protocol names another field, because responses to one are alike: a prompt
that was tuned on some knows the others.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from datasets.drawing import lot

HALVES = HELD_OUT, DEVELOPMENT = ("held_out", "development")


@dataclass(frozen=True)
class Halves:
    """The clusters of each half."""

    development: frozenset[str]
    held_out: frozenset[str]

    def of(self, half: str) -> frozenset[str]:
        return self.held_out if half == HELD_OUT else self.development


def split(seed: int, clusters: Iterable[str]) -> Halves:
    """The halves that the seed draws; of an odd number the held-out half is the larger one."""
    drawn = sorted(set(clusters), key=lambda name: (lot(seed, "half", name), name))
    size = len(drawn) // 2
    return Halves(frozenset(drawn[:size]), frozenset(drawn[size:]))

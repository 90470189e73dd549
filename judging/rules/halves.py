"""The two halves of a study's articles: one to choose a judge prompt on, one to measure it on. Pure.

Whole articles, because responses to one article are alike: a prompt that was tuned on some knows the others.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from datasets.drawing import lot

HALVES = HELD_OUT, DEVELOPMENT = ("held_out", "development")


@dataclass(frozen=True)
class Halves:
    """The titles of each half."""

    development: frozenset[str]
    held_out: frozenset[str]

    def titles_of(self, half: str) -> frozenset[str]:
        return self.held_out if half == HELD_OUT else self.development


def split(seed: int, titles: Iterable[str]) -> Halves:
    """The halves that the seed draws; of an odd number the held-out half is the larger one."""
    drawn = sorted(set(titles), key=lambda title: (lot(seed, "half", title), title))
    size = len(drawn) // 2
    return Halves(frozenset(drawn[:size]), frozenset(drawn[size:]))

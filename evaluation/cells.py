"""Intervals by resampling articles for the cells of the tables of verdicts. Pure.

All lines of one slice share their draws, so that a table costs a few matrix products however many cells it has.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.bootstrap import Floats, Plan, Resampled, intervals
from evaluation.remembering import remembered
from evaluation.stacked import ratio
from evaluation.tables import ALL

Place = tuple[str, str, str]  # prompt, model, slice


@dataclass(frozen=True)
class Tally:
    """`count` responses of a model to a prompt, from one article, that share reasoning, passages and verdict."""

    model: str
    prompt: str
    article: str
    reasoning: str
    same_passage: bool
    verdict: str
    count: int


@remembered
def resampled(
    tallies: Sequence[Tally],
    places: Sequence[Place],
    verdicts: Sequence[str],
    one_passage: Collection[str],
    plan: Plan,
) -> dict[tuple[str, str, str, str], Resampled]:
    """(prompt, model, slice, verdict) -> the interval of its share, for each place and verdict.

    Lines of one slice whose n leaves the same questions out are drawn together.
    """
    found: dict[tuple[str, str, str, str], Resampled] = {}
    for one in (True, False):
        for part in dict.fromkeys(place[2] for place in places):
            lines = [
                place for place in places if place[2] == part and (place[0] in one_passage) == one
            ]
            asked = {place[:2] for place in lines}
            inside = [
                tally
                for tally in tallies
                if part in (ALL, tally.reasoning)
                and (tally.prompt, tally.model) in asked
                and not (one and tally.same_passage)
            ]
            found |= _together(inside, lines, verdicts, plan)
    return found


def _together(
    tallies: Sequence[Tally], lines: Sequence[Place], verdicts: Sequence[str], plan: Plan
) -> dict[tuple[str, str, str, str], Resampled]:
    if not lines or not tallies:
        return {}
    line = {place[:2]: row for row, place in enumerate(lines)}
    articles: dict[str, int] = {}
    for tally in tallies:
        articles.setdefault(tally.article, len(articles))
    sums = np.zeros((len(articles), len(lines), len(verdicts)))
    for tally in tallies:
        row = line[tally.prompt, tally.model]
        sums[articles[tally.article], row, verdicts.index(tally.verdict)] += tally.count
    size = len(verdicts)

    def shares(flat: Floats) -> Floats:
        """features x … to features x …: each verdict's count over its line's."""
        counts = flat.reshape(len(lines), size, *flat.shape[1:])
        return ratio(counts, counts.sum(axis=1, keepdims=True)).reshape(flat.shape)

    def asked(flat: Floats) -> NDArray[np.bool_]:
        """features x articles to features x articles: whether an article has any response on that line."""
        counts = flat.reshape(len(lines), size, *flat.shape[1:]).sum(axis=1)
        return np.repeat(counts > 0, size, axis=0)

    found = iter(intervals(sums.reshape(len(articles), -1), shares, plan, behind=asked))
    return {(*place, verdict): next(found) for place in lines for verdict in verdicts}

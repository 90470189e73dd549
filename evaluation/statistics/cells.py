"""Intervals by resampling articles for the cells of the tables of verdicts. Pure.

All lines of one slice share their draws, so that a table costs a few matrix products however many cells it has.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bootstrap import Resampled, ResamplePlan, intervals
from .chance import Floats, ratio
from .columns import Places
from .tables import ALL, Tallies

Place = tuple[str, str, str]  # prompt, model, slice


class CellCounts(NamedTuple):
    """Arrays of an entry each: the numbers of an article, a line and a verdict, and how many responses have them."""

    articles: Places
    lines: Places
    verdicts: Places
    counts: Places


def resampled(
    tallies: Tallies,
    places: Sequence[Place],
    verdicts: Sequence[str],
    one_passage: Collection[str],
    plan: ResamplePlan,
) -> dict[tuple[str, ...], Resampled]:
    """(prompt, model, slice, verdict) -> the interval of its share, for each place and verdict.

    Lines of one slice whose n leaves the same questions out are drawn together. Tallies without a verdict are in no
    share.
    """
    by_place: dict[tuple[str, ...], Resampled] = {}
    verdict, same = tallies.verdict.on(verdicts), tallies.same_passage.among({True})
    for single in (True, False):
        for part in dict.fromkeys(place[2] for place in places):
            lines = [p for p in places if p[2] == part and (p[0] in one_passage) == single]
            line = _lines(tallies, lines)
            inside = part == ALL or tallies.reasoning.among({part})
            kept = (verdict >= 0) & (line >= 0) & inside & ~(single & same)
            columns = (tallies.article.at, line, verdict, tallies.count.numbers())
            counted = CellCounts(*(column[kept] for column in columns))
            by_place |= of_lines(counted, lines, verdicts, plan)
    return by_place


def _lines(tallies: Tallies, lines: Sequence[Place]) -> Places:
    """The number of each tally's line, -1 where it is on none."""
    number = {(prompt, model): n for n, (prompt, model, _) in enumerate(lines)}
    prompts, models = tallies.prompt, tallies.model
    numbers = [[number.get((prompt, of), -1) for of in models.values] for prompt in prompts.values]
    table = np.array(numbers, dtype=np.intp).reshape(len(prompts.values), len(models.values))
    return np.asarray(table[prompts.at, models.at])


def of_lines(
    counted: CellCounts,
    lines: Sequence[tuple[str, ...]],
    verdicts: Sequence[str],
    plan: ResamplePlan,
) -> dict[tuple[str, ...], Resampled]:
    """(*line, verdict) -> the interval of the verdict's share of a line's responses; all share their draws."""
    if not len(counted.articles):
        return {}
    size = len(verdicts)
    shape = (int(counted.articles.max()) + 1, len(lines), size)
    cells = np.ravel_multi_index(counted[:3], shape)
    sums = np.zeros((shape[0], len(lines) * size))
    np.add.at(sums.reshape(-1), cells, counted.counts)

    def shares(flat: Floats) -> Floats:
        """features x … to features x …: each verdict's count over its line's."""
        counts = flat.reshape(len(lines), size, *flat.shape[1:])
        return ratio(counts, counts.sum(axis=1, keepdims=True)).reshape(flat.shape)

    def asked(flat: Floats) -> NDArray[np.bool_]:
        """features x articles to features x articles: whether an article has any response on that line."""
        counts = flat.reshape(len(lines), size, *flat.shape[1:]).sum(axis=1)
        return np.repeat(counts > 0, size, axis=0)

    drawn = iter(intervals(sums, shares, plan, sources=asked))
    return {(*line, verdict): next(drawn) for line in lines for verdict in verdicts}

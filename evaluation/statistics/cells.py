"""Intervals by resampling articles for the cells of the tables of verdicts. Pure.

All lines of one slice share their draws, so that a table costs a few matrix products however many cells it has.
"""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.bootstrap import Floats, Plan, Resampled, intervals
from evaluation.statistics.chance import ratio
from evaluation.statistics.tables import ALL, Tally
from pages.memory import FIGURES

Place = tuple[str, str, str]  # prompt, model, slice


@FIGURES.remembers
def resampled(
    tallies: Sequence[Tally],
    places: Sequence[Place],
    verdicts: Sequence[str],
    one_passage: Collection[str],
    plan: Plan,
) -> dict[tuple[str, ...], Resampled]:
    """(prompt, model, slice, verdict) -> the interval of its share, for each place and verdict.

    Lines of one slice whose n leaves the same questions out are drawn together. Tallies without a verdict are in no
    share.
    """
    by_place: dict[tuple[str, ...], Resampled] = {}
    for single in (True, False):
        for part in dict.fromkeys(place[2] for place in places):
            lines = [
                place
                for place in places
                if place[2] == part and (place[0] in one_passage) == single
            ]
            counted = [
                (tally.article, (tally.prompt, tally.model, part), tally.verdict, tally.count)
                for tally in tallies
                if tally.verdict is not None
                and part in (ALL, tally.reasoning)
                and not (single and tally.same_passage)
            ]
            here = set(lines)
            counted = [one for one in counted if one[1] in here]
            by_place |= of_lines(counted, lines, verdicts, plan)
    return by_place


def of_lines(
    counted: Sequence[tuple[str, tuple[str, ...], str, int]],
    lines: Sequence[tuple[str, ...]],
    verdicts: Sequence[str],
    plan: Plan,
) -> dict[tuple[str, ...], Resampled]:
    """(*line, verdict) -> the interval of the verdict's share of a line's responses; all share their draws.

    `counted` are the article, line and verdict of so many responses.
    """
    if not counted:
        return {}
    place = {line: row for row, line in enumerate(lines)}
    articles: dict[str, int] = {}
    for article, *_ in counted:
        articles.setdefault(article, len(articles))
    sums = np.zeros((len(articles), len(lines), len(verdicts)))
    for article, line, verdict, count in counted:
        sums[articles[article], place[line], verdicts.index(verdict)] += count
    size = len(verdicts)

    def shares(flat: Floats) -> Floats:
        """features x … to features x …: each verdict's count over its line's."""
        counts = flat.reshape(len(lines), size, *flat.shape[1:])
        return ratio(counts, counts.sum(axis=1, keepdims=True)).reshape(flat.shape)

    def asked(flat: Floats) -> NDArray[np.bool_]:
        """features x articles to features x articles: whether an article has any response on that line."""
        counts = flat.reshape(len(lines), size, *flat.shape[1:]).sum(axis=1)
        return np.repeat(counts > 0, size, axis=0)

    drawn = iter(intervals(sums.reshape(len(articles), -1), shares, plan, sources=asked))
    return {(*line, verdict): next(drawn) for line in lines for verdict in verdicts}

"""Intervals by resampling articles for the scores of a judge model, and for its verdicts and people's. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bootstrap import Resampled, ResamplePlan, intervals
from .cells import CellCounts, of_lines
from .chance import Floats, ratio
from .columns import columns
from .tables import UNPARSED

PEOPLE, JUDGE = WHOSE = ("people", "judge")


@dataclass(frozen=True)
class Both:
    """`count` responses of a model from one article, with people's verdict and the judge model's, or UNPARSED."""

    article: str
    model: str
    people: str
    reply: str
    count: int


@dataclass(frozen=True)
class ScoreIntervals:
    """Those of accuracy and macro-F, and for each label, in their order, of precision, recall and F."""

    accuracy: Resampled
    macro_f: Resampled
    precision: tuple[Resampled, ...]
    recall: tuple[Resampled, ...]
    f: tuple[Resampled, ...]


def table(counts: Iterable[Both], labels: Sequence[str]) -> list[list[int]]:
    """People's verdicts (rows) by the judge model's replies (columns, the last for replies without a verdict)."""
    given = list(counts)
    sums = _by_article(given, labels).sum(axis=0).astype(int)
    rows: list[list[int]] = sums.reshape(len(labels), len(labels) + 1).tolist()
    return rows


def of_scores(counts: Sequence[Both], labels: Sequence[str], plan: ResamplePlan) -> ScoreIntervals:
    """All scores over these responses; they share their draws."""
    size = len(labels)

    def numbers(flat: Floats) -> Floats:
        """features x ... to accuracy, macro-F, then each label's precision, recall and F; NaN where undefined."""
        counts = flat.reshape(size, size + 1, *flat.shape[1:])
        hits = np.stack([counts[i, i] for i in range(size)])
        people = counts.sum(axis=1)
        predicted = counts[:, :size].sum(axis=0)
        f = ratio(2 * hits, people + predicted)
        accuracy = ratio(hits.sum(axis=0), people.sum(axis=0))
        return np.concatenate(
            [accuracy[None], f.mean(axis=0)[None], ratio(hits, predicted), ratio(hits, people), f]
        )

    def given(flat: Floats) -> NDArray[np.bool_]:
        """All articles; of a precision those in which the judge model gave the verdict, of a recall those in which
        people did, of an F those in which either did.
        """
        counts = flat.reshape(size, size + 1, *flat.shape[1:])
        people, predicted = counts.sum(axis=1) > 0, counts[:, :size].sum(axis=0) > 0
        every = np.ones((2, flat.shape[1]), dtype=bool)
        return np.concatenate([every, predicted, people, people | predicted])

    sums = _by_article(counts, labels)
    accuracy, macro, *by_label = intervals(sums, numbers, plan, sources=given)
    parts = [tuple(by_label[part * size : (part + 1) * size]) for part in range(3)]
    return ScoreIntervals(accuracy, macro, *parts)


def of_models(
    counts: Sequence[Both], labels: Sequence[str], plan: ResamplePlan
) -> dict[tuple[str, ...], Resampled]:
    """(model, whose, verdict) -> the interval of its share of the model's responses; `whose` is PEOPLE or JUDGE."""
    lines = [(model, who) for model in sorted({cell.model for cell in counts}) for who in WHOSE]
    verdicts = (*labels, UNPARSED)
    found = columns(
        ("article", "line", "verdict", "count"),
        (
            (cell.article, (cell.model, who), verdict, cell.count)
            for cell in counts
            for who, verdict in ((PEOPLE, cell.people), (JUDGE, cell.reply))
        ),
    )
    counted = CellCounts(
        found["article"].at,
        found["line"].on(lines),
        found["verdict"].on(verdicts),
        found["count"].numbers(),
    )
    drawn = of_lines(counted, lines, verdicts, plan)
    return {key: interval for key, interval in drawn.items() if key[1:] != (PEOPLE, UNPARSED)}


def _by_article(counts: Sequence[Both], labels: Sequence[str]) -> Floats:
    """Articles x (people's verdict x the judge model's reply), flat."""
    columns = [*labels, UNPARSED]
    articles = {name: row for row, name in enumerate(sorted({cell.article for cell in counts}))}
    sums = np.zeros((len(articles), len(labels), len(columns)))
    for cell in counts:
        sums[articles[cell.article], labels.index(cell.people), columns.index(cell.reply)] += (
            cell.count
        )
    return sums.reshape(len(sums), len(labels) * len(columns))

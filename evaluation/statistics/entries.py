"""Shares and the scores of a judge model as a report holds them, computed from counts. Pure.

evaluation/shapes has their types; the script of a report's zip uses these functions too.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from . import score_intervals, scores
from .bootstrap import Resampled, ResamplePlan
from .differences import Difference, GainDifference
from .score_intervals import JUDGE, PEOPLE, Both
from .tables import UNPARSED
from .wilson import wilson


def share_entry(k: int, n: int, interval: Resampled | None) -> dict[str, Any]:
    """`k` of `n` with Wilson's interval and the one by resampling articles."""
    low, high = wilson(k, n) or (None, None)
    return {"k": k, "n": n, "low": low, "high": high, **clustered_entry(interval)}


def clustered_entry(interval: Resampled | None) -> dict[str, Any]:
    """The interval by resampling articles as a cell has it; None for a count that is no share of the verdicts."""
    if interval is None:
        return {"cluster_low": None, "cluster_high": None, "clusters": None, "cluster_reason": ""}
    return {
        "cluster_low": interval["low"],
        "cluster_high": interval["high"],
        "clusters": interval["clusters"],
        "cluster_reason": interval["reason"],
    }


def difference_ends(made: Difference | GainDifference) -> dict[str, Any]:
    """The interval of a difference by resampling articles."""
    interval = made.interval
    if interval is None:
        return {"low": None, "high": None, "clusters": 0, "interval_reason": made.reason}
    ends = {"low": interval["low"], "high": interval["high"], "clusters": interval["clusters"]}
    return {**ends, "interval_reason": interval["reason"]}


def compared_counts(made: Difference) -> dict[str, Any]:
    """The counts of the two shares that are compared."""
    (k_1, n_1), (k_2, n_2) = made.first, made.second
    return {"k_1": k_1, "n_1": n_1, "k_2": k_2, "n_2": n_2}


def scores_entry(both: Sequence[Both], labels: Sequence[str], plan: ResamplePlan) -> dict[str, Any]:
    """The table of both verdicts, and the scores that follow from it."""
    size = len(labels)
    whole = score_intervals.table(both, labels)
    matched = scores.scores([row[:size] for row in whole], [row[size] for row in whole], labels)
    ends = score_intervals.of_scores(both, labels, plan)
    classes = zip(matched.classes, ends.precision, ends.recall, ends.f, strict=True)
    return {
        "table": [row[:size] for row in whole],
        "unparsed_by_verdict": [row[size] for row in whole],
        "n": matched.n,
        "unparsed": matched.unparsed,
        "accuracy": _share(matched.accuracy, ends.accuracy),
        "macro_f": {
            "value": matched.macro_f,
            "reason": matched.reason,
            **clustered_entry(ends.macro_f),
        },
        "classes": [
            {
                "label": score.label,
                "precision": _share(score.precision, precision),
                "recall": _share(score.recall, recall),
                "f": {"value": score.f, "reason": score.reason, **clustered_entry(f)},
            }
            for score, precision, recall, f in classes
        ],
    }


def _share(share: scores.CountedShare, interval: Resampled) -> dict[str, Any]:
    return {**share_entry(share.k, share.n, interval), "reason": share.reason}


def models_entry(
    both: Sequence[Both], labels: Sequence[str], plan: ResamplePlan
) -> list[dict[str, Any]]:
    """Each model's verdicts from people and from the judge model, over the same responses.

    "shares" has the same counts as k of n with their intervals.
    """
    intervals = score_intervals.of_models(both, labels, plan)
    counted: dict[str, dict[str, Counter[str]]] = {}
    for cell in both:
        mine = counted.setdefault(cell.model, {PEOPLE: Counter(), JUDGE: Counter()})
        mine[PEOPLE][cell.people] += cell.count
        mine[JUDGE][cell.reply] += cell.count
    columns: Mapping[str, Sequence[str]] = {PEOPLE: labels, JUDGE: [*labels, UNPARSED]}
    return [
        {
            "model": model,
            "n": mine[PEOPLE].total(),
            **{whose: {reply: mine[whose][reply] for reply in columns[whose]} for whose in columns},
            "shares": [
                {
                    "whose": whose,
                    "verdict": reply,
                    **_share(
                        scores.CountedShare(mine[whose][reply], mine[PEOPLE].total()),
                        intervals[model, whose, reply],
                    ),
                }
                for whose in columns
                for reply in columns[whose]
            ],
        }
        for model, mine in sorted(
            counted.items(), key=lambda entry: (entry[0].casefold(), entry[0])
        )
    ]

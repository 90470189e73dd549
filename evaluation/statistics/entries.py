"""Parts of a report as data, computed from counts: agreement of two and of all, and the scores of a judge model. Pure.

What they hold is typed in evaluation/shapes; the script of a report's zip uses these functions too.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import alpha, score_intervals, scores
from .bootstrap import Plan, Resampled
from .coefficient import ClassAgreement
from .groups import Groups
from .many_raters import of_many
from .score_intervals import JUDGE, PEOPLE, Both
from .tables import UNPARSED
from .two_raters import WEIGHTED, of_two, paradox_warning
from .wilson import wilson

# Cluster, first label, second label, how many.
Cell = tuple[Any, str, str, int]


def pair_entry(
    judges: Sequence[str], labels: Sequence[str], cells: Sequence[Cell], plan: Plan | None
) -> dict[str, Any]:
    """The table of two judges (rows the first one's verdicts) with all that is computed from it."""
    # Two labels have one distance, so weights would repeat the same number.
    weights = WEIGHTED if len(labels) > 2 else ()
    pair = of_two(_groups(labels, cells), labels, plan, weights)
    return {
        "labels": list(labels),
        "table": pair.table.tolist(),
        "coefficients": [{**one, "pair": list(judges)} for one in pair.coefficients],
        "per_class": [_class_entry(row) for row in pair.classes],
        "warning": paradox_warning(*pair.coefficients[:2]),
    }


def all_entries(labels: Sequence[str], responses: Groups, plan: Plan | None) -> list[Any]:
    """The coefficients over all judges of some responses."""
    metrics = (alpha.NOMINAL, alpha.ORDINAL) if len(labels) > 2 else (alpha.NOMINAL,)
    return list(of_many(responses, plan, metrics))


def _groups(labels: Sequence[str], cells: Sequence[Cell]) -> Groups:
    """The rows of some cells, with their clusters and sizes."""
    place = {label: n for n, label in enumerate(labels)}
    numbered: dict[Any, int] = {}
    places = [numbered.setdefault(one[0], len(numbered)) for one in cells]
    rows = [(place[first], place[second]) for _, first, second, _ in cells]
    table = np.array(rows, dtype=np.int64).reshape(-1, 2)
    sizes = np.array([one[-1] for one in cells], dtype=np.int64)
    return Groups(table, sizes, np.array(places, dtype=np.int64))


def _class_entry(row: ClassAgreement) -> dict[str, Any]:
    kappa, specific = row.kappa, row.specific
    return {
        "label": row.label,
        "kappa": kappa["value"],
        "reason": kappa["reason"] if kappa["value"] is None else "",
        "specific_agreement": specific["value"],
        "prevalence": row.prevalence,
        "bias": row.bias,
        "clustered": {"kappa": kappa["clustered"], "specific_agreement": specific["clustered"]},
    }


# ---------------------------------------------------------------- shares


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


# ---------------------------------------------------------------- a judge model against people


def scores_entry(both: Sequence[Both], labels: Sequence[str], plan: Plan) -> dict[str, Any]:
    """The table of both verdicts, and the scores that follow from it."""
    size = len(labels)
    whole = score_intervals.table(both, labels)
    matched = scores.scores([row[:size] for row in whole], [row[size] for row in whole], labels)
    ends = score_intervals.of_scores(both, labels, plan)
    each = zip(matched.classes, ends.precision, ends.recall, ends.f, strict=True)
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
                "label": one.label,
                "precision": _share(one.precision, precision),
                "recall": _share(one.recall, recall),
                "f": {"value": one.f, "reason": one.reason, **clustered_entry(f)},
            }
            for one, precision, recall, f in each
        ],
    }


def _share(share: scores.Share, interval: Resampled) -> dict[str, Any]:
    return {**share_entry(share.k, share.n, interval), "reason": share.reason}


def models_entry(both: Sequence[Both], labels: Sequence[str], plan: Plan) -> list[dict[str, Any]]:
    """Each model's verdicts from people and from the judge model, over the same responses.

    "shares" has the same counts as k of n with their intervals.
    """
    intervals = score_intervals.of_models(both, labels, plan)
    counted: dict[str, dict[str, Counter[str]]] = {}
    for one in both:
        mine = counted.setdefault(one.model, {PEOPLE: Counter(), JUDGE: Counter()})
        mine[PEOPLE][one.people] += one.count
        mine[JUDGE][one.reply] += one.count
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
                        scores.Share(mine[whose][reply], mine[PEOPLE].total()),
                        intervals[model, whose, reply],
                    ),
                }
                for whose in columns
                for reply in columns[whose]
            ],
        }
        for model, mine in sorted(counted.items(), key=lambda one: (one[0].casefold(), one[0]))
    ]

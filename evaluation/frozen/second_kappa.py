"""Cohen's kappa of two judges by scikit-learn: a second way next to the formula of evaluation/statistics. Pure.

Pages show the formula's numbers, because scikit-learn takes more memory and time than a page may; a frozen report has
scikit-learn's, and verify_report computes both (docs/decisions/0095-frozen-kappas-are-scikit-learns.md).
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from evaluation.shapes.study_report import Report
from evaluation.statistics.chance import UNWEIGHTED
from evaluation.statistics.coefficient import Coefficient
from evaluation.statistics.two_raters import checked, cohen_kappa, undefined

# How far the two ways may be apart: rounding.
ROUNDING = 1e-12
# No scale has more verdicts, and a forged one would take all memory.
MOST_VERDICTS = 6


def kappa_by_scikit_learn(
    table: ArrayLike, weights: str, places: Sequence[int], scale: int
) -> float | None:
    """Of a table whose labels are at these places of a scale of so many; None where our rules say that it has none.

    Every place of the scale is a label, used or not: leaving one out would bring its neighbours closer together.
    """
    counts = checked(table)
    if undefined(counts):
        return None
    # Here, so that only a process that freezes or verifies a report pays for it.
    from sklearn.metrics import cohen_kappa_score

    k = len(places)
    return float(
        cohen_kappa_score(
            np.repeat(places, k),
            np.tile(places, k),
            labels=range(scale),
            weights=None if weights == UNWEIGHTED else weights,
            sample_weight=counts.ravel(),
        )
    )


def put_scikit_learns(report: Report) -> None:
    """In place of each kappa of two judges over all responses of a prompt or round."""
    for _, kappa, _, by_scikit_learn in _both_ways(report):
        kappa["value"] = by_scikit_learn


def differing(report: Report) -> list[str]:
    """Each kappa of two judges that is not what both ways give for its table, by its place in the report."""
    return [
        f"{where}: the report has {kappa['value']}, scikit-learn gives {theirs}, the program's formula {ours}."
        for where, kappa, ours, theirs in _both_ways(report)
        if not (_same(kappa["value"], ours) and _same(kappa["value"], theirs))
    ]


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= ROUNDING


def _both_ways(report: Report) -> Iterator[tuple[str, Coefficient, float | None, float | None]]:
    """The place of each kappa, what the report says of it, and its value by our formula and by scikit-learn."""
    scale = [verdict["key"] for verdict in report["verdicts"][:MOST_VERDICTS]]
    agreement = report["agreement"]
    for part, entries in (
        ("prompts", agreement["prompts"]),
        ("other_rounds", agreement["other_rounds"]),
    ):
        for n, entry in enumerate(entries):
            places = [scale.index(label) for label in entry["labels"]]
            for m, pair in enumerate(entry["pairs"]):
                for at, kappa in enumerate(pair["coefficients"]):
                    if kappa["name"] == "cohen_kappa":
                        table, weights = pair["table"], kappa["weights"]
                        yield (
                            f"agreement.{part}[{n}].pairs[{m}].coefficients[{at}]",
                            kappa,
                            cohen_kappa(table, weights, places)["value"],
                            kappa_by_scikit_learn(table, weights, places, len(scale)),
                        )

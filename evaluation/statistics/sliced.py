"""Agreement of judges on the responses about one part of the records. Pure."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any, TypedDict

import numpy as np

from .bootstrap import ResamplePlan
from .chance import UNWEIGHTED
from .coefficient import Coefficient
from .groups import Groups
from .many_raters import all_entries
from .two_raters import pair_entry

ALPHA = "krippendorff_alpha"
# A response: what intervals resample, and each judge's first verdict.
Judgments = tuple[Hashable, Mapping[str, str]]


class SlicedPair(TypedDict):
    """Two judges: observed agreement and kappa (a weighted one with the unweighted one next), without resampling."""

    judges: list[str]
    coefficients: list[Coefficient]


class SlicedAgreement(TypedDict):
    """On `n` responses with two first verdicts or more; `alpha` is over all judges, ordinal where kappa is weighted."""

    n: int
    pairs: list[SlicedPair]
    alpha: Coefficient


def sliced_agreement(
    responses: Sequence[Judgments],
    labels: Sequence[str],
    plan: ResamplePlan,
    headline: str = UNWEIGHTED,
) -> SlicedAgreement:
    """Of these responses by these labels, whatever their prompts; `headline` as in pair_entry."""
    paired = [one for one in responses if len(one[1]) > 1]
    judges = sorted({judge for _, given in paired for judge in given})
    pairs: list[SlicedPair] = []
    for both in combinations(judges, 2):
        first, second = both
        cells = [
            (cluster, given[first], given[second], 1)
            for cluster, given in paired
            if first in given and second in given
        ]
        if cells:
            made = pair_entry(both, labels, cells, None, is_ordered=False, headline=headline)
            kappas = 1 if headline == UNWEIGHTED else 2
            pairs.append({"judges": [*both], "coefficients": made["coefficients"][: 1 + kappas]})
    rows = [[[*given.values()].count(label) for label in labels] for _, given in paired]
    numbers: dict[Any, int] = {}
    clusters = [numbers.setdefault(cluster, len(numbers)) for cluster, _ in paired]
    groups = Groups(
        np.array(rows, dtype=np.int64).reshape(-1, len(labels)),
        np.ones(len(rows), dtype=np.int64),
        np.array(clusters, dtype=np.int64),
    )
    entries = all_entries(labels, groups, plan, is_ordered=False, headline=headline)
    alpha = next(one for one in entries if one["name"].startswith(ALPHA))
    return {"n": len(paired), "pairs": pairs, "alpha": alpha}


def of_rows(
    reported: Sequence[Mapping[str, Any]],
    rows: Mapping[str, Sequence[Mapping[str, Any]]],
    columns: Sequence[str],
    labels: Sequence[str],
    plan: ResamplePlan,
    headline: str,
) -> list[SlicedAgreement]:
    """The same anew for each entry of a report, from the rows of a zip by kind; `columns` name a cluster."""
    slices = rows["slice"]
    of = {(row["collection"], row["contradiction"], row["field"]): row["value"] for row in slices}
    given = [row for row in rows["verdict"] if row["first_verdict"] is not None]
    first = [row for row in given if row["repeat"] == 1]
    made = []
    for entry in reported:
        found: dict[Any, tuple[Hashable, dict[str, str]]] = {}
        for row in first:
            place = (row["collection"], row["contradiction"], entry["slice"])
            if of.get(place) == entry["value"] and entry["round"] in (None, row["round"]):
                one = found.setdefault(
                    (row["item"], row["round"]), (tuple(map(row.__getitem__, columns)), {})
                )
                one[1][row["judge"]] = row["first_verdict"]
        made.append(sliced_agreement([*found.values()], labels, plan, headline))
    return made

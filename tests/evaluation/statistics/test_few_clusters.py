"""One rule for all intervals: from fewer than eight clusters only a share has one, Wilson's."""

import numpy as np
import pytest

from evaluation.statistics.bootstrap import FEWEST_CLUSTERS, ResamplePlan
from evaluation.statistics.groups import Groups
from evaluation.statistics.many_raters import of_many
from evaluation.statistics.two_raters import of_two
from evaluation.statistics.wilson import METHOD as WILSON
from evaluation.tables import sentences

PLAN = ResamplePlan(seed=1, resamples=200)
LABELS = ["a", "b"]


def agreement(clusters, plan, each=3, *, named=True):
    """All coefficients of two and of many raters on `each` items in each of so many clusters, some disagreed on."""
    n = clusters * each
    first = np.arange(n) % 2
    second = np.where(np.arange(n) % 5 == 0, 1 - first, first)
    of = np.arange(n) // each if named else None
    sizes = np.ones(n, dtype=np.int64)
    two = of_two(Groups(np.stack([first, second], axis=1), sizes, of), LABELS, plan)
    counts = np.eye(2, dtype=np.int64)[first] + np.eye(2, dtype=np.int64)[second]
    classes = [one for each in two.classes for one in (each.kappa, each.specific)]
    return [*two.coefficients, *classes, *of_many(Groups(counts, sizes, of), plan, ["nominal"])]


@pytest.mark.parametrize("plan", [PLAN, None])
@pytest.mark.parametrize("clusters", [2, 3, 4, FEWEST_CLUSTERS - 1, FEWEST_CLUSTERS, 12])
def test_only_wilson_s_interval_is_given_below_eight_clusters(clusters, plan):
    few = clusters < FEWEST_CLUSTERS
    for one in agreement(clusters, plan):
        assert one["value"] is not None
        methods = {entry["method"] for entry in (one, one["clustered"]) if entry and entry["low"]}
        if few:
            assert methods <= {WILSON}, one["name"]
            assert one["se"] is None
        elif plan:
            assert one["clustered"]["low"] is not None
        if few and one["name"] == "cohen_kappa":
            assert one["reason"].startswith(f"Fewer than 8 clusters ({clusters})")
            assert sentences.ends_of(one) == (None, None)
            assert sentences.why_no_interval(one) == one["reason"]
        if one["name"] == "percent_agreement":
            assert sentences.method_of(one)


@pytest.mark.parametrize("items", [3, 7, 8])
def test_items_of_no_known_cluster_are_clusters_of_their_own(items):
    """As in a file of labels without a column of clusters."""
    few = items < FEWEST_CLUSTERS
    (_, kappa, *_) = agreement(items, None, each=1, named=False)
    assert (kappa["low"] is None) is few
    assert bool(kappa["reason"]) is few


def test_the_closed_form_takes_no_other_interval_s_place():
    (_, kappa, *_) = agreement(12, PLAN)
    gone = {**kappa["clustered"], "low": None, "high": None, "reason": "Undefined."}
    undefined = {**kappa, "clustered": gone}
    assert kappa["low"] is not None
    assert sentences.ends_of(undefined) == (None, None)
    assert sentences.why_no_interval(undefined) == "Undefined."

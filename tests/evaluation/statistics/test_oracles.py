"""Fifty random tables against other people's programs (oracles/make.py), to six digits."""

import json
from pathlib import Path

import numpy as np
import pytest

from evaluation.statistics.many_raters import fleiss_kappa, gwet_ac1, krippendorff_alpha
from evaluation.statistics.two_raters import cohen_kappa, scott_pi
from evaluation.statistics.two_raters import gwet_ac1 as ac1_of_two

ORACLES = json.loads(
    (Path(__file__).parent / "oracles" / "values.json").read_text(encoding="utf-8")
)
CASES = ORACLES["cases"]
EACH = pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
OF_TWO = [case for case in CASES if len(case["ratings"][0]) == 2]


def items(case):
    """Items x labels; a missing label is -1."""
    ratings = np.array(case["ratings"])
    return (ratings[:, :, None] == np.arange(case["k"])).sum(axis=1)


def table(case):
    counts = np.zeros((case["k"], case["k"]), dtype=int)
    for first, second in case["ratings"]:
        if min(first, second) >= 0:
            counts[first, second] += 1
    return counts


def same(result, expected):
    """Six digits; where the oracle has no number, neither have we, but a reason."""
    if expected is None:
        return result["value"] is None and bool(result["reason"])
    return result["value"] == pytest.approx(expected, abs=5e-7)


def test_missing_labels_and_single_categories_are_among_the_cases():
    gaps = [case for case in CASES if any(-1 in row for row in case["ratings"])]
    single = [case for case in CASES if case["values"]["krippendorff_alpha_nominal"] is None]
    assert len(CASES) == 50
    assert len(gaps) >= 20
    assert len(single) == 10
    assert {len(case["ratings"][0]) for case in CASES} == {2, 3, 4, 5}


@EACH
@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_krippendorffs_alpha_is_the_package_krippendorffs(case, metric):
    result = krippendorff_alpha(items(case), metric, range(case["k"]))
    assert same(result, case["values"][f"krippendorff_alpha_{metric}"])


@EACH
def test_ac1_is_irrcacs(case):
    assert same(gwet_ac1(items(case)), case["values"]["gwet_ac1"])


@EACH
def test_fleiss_kappa_is_statsmodels(case):
    """On the items that all raters labelled, which is what Fleiss defined it for."""
    counts = items(case)
    whole = counts[counts.sum(axis=1) == len(case["ratings"][0])]
    assert len(whole) == case["values"]["fleiss_items"]
    assert same(fleiss_kappa(whole), case["values"]["fleiss_kappa"])


@pytest.mark.parametrize("case", OF_TWO)
@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_cohens_kappa_and_its_error_are_statsmodels(case, weights):
    result = cohen_kappa(table(case), weights)
    assert same(result, case["values"][f"cohen_kappa {weights}"])
    if result["value"] is not None:
        error = case["values"][f"cohen_kappa {weights} se"]
        assert result["se"] == pytest.approx(error, abs=5e-7)


@pytest.mark.parametrize("case", OF_TWO)
def test_scotts_pi_is_irrcacs(case):
    """Where one category alone was used irrCAC makes 0/0 a 1; it stays undefined here."""
    one_category = case["values"]["krippendorff_alpha_nominal"] is None
    assert same(scott_pi(table(case)), None if one_category else case["values"]["scott_pi"])


@pytest.mark.parametrize("case", OF_TWO)
def test_ac1_of_two_is_that_of_many_where_nothing_is_missing(case):
    whole = items(case)[items(case).sum(axis=1) == 2]
    assert ac1_of_two(table(case))["value"] == pytest.approx(gwet_ac1(whole)["value"])

"""Kappa in two ways: the program's formula, also as the script of a zip has it, and scikit-learn's."""

import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.archive import bundles, recompute
from evaluation.frozen import second_kappa, snapshots
from evaluation.frozen.second_kappa import kappa_by_scikit_learn
from evaluation.frozen.verifying import verify
from evaluation.sections.study import study_report
from evaluation.statistics.two_raters import cohen_kappa
from tests.evaluation.factories import SCALE, judged_study
from tests.factories import person
from tests.test_imports import imports, modules, room_of

WEIGHTS = ("none", "linear", "quadratic")
COHEN = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]  # Cohen (1960), table 1, as counts of 200


@st.composite
def placed_tables(draw):
    """Counts of two judges, often 0, and the places of their labels on a scale of up to six."""
    scale = draw(st.integers(2, 6))
    places = sorted(draw(st.sets(st.integers(0, scale - 1), min_size=1)))
    k = len(places)
    counts = st.one_of(st.just(0), st.integers(0, 5), st.integers(0, 10_000))
    table = np.array(draw(st.lists(counts, min_size=k * k, max_size=k * k))).reshape(k, k)
    empty = draw(st.sets(st.integers(0, k - 1), max_size=k))
    table[[*empty]] = 0
    return table, places, scale


@pytest.mark.parametrize("weights", WEIGHTS)
@given(placed_tables())
def test_all_ways_give_the_same_number_or_none(weights, placed):
    table, places, scale = placed
    theirs = kappa_by_scikit_learn(table, weights, places, scale)
    ways = (
        cohen_kappa(table, weights, places)["value"],
        recompute.kappa(table, places, weights),
    )
    assert ways == ((None, None) if theirs is None else pytest.approx((theirs,) * 2, abs=1e-12))


@pytest.mark.parametrize(
    ("table", "places", "scale", "weights", "expected"),
    [
        (COHEN, [0, 1, 2], 3, "none", 29 / 59),
        # Labels that nobody used, after, before and between those that were: only a gap between counts.
        (COHEN, [0, 1, 2], 5, "linear", 9 / 19),
        (COHEN, [2, 3, 4], 5, "linear", 9 / 19),
        ([[2, 1, 0], [0, 2, 0], [0, 2, 1]], [0, 4, 5], 6, "linear", 15 / 23),
        ([[2, 1, 0], [0, 2, 0], [0, 2, 1]], [0, 4, 5], 6, "quadratic", 67 / 91),
        ([[0, 3], [0, 0]], [0, 1], 2, "none", 0),
        ([[2, 3], [0, 0]], [0, 1], 2, "none", 0),
        ([[0, 5], [5, 0]], [0, 1], 2, "none", -1),
    ],
)
def test_cases_by_hand(table, places, scale, weights, expected):
    assert kappa_by_scikit_learn(table, weights, places, scale) == pytest.approx(
        expected, abs=1e-12
    )


@pytest.mark.parametrize("table", [[[0, 0], [0, 0]], [[9, 0], [0, 0]], [[0, 0], [0, 9]], [[9]]])
def test_what_is_undefined_is_decided_by_our_rules_alone(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.metrics", None)
    assert kappa_by_scikit_learn(table, "none", range(len(table)), 2) is None
    assert cohen_kappa(table)["reason"]


def test_one_module_imports_scikit_learn_and_not_when_it_is_loaded():
    assert [name for name in modules() if "sklearn" in map(room_of, imports(name))] == [
        second_kappa.__name__
    ]
    loaded = imports(second_kappa.__name__, at_import_time=True)
    assert "sklearn" not in map(room_of, loaded)


# ---------------------------------------------------------------- in a report


def varied(who, slot):
    """Bob differs from the others on each fourth response."""
    place = slot.item.position
    return SCALE[(place + (who == "bob" and place % 4 == 0)) % 3]


def kappas(report):
    return [
        coefficient
        for entry in report["agreement"]["prompts"]
        for pair in entry["pairs"]
        for coefficient in pair["coefficients"]
        if coefficient["name"] == "cohen_kappa"
    ]


def sealed(report):
    return json.dumps(bundles.sealed(report)).encode()


@pytest.fixture
def study(db):
    return judged_study("alice", "bob", "charlie", choose=varied)


@pytest.fixture
def report(study):
    return study_report(study)


def test_a_frozen_report_has_scikit_learns_kappas_and_a_live_one_ours(study, monkeypatch):
    ours = kappas(study_report(study))
    kept = kappas(snapshots.report_of(snapshots.freeze(study, by=person("rita"))[0]))
    assert {one["weights"] for one in ours if one["value"] is not None} == {*WEIGHTS}
    for one, other in zip(ours, kept, strict=True):
        assert one == {**other, "value": pytest.approx(other["value"], abs=1e-12)}
    monkeypatch.setattr(second_kappa, "kappa_by_scikit_learn", lambda *_: 0.125)
    kept = snapshots.freeze(study, by=person("rosa"), note="Again")[0]
    assert {one["value"] for one in kappas(snapshots.report_of(kept))} == {0.125}
    assert kappas(study_report(study)) == ours


@pytest.mark.parametrize(
    ("change", "named"), [(lambda value: value + 1e-11, 1), (lambda value: None, 1), (float, 0)]
)
def test_verifying_names_a_kappa_that_is_off_by_more_than_rounding(report, change, named):
    kappa = next(one for one in kappas(report) if one["value"] is not None)
    kappa["value"] = change(kappa["value"])
    found = [line for line in verify(sealed(report)).wrong if "scikit-learn gives" in line]
    assert len(found) == named
    assert all(line.startswith("agreement.prompts[") for line in found)
    assert all(f": the report has {kappa['value']}, " in line for line in found)


@pytest.mark.parametrize("way", ["kappa_by_scikit_learn", "cohen_kappa"])
def test_verifying_names_where_the_two_ways_differ(way, report, monkeypatch):
    wrong = {"kappa_by_scikit_learn": 0.125, "cohen_kappa": {"value": 0.125}}[way]
    monkeypatch.setattr(second_kappa, way, lambda *_: wrong)
    found = verify(sealed(report)).wrong
    assert len(found) == len(kappas(report))
    said = {"kappa_by_scikit_learn": "scikit-learn gives", "cohen_kappa": "the program's formula"}
    assert all(f"{said[way]} 0.125" in line for line in found)

"""The worked cases of the literature, and the undefined ones."""

import warnings
from fractions import Fraction
from math import isfinite

import numpy as np
import pytest

from evaluation.statistics.bootstrap import ResamplePlan
from evaluation.statistics.chance import agreement_weights
from evaluation.statistics.coefficient import (
    NO_ERROR,
    NO_ITEMS,
    ONE_CATEGORY,
    ONE_LABEL,
    UNEQUAL,
    UNUSED,
)
from evaluation.statistics.groups import Groups
from evaluation.statistics.many_raters import (
    all_entries,
    fleiss_kappa,
    krippendorff_alpha,
    krippendorff_alpha_nominal,
    pairwise_agreement,
)
from evaluation.statistics.two_raters import (
    CLOSED_FORM,
    checked,
    cohen_kappa,
    gwet_ac1,
    items_of,
    pair_entry,
    paradox_warning,
    per_class,
    percent_agreement,
    scott_pi,
)

COHEN = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]  # Cohen (1960), table 1, as counts of 200
FIVE = [[12, 3, 0, 0, 0], [3, 3, 0, 0, 0], [0, 4, 1, 1, 1], [0, 0, 2, 6, 2], [0, 0, 0, 4, 6]]
VIERA = [[15, 5], [10, 70]]  # Viera and Garrett (2005)
KRIPPENDORFF = [  # Krippendorff (2011), section C: four observers, twelve units, missing labels
    "123321412...",
    "1233224125.3",
    ".3332342251.",
    "12332441251.",
]


def krippendorff_items():
    return [
        [[row[unit] for row in KRIPPENDORFF].count(label) for label in "12345"]
        for unit in range(12)
    ]


@pytest.mark.parametrize(
    ("coefficient", "expected"),
    [
        (percent_agreement(COHEN), Fraction(140, 200)),
        (cohen_kappa(COHEN), Fraction(29, 59)),
        (scott_pi(COHEN), Fraction(19, 39)),
        (gwet_ac1(COHEN), Fraction(163, 283)),
        (krippendorff_alpha_nominal(items_of(COHEN)), Fraction(127, 260)),
        (cohen_kappa(VIERA), Fraction(4, 7)),
        (krippendorff_alpha_nominal(krippendorff_items()), Fraction(113, 152)),
        (krippendorff_alpha(krippendorff_items(), "interval", range(1, 6)), Fraction(951, 1120)),
    ],
    ids=lambda value: value["name"] if isinstance(value, dict) else "",
)
def test_worked_cases(coefficient, expected):
    assert coefficient["value"] == pytest.approx(float(expected), abs=1e-12)


def test_alpha_of_ordered_labels():
    alpha = krippendorff_alpha(krippendorff_items(), "ordinal")
    assert (alpha["name"], alpha["n"]) == ("krippendorff_alpha_ordinal", 11)
    assert alpha["value"] == pytest.approx(0.815388, abs=5e-7)


def test_the_closed_form_error_and_its_interval():
    kappa = cohen_kappa(COHEN)
    assert (kappa["n"], kappa["method"], kappa["reason"]) == (200, CLOSED_FORM, "")
    assert kappa["se"] == pytest.approx(0.051002, abs=5e-7)
    half = 1.959963984540054 * kappa["se"]
    assert (kappa["low"], kappa["high"]) == pytest.approx((29 / 59 - half, 29 / 59 + half))


def test_the_error_is_the_printed_formula_of_the_unweighted_case():
    """Fleiss, Cohen and Everitt (1969), formula 13, spelt out with loops."""
    table = np.array(COHEN)
    p, n, size = table / table.sum(), table.sum(), range(3)
    r, c = p.sum(axis=1), p.sum(axis=0)
    k, p_e = cohen_kappa(table)["value"], sum(r[i] * c[i] for i in size)
    a = sum(p[i, i] * (1 - (r[i] + c[i]) * (1 - k)) ** 2 for i in size)
    b = (1 - k) ** 2 * sum(p[i, j] * (c[i] + r[j]) ** 2 for i in size for j in size if i != j)
    error = np.sqrt(a + b - (k - p_e * (1 - k)) ** 2) / ((1 - p_e) * np.sqrt(n))
    assert cohen_kappa(table)["se"] == pytest.approx(error, rel=1e-12)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_the_error_is_the_delta_methods(weights):
    """The same error from a numerical gradient of kappa and the covariance of multinomial counts."""
    counts = np.array(COHEN, dtype=float)
    n, step = counts.sum(), 1e-6
    share = counts.ravel() / n

    def kappa_at(flat):
        p = flat.reshape(3, 3) / flat.sum()
        weight = agreement_weights(range(3), weights)
        expected = p.sum(axis=1) @ weight @ p.sum(axis=0)
        return ((weight * p).sum() - expected) / (1 - expected)

    nudges = np.eye(9) * step
    slope = np.array([(kappa_at(share + d) - kappa_at(share - d)) / (2 * step) for d in nudges])
    variance = slope @ (np.diag(share) - np.outer(share, share)) @ slope / n
    assert cohen_kappa(COHEN, weights)["se"] == pytest.approx(np.sqrt(variance), rel=1e-6)


@pytest.mark.parametrize(
    ("weights", "by_hand"), [("linear", Fraction(15, 23)), ("quadratic", Fraction(67, 91))]
)
def test_weights_count_places_where_labels_are_part_of_a_scale(weights, by_hand):
    """The first, fifth and sixth of six labels: 4, 5 and 1 steps from each other."""
    table, places = [[2, 1, 0], [0, 2, 0], [0, 2, 1]], [0, 4, 5]
    pairs = [
        (places[i], places[j])
        for i, row in enumerate(table)
        for j, n in enumerate(row)
        for _ in range(n)
    ]
    first, second = zip(*pairs, strict=True)
    found = cohen_kappa(table, weights, places)
    assert found["value"] == pytest.approx(float(by_hand))
    whole = np.zeros((6, 6), dtype=np.int64)
    np.add.at(whole, (first, second), 1)
    assert found["se"] == pytest.approx(cohen_kappa(whole, weights)["se"])


def test_agreement_on_each_label():
    classes = per_class(COHEN, ["a", "b", "c"])
    assert [row.label for row in classes] == ["a", "b", "c"]
    assert [row.kappa["value"] for row in classes] == pytest.approx(
        [0.56, 0.523810, 0.307692], abs=1e-6
    )
    assert classes[0].specific["value"] == pytest.approx(2 * 88 / 220)
    assert classes[0].prevalence == pytest.approx((88 - 68) / 200)
    assert classes[0].bias == pytest.approx((32 - 12) / 200)


def test_weights_need_the_declared_order():
    ordered = [[10, 3, 0], [2, 10, 3], [0, 2, 10]]
    shuffled = np.array(ordered)[np.ix_([2, 0, 1], [2, 0, 1])]
    assert cohen_kappa(ordered)["value"] == pytest.approx(cohen_kappa(shuffled)["value"])
    assert cohen_kappa(ordered, "linear")["value"] > cohen_kappa(shuffled, "linear")["value"]


def test_weights_on_a_scale_of_four():
    assert agreement_weights(range(4), "linear")[0] == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert agreement_weights(range(4), "quadratic")[0] == pytest.approx([1, 8 / 9, 5 / 9, 0])
    with pytest.raises(ValueError, match="cubic"):
        agreement_weights(range(4), "cubic")


@pytest.mark.parametrize(
    "coefficient", [cohen_kappa, scott_pi, lambda t: krippendorff_alpha_nominal(items_of(t))]
)
@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[9, 0], [0, 0]], ONE_CATEGORY),
        ([[0, 0], [0, 9]], ONE_CATEGORY),
        ([[0, 0], [0, 0]], NO_ITEMS),
    ],
)
def test_undefined_is_none_with_a_reason(coefficient, table, reason):
    result = coefficient(table)
    assert result.items() >= {"value": None, "se": None, "low": None, "high": None}.items()
    assert result["reason"] == reason


def test_observed_agreement_is_given_where_kappa_is_undefined():
    result = percent_agreement([[9, 0], [0, 0]])
    assert (result["value"], result["n"], result["high"]) == (1.0, 9, 1.0)


def test_no_items_leave_every_number_empty():
    empty = [[0, 0], [0, 0]]
    assert percent_agreement(empty)["reason"] == NO_ITEMS
    assert gwet_ac1(empty)["reason"] == NO_ITEMS
    assert fleiss_kappa([])["reason"] == NO_ITEMS
    assert krippendorff_alpha_nominal([])["reason"] == NO_ITEMS
    (row, _) = per_class(empty, ["a", "b"])
    assert row.kappa.items() >= {"value": None, "reason": NO_ITEMS}.items()
    assert (row.specific["value"], row.prevalence) == (None, None)


def test_one_label_and_one_category_differ_for_ac1():
    assert gwet_ac1([[9]])["reason"] == ONE_LABEL
    assert gwet_ac1([[9, 0], [0, 0]])["value"] == 1.0


@pytest.mark.parametrize(
    "table", [[[5, 0], [0, 5]], [[0, 5], [5, 0]], [[0, 1], [0, 0]], [[8, 2], [0, 0]]]
)
def test_an_error_of_zero_is_no_interval_of_no_width(table):
    kappa = cohen_kappa(table)
    assert kappa["value"] is not None
    assert kappa.items() >= {"se": 0.0, "low": None, "high": None, "reason": NO_ERROR}.items()


def test_an_unused_label_has_no_kappa_of_its_own():
    used, unused = per_class([[9, 0], [0, 0]], ["a", "b"])
    assert used.kappa.items() >= {"value": None, "reason": ONE_CATEGORY}.items()
    assert unused.kappa.items() >= {"value": None, "reason": UNUSED}.items()
    assert (used.specific["value"], unused.specific["value"]) == (1.0, None)


def test_the_interval_is_cut_at_one():
    kappa = cohen_kappa([[30, 1], [0, 5]])
    assert kappa["high"] == 1.0
    assert kappa["low"] < kappa["value"] < 1


def test_no_table_of_counts_gives_anything_but_a_finite_number_or_none():
    chance = np.random.Generator(np.random.PCG64(7))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(200):
            size = int(chance.integers(1, 4))
            table = chance.integers(0, 3, (size, size))
            for kappa in (
                cohen_kappa(table),
                scott_pi(table),
                gwet_ac1(table),
                fleiss_kappa(items_of(table)),
            ):
                numbers = [kappa["value"], kappa["se"], kappa["low"], kappa["high"]]
                assert all(number is None or isfinite(number) for number in numbers)
                assert (kappa["value"] is None) <= bool(kappa["reason"])


def test_two_constant_raters_make_fleiss_kappa_scotts_pi():
    assert fleiss_kappa(items_of(COHEN))["value"] == pytest.approx(scott_pi(COHEN)["value"])


def test_fleiss_kappa_of_the_textbook():
    """Fleiss (1971) in the form of Gross (1986): ten subjects, fourteen raters, five labels: 0.210."""
    items = [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
    assert fleiss_kappa(items)["value"] == pytest.approx(0.210, abs=5e-4)
    # With weights: irrCAC 0.4.4, CAC(…, weights=…).fleiss().
    assert fleiss_kappa(items, "linear")["value"] == pytest.approx(0.392905690023)
    assert fleiss_kappa(items, "quadratic")["value"] == pytest.approx(0.540457301237)


@pytest.mark.parametrize(
    ("weights", "shown"), [("none", 0.466), ("linear", 0.748), ("quadratic", 0.900)]
)
def test_five_ordered_labels(weights, shown):
    assert round(cohen_kappa(FIVE, weights)["value"], 3) == shown


@pytest.mark.parametrize("headline", ["none", "linear", "quadratic"])
def test_what_is_put_forward_comes_first_and_the_unweighted_one_follows(headline):
    labels, plan = ["a", "b", "c", "d", "e"], ResamplePlan(1, 200)
    places = [(i, j) for i in range(5) for j in range(5) if FIVE[i][j]]
    cells = [(place, labels[place[0]], labels[place[1]], FIVE[place[0]][place[1]]) for place in places]  # fmt: skip
    both = pair_entry(("P", "Q"), labels, cells, plan, headline=headline)["coefficients"]
    items = [np.bincount(place, minlength=5) for place in places]
    groups = Groups(np.array(items), np.array([cell[-1] for cell in cells]))
    every = all_entries(labels, groups, plan, headline=headline)
    nominal_first = ["krippendorff_alpha_nominal", "krippendorff_alpha_ordinal"]
    for coefficients, name in ((both, "cohen_kappa"), (every, "fleiss_kappa")):
        kappas = [one["weights"] for one in coefficients if one["name"] == name]
        assert kappas[: 1 + (headline != "none")] == [*dict.fromkeys((headline, "none"))]
        kappa = coefficients[1]  # which the paradox is told of
        assert (kappa["name"], kappa["weights"]) == (name, headline)
        assert kappa["clustered"]["low"] < kappa["value"] < kappa["clustered"]["high"]
        alphas = [one["name"] for one in coefficients if "alpha" in one["name"]]
        assert alphas == (nominal_first[:: 1 if headline == "none" else -1])[: len(alphas)]


def test_agreement_of_pairs_is_percent_agreement_where_there_are_two():
    two, table = pairwise_agreement(items_of(COHEN)), percent_agreement(COHEN)
    assert (two["value"], two["n"]) == (pytest.approx(table["value"]), table["n"])
    assert (two["low"], two["high"]) == pytest.approx((table["low"], table["high"]))
    assert pairwise_agreement([])["reason"] == NO_ITEMS


def test_agreement_of_more_than_two_has_no_wilson_interval():
    three = pairwise_agreement([[3, 0], [2, 1], [1, 1]])
    assert three["value"] == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert (three["low"], three["high"]) == (None, None)


def test_fleiss_kappa_needs_equally_many_raters_but_alpha_does_not():
    items = [[2, 0], [1, 1], [0, 3], [1, 0]]
    assert fleiss_kappa(items)["reason"] == UNEQUAL
    alpha = krippendorff_alpha_nominal(items)
    assert alpha["n"] == 3  # the item with one label says nothing
    assert alpha["value"] is not None


@pytest.mark.parametrize(
    ("table", "warns"),
    [
        ([[118, 5], [2, 0]], True),  # Feinstein and Cicchetti (1990): agreement 0.94, kappa below 0
        ([[40, 9], [6, 45]], False),
        ([[4, 6], [6, 4]], False),
        ([[9, 0], [0, 0]], False),
    ],
)
def test_the_paradox_is_told(table, warns):
    assert bool(paradox_warning(percent_agreement(table), cohen_kappa(table))) is warns


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[1, 2]], "square"),
        ([[1, -1], [0, 0]], "below 0"),
        ([[1.5, 0], [0, 1]], "whole"),
        ([], "square"),
    ],
)
def test_what_is_no_table_is_refused(table, message):
    with pytest.raises(ValueError, match=message):
        checked(table)


def test_labels_must_fit_the_table():
    with pytest.raises(ValueError, match="2 labels"):
        per_class(COHEN, ["a", "b"])


@pytest.mark.parametrize("most", [3, 100_000])
def test_items_labelled_alike_are_summed_whatever_their_counts(most):
    """Counts that do not fit into the digits of one number are sorted as rows."""
    rng = np.random.Generator(np.random.PCG64(8))
    items = rng.integers(0, 3, (300, 4))
    items[0] = most
    result = pairwise_agreement(items)["value"]
    one_by_one = [(row * (row - 1)).sum() / (n * (n - 1)) for row in items if (n := row.sum()) >= 2]
    assert result == pytest.approx(np.mean(one_by_one))

"""The worked cases once more, from a file; and every case that has no number."""

import io
from fractions import Fraction

import numpy as np
import pytest

from evaluation.labels.file import read_labels
from evaluation.labels.file_agreement import MOST_PAIRED, NOBODY, TOO_MANY_RATERS, agreement_of
from evaluation.labels.labels_page import in_lines, lines, sheet
from evaluation.labels.scale import NO_NUMBERS, NO_ORDER, scale_of
from evaluation.statistics.bootstrap import ResamplePlan
from evaluation.statistics.coefficient import NO_ITEMS, ONE_CATEGORY, UNEQUAL
from leases.refusal import Refusal
from tests.evaluation.statistics.test_agreement import COHEN, KRIPPENDORFF

PLAN = ResamplePlan(seed=5, resamples=400)
KEYS = {"name", "pair", "weights", "value", "se", "low", "high", "n", "method", "reason"}


def agreement_in(lines, order=(), plan=PLAN, by_cluster=True, header="item,rater,label"):
    ratings = read_labels(io.BytesIO("\n".join([header, *lines]).encode()))
    scale = scale_of(ratings.label_names, order)
    return agreement_of(ratings, scale, plan, by_cluster=by_cluster)


def value(result, name, weights="none", pair=None):
    (row,) = [
        row
        for row in result["coefficients"]
        if (row["name"], row["weights"], row["pair"]) == (name, weights, pair)
    ]
    return row


def cohen(labels="xyz", clusters=0):
    lines = []
    for i, row in enumerate(COHEN):
        for j, count in enumerate(row):
            for _ in range(count):
                item = len(lines)
                within = f",{item % clusters}" if clusters else ""
                lines += [f"{item},a,{labels[i]}{within}", f"{item},b,{labels[j]}{within}"]
    return lines


def krippendorff():
    return [
        f"{item},{rater},{label}"
        for rater, labels in zip("ABCD", KRIPPENDORFF, strict=True)
        for item, label in enumerate(labels)
        if label != "."
    ]


def test_cohens_table():
    result = agreement_in(cohen())
    pair = ["a", "b"]
    expected = {
        "percent_agreement": Fraction(140, 200),
        "cohen_kappa": Fraction(29, 59),
        "scott_pi": Fraction(19, 39),
        "gwet_ac1": Fraction(163, 283),
        "krippendorff_alpha_nominal": Fraction(127, 260),
    }
    for name, number in expected.items():
        assert value(result, name, pair=pair)["value"] == pytest.approx(float(number))
    assert value(result, "fleiss_kappa")["value"] == pytest.approx(19 / 39)
    assert value(result, "cohen_kappa", pair=pair)["se"] == pytest.approx(0.051002, abs=5e-7)
    assert [row["kappa"] for row in result["per_class"]] == pytest.approx(
        [0.56, 0.523810, 0.307692], abs=1e-6
    )
    assert {row["label"]: row["specific_agreement"] for row in result["per_class"]}["x"] == 0.8


def test_the_keys_are_these():
    result = agreement_in(cohen())
    counts = ["n_items", "n_raters", "n_labels"]
    read = ["n_left_out", "left_out", "notices"]
    assert list(result) == [*counts, *read, "labels", "weights", "coefficients", "per_class"]
    assert [result[name] for name in read] == [0, {}, []]
    assert [result[name] for name in counts] == [200, 2, 400]
    assert result["labels"] == ["x", "y", "z"]
    assert all(set(row) == KEYS for row in result["coefficients"])
    alphas = {f"krippendorff_alpha_{metric}" for metric in ("nominal", "ordinal", "interval")}
    others = {"percent_agreement", "cohen_kappa", "scott_pi", "fleiss_kappa", "gwet_ac1"}
    assert {row["name"] for row in result["coefficients"]} == alphas | others
    assert {tuple(row["pair"]) for row in result["per_class"]} == {("a", "b")}


def test_krippendorffs_case_with_missing_labels_and_numbers():
    result = agreement_in(krippendorff())
    assert result["labels"] == ["1", "2", "3", "4", "5"]
    assert (result["n_items"], result["n_raters"], result["n_labels"]) == (12, 4, 41)
    alphas = {"nominal": 113 / 152, "ordinal": 0.815388, "interval": 951 / 1120}
    for metric, expected in alphas.items():
        row = value(result, f"krippendorff_alpha_{metric}")
        assert (row["value"], row["n"]) == (pytest.approx(expected, abs=5e-7), 11)
    assert value(result, "fleiss_kappa")["reason"] == UNEQUAL
    assert len([row for row in result["coefficients"] if row["name"] == "scott_pi"]) == 6


def test_words_have_no_order_unless_it_is_declared():
    pair, words = ["a", "b"], ("low", "medium", "high")
    plain, ordered = agreement_in(cohen(words)), agreement_in(cohen(words), order=words)
    for name, weights, of_pair in (
        ("cohen_kappa", "linear", pair),
        ("cohen_kappa", "quadratic", pair),
        ("krippendorff_alpha_ordinal", "none", None),
    ):
        without = value(plain, name, weights, of_pair)
        assert (without["value"], without["reason"], without["n"]) == (None, NO_ORDER, 200)
        assert value(ordered, name, weights, of_pair)["value"] is not None
    assert ordered["labels"] == ["low", "medium", "high"]
    assert value(ordered, "krippendorff_alpha_interval")["reason"] == NO_NUMBERS


def test_the_declared_order_is_not_the_alphabets():
    words = ("low", "medium", "high")
    declared = value(agreement_in(cohen(words), order=words), "cohen_kappa", "linear", ["a", "b"])
    alphabet = value(
        agreement_in(cohen(words), order=sorted(words)), "cohen_kappa", "linear", ["a", "b"]
    )
    assert declared["value"] != pytest.approx(alphabet["value"])


def test_numbers_have_their_own_order_and_distances():
    assert scale_of(["10", "9", "-2.5"]).labels == ("-2.5", "9", "10")
    assert scale_of(["10", "9", "-2.5"]).values == (-2.5, 9.0, 10.0)
    assert scale_of(["1", "2"], ["2", "1", "3"]).labels == ("2", "1", "3")
    for label in ("nan", "inf", "1e999", "١", "1_000", ""):
        assert scale_of(["1", label]).values is None


def test_one_number_in_two_spellings_is_told():
    scale = scale_of(["1", "1.0", "2"])
    assert "1, 1.0" in scale.unordered
    assert scale.unordered == scale.unnumbered


@pytest.mark.parametrize(
    ("order", "message"),
    [(["x", "y"], "Labels that the order lacks: z."), (["x", "y", "z", "x"], "twice: x")],
)
def test_an_order_that_does_not_fit_is_refused(order, message):
    with pytest.raises(Refusal, match=message):
        scale_of(["x", "y", "z"], order)


def test_labels_of_the_order_that_nobody_used_are_on_the_scale():
    """AC1 divides chance among all labels of the scale."""
    three = value(agreement_in(cohen()), "gwet_ac1", pair=["a", "b"])["value"]
    four = value(agreement_in(cohen(), order="wxyz"), "gwet_ac1", pair=["a", "b"])["value"]
    assert four > three


@pytest.mark.parametrize(
    ("lines", "reason", "count"),
    [
        (["1,a,x", "2,b,y"], NO_ITEMS, (2, 2, 2)),
        (["1,a,x", "1,b,x", "2,a,x", "2,b,x"], ONE_CATEGORY, (2, 2, 4)),
    ],
    ids=["nothing in common", "one category"],
)
def test_undefined_is_null_with_a_reason(lines, reason, count):
    result = agreement_in(lines)
    assert (result["n_items"], result["n_raters"], result["n_labels"]) == count
    kappas = [
        row
        for row in result["coefficients"]
        if row["name"] in {"cohen_kappa", "scott_pi", "fleiss_kappa"} and row["weights"] == "none"
    ]
    assert len(kappas) == 3
    assert {(row["value"], row["low"], row["reason"]) for row in kappas} == {(None, None, reason)}
    alpha = value(result, "krippendorff_alpha_nominal")
    assert (alpha["value"], alpha["reason"]) == (None, reason)


@pytest.mark.parametrize("lines", [["1,a,x", "2,a,y"], ["1,a,NA", "1,b,NA"]])
def test_labels_of_fewer_than_two_raters_are_refused(lines):
    with pytest.raises(Refusal, match=NOBODY):
        agreement_in(lines)


def test_one_category_keeps_the_observed_agreement():
    result = agreement_in([f"{item},{rater},x" for item in range(9) for rater in "ab"])
    assert value(result, "percent_agreement")["value"] == 1.0


def test_clusters_widen_the_intervals_and_are_named():
    """The same labels: as 200 items, and as 20 clusters of ten that agree or differ as one."""
    lines = []
    for cluster in range(20):
        for n in range(10):
            second = "x" if cluster < 7 else "y"
            lines.append(f"{cluster}-{n},a,{'x' if cluster < 10 else 'y'},{cluster}")
            lines.append(f"{cluster}-{n},b,{second},{cluster}")
    header = "item,rater,label,cluster"
    clustered, single = (
        agreement_in(lines, header=header),
        agreement_in(lines, header=header, by_cluster=False),
    )
    wide, narrow = (value(result, "cohen_kappa", pair=["a", "b"]) for result in (clustered, single))
    assert wide["value"] == narrow["value"]
    assert wide["high"] - wide["low"] > 2 * (narrow["high"] - narrow["low"])
    assert "20 clusters, 400 resamples, seed 5 (PCG64)" in wide["method"]
    assert narrow["method"].startswith("closed form")
    assert "200 items, 400 resamples" in value(single, "scott_pi", pair=["a", "b"])["method"]


def test_a_seed_gives_the_same_result_whatever_the_order_of_lines():
    lines = cohen(clusters=25)
    header = "item,rater,label,cluster"
    forwards, backwards = (
        agreement_in(lines, header=header),
        agreement_in(lines[::-1], header=header),
    )
    assert backwards == forwards
    assert agreement_in(lines, header=header, plan=ResamplePlan(6, 400)) != forwards


def test_without_resamples_the_closed_forms_are_left():
    result = agreement_in(cohen(), plan=None)
    assert value(result, "cohen_kappa", pair=["a", "b"])["low"] is not None
    alpha = value(result, "krippendorff_alpha_nominal")
    assert (alpha["low"], alpha["method"], alpha["reason"]) == (None, "", "")


def test_a_crowd_is_measured_over_all_but_not_two_by_two():
    chance = np.random.Generator(np.random.PCG64(3))
    lines = [
        f"{item},r{rater},{chance.integers(0, 2)}"
        for item in range(60)
        for rater in chance.choice(MOST_PAIRED + 5, 3, replace=False)
    ]
    result = agreement_in(lines)
    assert result["notices"] == [TOO_MANY_RATERS]
    assert not any(row["pair"] for row in result["coefficients"])
    assert value(result, "fleiss_kappa")["value"] is not None
    assert result["per_class"] == []


def test_the_sheet_has_a_row_for_every_number():
    result = agreement_in(cohen())
    table = sheet(result)
    assert len(table.rows) == len(result["coefficients"]) + len(result["per_class"])
    assert all(len(row) == len(table.header) for row in table.rows)
    on_x = dict(zip(table.header, table.rows[-3], strict=True))
    assert [on_x[name] for name in ("rater_1", "label", "coefficient", "n")] == [
        "a",
        "x",
        "cohen_kappa",
        200,
    ]
    assert on_x["value"] == pytest.approx(0.56)
    assert on_x["specific_agreement"] == pytest.approx(0.8)


def test_a_terminal_is_not_given_a_files_control_characters():
    result = agreement_in(["1,a,\x1b[31mred", "1,b,x", "2,a,x", "2,b,x"])
    text = "\n".join(in_lines(result, everything=True))
    assert "\x1b" not in text
    assert "\\x1b[31mred" in text


def test_what_is_shown_unasked():
    def shown(result):
        return [(line.name, line.raters) for line in lines(result, everything=False)]

    words = ("low", "medium", "high")
    alpha, pair = ("Krippendorff's alpha", "all"), "a and b"
    two = [("Agreement", pair), ("Cohen's kappa", pair)]
    assert shown(agreement_in(cohen(words))) == [alpha, *two]
    weighted = ("Cohen's kappa with linear weights", pair)
    ordinal = ("Krippendorff's alpha, ordinal", "all")
    assert shown(agreement_in(cohen(words), order=words)) == [alpha, ordinal, *two, weighted]
    four = shown(agreement_in(krippendorff()))
    assert four[:4] == [("Agreement", "all"), ("Fleiss' kappa", "all"), alpha, ordinal]
    assert len(four) == 4 + 6 * 3

import pytest

from evaluation.statistics import many_raters, two_raters
from evaluation.tables.sentences import agreement_sentence
from evaluation.tables.words import counted, interval, number, percent, percent_interval


@pytest.mark.parametrize(
    ("value", "shown"), [(0.49152, "0.492"), (-0.2, "−0.200"), (-0.0001, "0.000"), (None, "–")]
)
def test_numbers(value, shown):
    assert number(value) == shown


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ((1, "row"), "1 row"),
        ((0, "row"), "0 rows"),
        ((2, "tag"), "2 tags"),
        ((1375, "response"), "1,375 responses"),
        ((1, "reply", "replies"), "1 reply"),
        ((2, "reply", "replies"), "2 replies"),
    ],
)
def test_a_number_with_its_unit(given, shown):
    assert counted(*given) == shown


def test_shares_and_intervals():
    assert percent(41 / 48) == "85.4 %"
    assert percent(None) == "–"
    assert interval(-0.1, 0.5) == "−0.100 to 0.500"
    assert interval(None, None) == ""
    assert percent_interval(0.728, 0.9276) == "72.8 to 92.8 %"


def prompt(*tables, items=None):
    pairs = [
        {
            "judges": [f"P-{place}", f"Q-{place}"],
            "coefficients": [
                two_raters.percent_agreement(table),
                two_raters.cohen_kappa(table),
            ],
        }
        for place, table in enumerate(tables)
    ]
    everybody = [
        compute(items)
        for compute in (
            many_raters.pairwise_agreement,
            many_raters.fleiss_kappa,
            many_raters.krippendorff_alpha_nominal,
        )
        if items is not None
    ]
    return {"pairs": pairs, "all": everybody, "reason": "Nobody judged."}


def test_two_judges():
    assert agreement_sentence(prompt([[15, 5], [10, 70]])) == (
        "P-0 and Q-0 agree on 85 of 100 responses (85.0 %; 95 % interval 76.7 to 90.7 %, Wilson's). "
        "Cohen's kappa is 0.571 (95 % interval 0.379 to 0.763)."
    )


def test_an_undefined_kappa_keeps_the_agreement():
    sentence = agreement_sentence(prompt([[9, 0], [0, 0]]))
    assert sentence.startswith("P-0 and Q-0 agree on 9 of 9 responses")
    assert "Cohen's kappa is undefined: both raters used one category only" in sentence


def test_a_kappa_of_one_has_no_interval_and_says_why():
    sentence = agreement_sentence(prompt([[5, 0], [0, 5]]))
    assert "Cohen's kappa is 1.000. It has no interval: the closed-form" in sentence


def test_changing_pairs_have_no_single_kappa():
    sentence = agreement_sentence(
        prompt([[3, 1], [0, 4]], [[2, 0], [1, 3]], items=[[2, 0], [1, 1], [0, 2]])
    )
    assert "2 pairs of people" in sentence
    assert "no single Cohen's kappa" in sentence
    assert "agree on 2 of 3 responses" in sentence
    assert "Fleiss' kappa is 0.333" in sentence


def test_three_judges_an_item_are_no_count_of_responses():
    sentence = agreement_sentence(
        prompt([[1, 0], [0, 1]], [[1, 0], [0, 1]], items=[[3, 0], [1, 2]])
    )
    assert "agree in 66.7 % of cases, over 2 responses" in sentence


def test_nothing_measured_gives_the_reason():
    assert agreement_sentence(prompt()) == "Nobody judged."

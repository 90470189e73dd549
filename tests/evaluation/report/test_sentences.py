"""Comparisons, tables and judge models in words: no sentence claims that there is nothing."""

import itertools

import pytest

from evaluation.report.comparison_sentences import comparison_sentence
from evaluation.report.judge_sentences import judge_sentence
from evaluation.tables.verdicts import prompt_sentence
from evaluation.tables.words import p_value, point_ends, points

FAMILY = {"kind": "prompts", "margin": None}


def row(**changed):
    return {
        "model": "quokka", "prompt": "", "first": "4", "second": "5", "value": 16 / 48,
        "low": 0.189, "high": 0.47, "clusters": 40, "interval_reason": "", "p_clustered": 0.00002,
        "p_clustered_corrected": 0.0001, "within": "", "reason": "", "k_1": 5, "n_1": 48, "k_2": 21,
        "n_2": 48, "only_first": 1, "only_second": 17, "p_exact": 0.000145, "p_exact_corrected": 0.000725,
        **changed,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.333, "+33.3"), (-0.1, "\N{MINUS SIGN}10.0"), (0.0, "0.0"), (-0.0001, "0.0"), (None, "–")],
)
def test_points(value, text):
    assert points(value) == text


@pytest.mark.parametrize(
    ("p", "text"), [(0.0004, "< 0.001"), (0.05, "0.050"), (1.0, "1.000"), (None, "–")]
)
def test_p(p, text):
    assert p_value(p) == text


def test_ends_without_an_interval_are_nothing():
    assert point_ends(None, None) == ""


def test_a_difference_whose_interval_leaves_out_0():
    assert comparison_sentence(FAMILY, row(), "correct", "article") == (
        "quokka: correct on 5 of 48 under prompt 4 and 21 of 48 under prompt 5, a difference of +33.3 points "
        "(95 % interval +18.9 to +47.0, resampling 40 articles). The interval leaves out 0; the difference nearest "
        "to it that it holds is +18.9. 17 questions count for the second side alone, 1 for the first alone. "
        "Exact McNemar p < 0.001, < 0.001 after Holm; by resampling articles p < 0.001, < 0.001 after Holm."
    )


def test_an_interval_that_holds_0_says_what_cannot_be_ruled_out():
    sentence = comparison_sentence(
        FAMILY, row(value=0.02, low=-0.05, high=0.12), "correct", "article"
    )
    ends = "\N{MINUS SIGN}5.0 and +12.0"
    assert f"The interval holds 0, and it holds {ends}: none of these can be ruled out." in sentence


@pytest.mark.parametrize(
    ("within", "words"),
    [
        ("equivalent", "equivalent by that margin"),
        ("different", "different by that margin"),
        ("undecided", "neither equivalence nor a difference by that margin is shown"),
        ("", "nothing is said about the margin of 10 points"),
    ],
)
def test_a_margin_in_words(within, words):
    family = {"kind": "prompts", "margin": 0.1}
    assert words in comparison_sentence(family, row(within=within), "correct", "article")


def test_models_and_kinds_of_reasoning_are_named():
    models = comparison_sentence(
        {"kind": "models", "margin": None},
        row(model="", prompt="5", first="a", second="b"),
        "correct",
        "article",
    )
    assert models.startswith("Prompt 5: correct on 5 of 48 for a and 21 of 48 for b")
    kinds = comparison_sentence(
        {"kind": "reasoning", "margin": None},
        row(prompt="5", first="implicit", second="explicit", p_exact=None, only_first=None),
        "correct",
        "article",
    )
    assert kinds.startswith(
        "quokka on prompt 5: correct on 5 of 48 implicit questions and 21 of 48 explicit questions"
    )


def test_a_difference_of_gains():
    gains = row(
        explicit={"value": 0.467, "n_1": 30}, implicit={"value": 0.118, "n_1": 17}, value=0.349
    )
    sentence = comparison_sentence({"kind": "gains", "margin": None}, gains, "correct", "article")
    assert sentence.startswith(
        "quokka: from prompt 4 to 5 the share of correct responses moves by +46.7 points on 30 explicit questions "
        "and by +11.8 on 17 implicit ones, a difference of +34.9 points (95 % interval"
    )


def test_what_could_not_be_compared_says_why():
    sentence = comparison_sentence(
        FAMILY,
        row(value=None, reason="No question has a verdict on both sides."),
        "correct",
        "article",
    )
    assert sentence == "quokka: not compared. No question has a verdict on both sides."


def test_no_sentence_says_that_there_is_no_difference_or_effect():
    kinds, ends = ("prompts", "models", "reasoning"), ((-0.1, 0.1), (None, None), (0.0, 0.0))
    values = (0.0, 0.3)
    for kind, (low, high), value, within in itertools.product(
        kinds, ends, values, ("", "equivalent", "undecided")
    ):
        sentence = comparison_sentence(
            {"kind": kind, "margin": 0.1},
            row(value=value, low=low, high=high, within=within, interval_reason="Too few."),
            "correct",
            "article",
        ).lower()
        for claim in ("no difference", "no effect", "not differ", "the same", "not significant"):
            assert claim not in sentence


CELL = {"model": "m", "k": 21, "n": 48, "low": 0.307, "high": 0.577, "cluster_low": None}


def test_a_table_in_words_names_its_interval_and_method():
    clustered = {**CELL, "cluster_low": 0.29, "cluster_high": 0.6, "clusters": 40}
    assert prompt_sentence("5", "correct", [clustered], "article") == (
        "On prompt 5, m is correct on 21 of 48 (43.8 %; 95 % interval 29.0 to 60.0 %, resampling 40 articles)."
    )
    assert prompt_sentence("5", "correct", [CELL], "article").endswith(
        "95 % interval 30.7 to 57.7 %, Wilson's)."
    )


def test_of_several_models_the_lowest_and_the_highest_stand_in_the_sentence():
    sentence = prompt_sentence("5", "correct", [CELL, {**CELL, "model": "x", "k": 5}], "article")
    assert sentence.index("5 of 48") < sentence.index("21 of 48")
    assert "for x and" in sentence


def test_a_table_without_verdicts_says_so():
    assert prompt_sentence("5", "correct", [{**CELL, "n": 0, "k": 0}], "article") == (
        "No response has a final verdict here."
    )


def test_a_judge_model_in_words():
    accuracy = {"k": 205, "n": 240, "low": 0.8, "high": 0.9, "cluster_low": None, "reason": ""}
    macro = {"value": 0.744, "reason": "", "cluster_low": 0.7, "cluster_high": 0.8, "clusters": 40}
    prompt = {"prompt": "5", "accuracy": accuracy, "macro_f": macro, "unparsed": 3}
    assert judge_sentence("Llama", prompt, "article") == (
        "On prompt 5, Llama gives people's final verdict on 205 of 240 (85.4 %; 95 % interval 80.0 to 90.0 %, "
        "Wilson's); 3 replies are without a verdict and count as wrong. Macro-F is 0.744 (95 % interval 0.700 to "
        "0.800, resampling 40 articles)."
    )


def test_a_judge_model_without_numbers_says_why():
    accuracy = {"k": 0, "n": 0, "reason": "No response has both."}
    prompt = {"prompt": "5", "accuracy": accuracy, "macro_f": {}, "unparsed": 0}
    assert judge_sentence("Llama", prompt, "article") == "Llama on prompt 5: No response has both."


def test_one_is_told_in_the_singular():
    sentence = comparison_sentence(FAMILY, row(only_second=1, only_first=0), "correct", "article")
    assert "1 question counts for the second side alone, 0 for the first alone." in sentence
    sentence = comparison_sentence(FAMILY, row(only_second=2, only_first=0), "correct", "article")
    assert "2 questions count for the second side alone" in sentence
    accuracy = {"k": 2, "n": 3, "low": 0.2, "high": 0.9, "cluster_low": None, "reason": ""}
    macro = {"value": 0.5, "reason": "", "cluster_low": None}
    prompt = {"prompt": "5", "accuracy": accuracy, "macro_f": macro, "unparsed": 1}
    assert "1 reply is without a verdict and counts as wrong" in judge_sentence(
        "L", prompt, "article"
    )

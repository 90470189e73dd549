"""Agreement of annotators against scikit-learn, numbers by hand, and the formulas of evaluation/statistics."""

import random
from itertools import product

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, f1_score

from datasets.taxonomy import DIMENSIONS
from evaluation.annotators.measures import (
    MEASURES,
    Entered,
    by_tag,
    compared,
    comparisons,
    labels_of,
)
from evaluation.annotators.overlap import overlap
from evaluation.annotators.stage_agreement import (
    label_counts,
    mean_overlap,
    over_all,
    pair_block,
    stage_agreement,
)
from evaluation.sections.agreement_so_far import Called, in_short
from evaluation.statistics.bootstrap import ResamplePlan
from evaluation.statistics.coefficient import UNEQUAL
from evaluation.tables import sentences
from evaluation.tables.annotators import population
from evaluation.tables.sentences import coefficient_of

TYPE_I, TYPE_II, TYPE_III, TYPE_IV = (one.values for one in DIMENSIONS)
PLAN = ResamplePlan(7, 200)


def entered(tag, annotator, validity="Valid", types=None, **more):
    types = types or ((TYPE_I[0],), (TYPE_II[0],), (TYPE_III[0],), (TYPE_IV[0],))
    return Entered(
        tag_id=tag,
        round=1,
        tag=tag,
        article=more.pop("article", f"article {tag}"),
        title="Kettle Mill",
        annotator=annotator,
        validity=validity,
        types=types if validity == "Valid" else ((), (), (), ()),
        **more,
    )


def drawn(annotators=("A", "B"), tags=40, seed=1):
    """Annotations at random, which agree mostly; some tags with several options in one dimension."""
    chance = random.Random(seed)
    annotations = []
    for tag in range(tags):
        true = chance.choice(TYPE_I[:3])
        for name in annotators:
            first = true if chance.random() < 0.7 else chance.choice(TYPE_I[:3])
            several = tuple(sorted({first, *([TYPE_I[2]] if chance.random() < 0.2 else [])}))
            types = (
                several,
                (chance.choice(TYPE_II[:2]),),
                (TYPE_III[0],),
                (chance.choice(TYPE_IV),),
            )
            validity = "Valid" if chance.random() < 0.8 else "Invalid"
            annotations.append(entered(tag, name, validity, types, article=f"article {tag // 2}"))
    return annotations


def measure(stage, key):
    return next(one for one in stage["measures"] if one["key"] == key)


def values(coefficients):
    return {one["name"]: one["value"] for one in coefficients}


LABELLED = [key for key in MEASURES if key not in TYPE_I[3:]]


@pytest.mark.parametrize("key", LABELLED)
def test_each_measure_of_two_annotators_equals_scikit_learns(key):
    annotations = drawn()
    stage = stage_agreement("before", annotations, PLAN)
    given = {(one.annotator, one.tag): MEASURES[key].label_of(one) for one in annotations}
    pairs = [(given["A", tag], given["B", tag]) for tag in range(40)]
    pairs = [pair for pair in pairs if None not in pair]
    firsts, seconds = zip(*pairs, strict=True)
    (two,) = measure(stage, key)["pairs"]
    found = values(two["coefficients"])
    assert found["percent_agreement"] == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))
    if len({*firsts, *seconds}) == 1:
        assert found["cohen_kappa"] is None
        assert "one category" in coefficient_of(two["coefficients"], "cohen_kappa")["reason"]
    else:
        assert found["cohen_kappa"] == pytest.approx(cohen_kappa_score(firsts, seconds))
    assert coefficient_of(two["coefficients"], "cohen_kappa")["n"] == len(pairs)


def test_what_is_resampled_is_the_number_that_is_shown():
    """Each formula, over all tags, gives its coefficient: else the interval would be of another number."""
    annotations = drawn(("A", "B", "C"), tags=60, seed=3)
    items, pairs = by_tag(annotations), comparisons(annotations)
    two = [item[:2] for item in items]
    blocks = [mean_overlap(0, items, pairs)]
    for measure in MEASURES.values():
        labels = labels_of(measure, items)
        blocks.append(over_all(label_counts(measure, labels, items)))
        blocks.append(pair_block(measure, labels, two)[1])
    for block in blocks:
        shown = [one["value"] for one in block.coefficients]
        computed = block.formula(block.features.sum(axis=0))
        for value, again, one in zip(shown, computed, block.coefficients, strict=True):
            if value is not None:
                assert again == pytest.approx(value), one["name"]
            elif one["reason"] != UNEQUAL:
                assert np.isnan(again), one["name"]


def test_the_resampled_articles_are_those_with_tags_that_the_number_uses():
    """Ten articles have a tag that both call valid; validity is compared on all thirty."""
    annotations = [
        entered(tag, name, "Valid" if tag < 10 else "Invalid")
        for tag, name in product(range(30), "AB")
    ]
    stage = stage_agreement("before", annotations, PLAN)
    clusters = [
        coefficient_of(measure(stage, key)["all"], "percent_agreement")["clustered"]["clusters"]
        for key in ("validity", "type I")
    ]
    assert clusters == [30, 10]


def test_three_annotators_who_change_from_tag_to_tag_have_kappa_for_each_two():
    annotations = [
        one for one in drawn(("A", "B", "C"), tags=30) if "ABC".index(one.annotator) != one.tag % 3
    ]
    stage = stage_agreement("before", annotations, PLAN)
    validity = measure(stage, "validity")
    assert [two["annotators"] for two in validity["pairs"]] == [["A", "B"], ["A", "C"], ["B", "C"]]
    assert [
        coefficient_of(two["coefficients"], "cohen_kappa")["n"] for two in validity["pairs"]
    ] == [
        10,
        10,
        10,
    ]
    assert coefficient_of(validity["all"], "fleiss_kappa")["n"] == 30
    assert (stage["tags"], stage["comparisons"]) == (30, 30)


def called(item):
    names = sorted("ABC".index(one.annotator) for one in item)
    say_valid = sorted("ABC".index(one.annotator) for one in item if one.is_valid)
    first = min(say_valid, default=None)
    return Called(1, len(item), len(say_valid), names[0], names[-1], first)


@pytest.mark.parametrize(
    ("annotators", "leaves_out", "name"),
    [
        (("A", "B"), False, "cohen_kappa"),
        (("A", "B", "C"), False, "fleiss_kappa"),
        (("A", "B", "C"), True, "fleiss_kappa"),
    ],
)
def test_the_sentence_of_a_campaign_has_the_numbers_of_the_whole_table(
    annotators, leaves_out, name
):
    annotations = [
        one
        for one in drawn(annotators, tags=30)
        if not (leaves_out and "ABC".index(one.annotator) == one.tag % 3)
    ]
    validity = measure(stage_agreement("before", annotations, None), "validity")
    two = validity["pairs"][0]["coefficients"] if name == "cohen_kappa" else validity["all"]
    share = sentences.percent(coefficient_of(validity["all"], "percent_agreement")["value"])
    kappa = sentences.number(coefficient_of(two, name)["value"])
    (sentence,) = in_short(map(called, by_tag(annotations)))
    assert f": {share} agreement on valid or invalid over 30 tags; " in sentence
    assert sentence.endswith(f"{sentences.NAMES[name]} {kappa}.")


def test_a_tag_that_one_person_calls_invalid_is_in_no_dimension():
    annotations = [entered(1, "A"), entered(1, "B", "Invalid"), entered(2, "A"), entered(2, "B")]
    stage = stage_agreement("before", annotations, PLAN)
    assert coefficient_of(measure(stage, "validity")["all"], "percent_agreement")["value"] == 0.5
    assert coefficient_of(measure(stage, "type I")["all"], "percent_agreement")["n"] == 1
    assert measure(stage, "passage 1")["all"][0]["value"] is None


def test_a_tag_that_is_in_no_dimension_adds_no_label_to_it():
    """AC1 takes chance from the number of labels: with one more it would be another number."""
    drawn_ones = drawn()
    other = entered(40, "A", types=((TYPE_I[5],), (TYPE_II[0],), (TYPE_III[0],), (TYPE_IV[0],)))
    stages = [
        stage_agreement("before", [*drawn_ones, *more], PLAN)
        for more in ([], [other, entered(40, "B", "Invalid")])
    ]
    without, with_it = (measure(stage, "type I") for stage in stages)
    assert with_it["labels"] == without["labels"]
    assert with_it["counts"] == without["counts"]
    for one, other in zip(
        [without["all"], without["pairs"][0]["coefficients"]],
        [with_it["all"], with_it["pairs"][0]["coefficients"]],
        strict=True,
    ):
        assert values(one) == values(other)


def test_a_dimension_agrees_if_the_sets_are_equal_whatever_their_size():
    both = ((TYPE_I[0], TYPE_I[2]), (TYPE_II[0],), (TYPE_III[0],), (TYPE_IV[0],))
    annotations = [entered(1, "A", types=both), entered(1, "B", types=both)]
    annotations += [entered(2, "A", types=both), entered(2, "B")]
    stage = stage_agreement("before", annotations, PLAN)
    assert coefficient_of(measure(stage, "type I")["all"], "percent_agreement")["value"] == 0.5
    assert coefficient_of(measure(stage, TYPE_I[0])["all"], "percent_agreement")["value"] == 1
    assert coefficient_of(measure(stage, TYPE_I[2])["all"], "percent_agreement")["value"] == 0.5
    assert measure(stage, TYPE_I[2])["counts"] == [3, 1]


def test_nothing_to_compare_gives_no_number():
    stage = stage_agreement("before", [entered(1, "A"), entered(2, "B")], PLAN)
    assert (stage["tags"], stage["measures"]) == (0, [])


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("It was built in 1801.", "built in 1801", 2 * 3 / (5 + 3)),
        ("The MILL", "the mill", 1.0),
        ("a a b", "a b b", 2 * 2 / 6),
        ("mill", "weir", 0.0),
        ("in 1801 … in 1802", "in 1801, in 1802", 1.0),
        ("Café", "cafe\u0301", 1.0),
        ("mill", "", 0.0),
        ("", " … ", None),
    ],
)
def test_overlap_by_hand(first, second, expected):
    assert overlap(first, second) == expected
    assert overlap(second, first) == expected


def test_overlap_of_different_words_is_their_f1():
    first, second = ["one", "two", "three", "four"], ["two", "three", "five"]
    every = sorted({*first, *second})
    marks = [[word in text for word in every] for text in (first, second)]
    assert overlap(" ".join(first), " ".join(second)) == pytest.approx(f1_score(*marks))


def test_passages_in_the_other_order_are_compared_in_the_order_that_fits():
    texts = {
        "passages": ("The mill has 12 panes", "It was built in 1801"),
        "spans": ("12 panes", "1801"),
    }
    turned = {name: pair[::-1] for name, pair in texts.items()}
    pair = compared(entered(1, "A", **texts), entered(1, "B", **turned))
    assert pair.overlaps == (1, 1, 1, 1)


def test_a_span_that_both_left_empty_is_not_counted():
    texts = {"passages": ("One text", "Another text")}
    pair = compared(entered(1, "A", spans=("text", ""), **texts), entered(1, "B", **texts))
    assert pair.overlaps == (1, 1, 0, None)


def test_the_mean_overlap_is_over_tags_not_over_pairs():
    """Three pairs of the first tag count as much as one pair of the second."""
    texts = [entered(1, name, passages=("same words", "x")) for name in "ABC"]
    texts += [entered(2, name, passages=(text, "x")) for name, text in (("A", "one"), ("B", "two"))]
    stage = stage_agreement("before", texts, PLAN)
    found = measure(stage, "passage 1")["all"][0]
    assert (found["value"], found["n"]) == (0.5, 2)


def test_a_low_kappa_where_most_agree_is_named():
    """18 of 20 tags valid for both, one each for one alone: 90 % agree, and kappa is about 0."""
    invalid = {"A": {18}, "B": {19}}
    both = [
        entered(tag, name, "Invalid" if tag in invalid[name] else "Valid")
        for name in ("A", "B")
        for tag in range(20)
    ]
    shown = population(1, stage_agreement("before", both, PLAN))
    assert shown.misleading == ["Valid or invalid"]

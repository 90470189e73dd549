"""A judge model's scores: the paper's table 4, scikit-learn's numbers, and the cases without a number."""

import random

import pytest
from sklearn.metrics import accuracy_score, f1_score, precision_recall_fscore_support

from evaluation.statistics.scores import NO_ITEMS, scores

LABELS = ("correct", "partially correct", "incorrect")


def expanded(table, unparsed):
    """The same as two lists of labels, an unparsed reply as a label of its own."""
    pairs = [
        (LABELS[i], LABELS[j]) for i in range(3) for j in range(3) for _ in range(table[i][j])
    ] + [(LABELS[i], "unparsed") for i in range(3) for _ in range(unparsed[i])]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def test_the_best_open_judge_of_the_paper():
    # Diagonal 45/149/11, predicted 62/155/23, people 50/170/20; what lies off the diagonal is one way to
    # fill it in, on which no score depends.
    table = [[45, 3, 2], [11, 149, 10], [6, 3, 11]]
    result = scores(table, [0, 0, 0], LABELS)
    assert [sum(row) for row in table] == [50, 170, 20]
    assert [sum(column) for column in zip(*table, strict=True)] == [62, 155, 23]
    assert round(100 * result.accuracy.value, 1) == 85.4
    assert [round(100 * one.f, 1) for one in result.classes] == [80.4, 91.7, 51.2]
    assert round(100 * result.macro_f, 1) == 74.4
    assert [round(100 * one.precision.value, 1) for one in result.classes] == [72.6, 96.1, 47.8]
    assert [round(100 * one.recall.value, 1) for one in result.classes] == [90.0, 87.6, 55.0]


@pytest.mark.parametrize("draw", range(20))
def test_scikit_learn_agrees(draw):
    chance = random.Random(draw)
    table = [[chance.randint(0, 9) for _ in range(3)] for _ in range(3)]
    unparsed = [chance.randint(0, 3) for _ in range(3)]
    people, model = expanded(table, unparsed)
    result = scores(table, unparsed, LABELS)
    assert result.accuracy.value == pytest.approx(accuracy_score(people, model))
    precision, recall, f, _ = precision_recall_fscore_support(
        people, model, labels=list(LABELS), zero_division=0
    )
    for one, p, r, both in zip(result.classes, precision, recall, f, strict=True):
        assert (one.precision.value or 0) == pytest.approx(p)
        assert (one.recall.value or 0) == pytest.approx(r)
        assert one.f == pytest.approx(both)
    assert result.macro_f == pytest.approx(
        f1_score(people, model, labels=list(LABELS), average="macro", zero_division=0)
    )


def test_an_unparsed_reply_is_wrong_in_accuracy_and_recall_and_absent_from_precision():
    result = scores([[8, 0, 0], [0, 4, 0], [0, 0, 2]], [2, 0, 0], LABELS)
    correct = result.classes[0]
    assert (result.accuracy.k, result.accuracy.n, result.unparsed) == (14, 16, 2)
    assert (correct.precision.k, correct.precision.n) == (8, 8)
    assert (correct.recall.k, correct.recall.n) == (8, 10)


def test_the_mean_is_over_the_three_labels_and_has_no_fourth():
    result = scores([[4, 0, 0], [0, 4, 0], [0, 0, 4]], [4, 4, 4], LABELS)
    assert [one.f for one in result.classes] == [pytest.approx(2 / 3)] * 3
    assert result.macro_f == pytest.approx(2 / 3)


def test_a_verdict_that_nobody_gave_has_no_f_and_the_mean_none_either():
    result = scores([[5, 0, 0], [0, 3, 0], [0, 0, 0]], [0, 0, 0], LABELS)
    unused = result.classes[2]
    assert (unused.f, unused.precision.value, unused.recall.value) == (None, None, None)
    assert all([unused.reason, unused.precision.reason, unused.recall.reason])
    assert (result.macro_f, result.accuracy.value) == (None, 1.0)
    assert "no mean over all" in result.reason


def test_a_verdict_only_people_gave_has_an_f_of_0_and_no_precision():
    result = scores([[5, 0, 0], [0, 3, 0], [1, 1, 0]], [0, 0, 0], LABELS)
    assert (result.classes[2].f, result.classes[2].precision.value) == (0.0, None)
    assert result.macro_f is not None


def test_no_response_gives_reasons_and_no_number():
    result = scores([[0] * 3] * 3, [0] * 3, LABELS)
    assert (result.accuracy.value, result.macro_f) == (None, None)
    assert result.accuracy.reason == result.reason == NO_ITEMS


@pytest.mark.parametrize(
    ("table", "unparsed"),
    [
        ([[1, 2], [3, 4]], [0, 0, 0]),
        ([[1] * 3] * 3, [0]),
        ([[-1, 0, 0], [0] * 3, [0] * 3], [0] * 3),
    ],
)
def test_counts_of_another_shape_are_refused(table, unparsed):
    with pytest.raises(ValueError, match="ounts"):
        scores(table, unparsed, LABELS)

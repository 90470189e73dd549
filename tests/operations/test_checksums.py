"""The same rows say the same, in whatever order and form a database gives them back."""

import pytest

from operations.checksums import Checksum


def summed(*rows):
    total = Checksum()
    for row in rows:
        total.add(row)
    return total


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([[1, "a"], [2, "b"]], [[2, "b"], [1, "a"]]),
        ([[{"a": 1, "b": 2}]], [[{"b": 2, "a": 1}]]),
        ([[{"x": 1e16}]], [[{"x": 10000000000000000}]]),
        ([[[2.0, [3.0]]]], [[[2, [3]]]]),
        ([["\ud800"]], [["\ud800"]]),
    ],
)
def test_rows_that_say_the_same_have_one_sum(one, other):
    assert summed(*one) == summed(*other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([[1, "a"]], [[1, "b"]]),
        ([[1, "a"]], [[1, "a"], [1, "a"]]),
        ([[None]], [[""]]),
        ([[True]], [[1]]),
        ([[["a", "b"]]], [[["b", "a"]]]),
        ([["a", "b"]], [["b", "a"]]),
        ([[0.5]], [[0.25]]),
    ],
)
def test_rows_that_say_something_else_have_another(one, other):
    assert summed(*one) != summed(*other)


def test_a_sum_counts_its_rows():
    assert summed([1], [2], [3]).rows == 3
    assert Checksum().hash == "0" * 64

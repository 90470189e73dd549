"""Hours of reading: a question's passages once while its responses follow each other."""

import pytest

from judging.rules.reading import WORDS_A_MINUTE, Reading, hours, words

A, B = Reading("a", 10, 100), Reading("b", 20, 200)


@pytest.mark.parametrize(
    ("order", "read"),
    [
        ([], 0),
        ([A], 110),
        ([A, A, B], 100 + 20 + 220),
        ([A, B, A], 110 + 220 + 110),
        ([A, Reading("a", 5, 300)], 10 + 5 + 300),
    ],
)
def test_hours(order, read):
    assert hours(order) == pytest.approx(read / WORDS_A_MINUTE / 60)


def test_words():
    assert words("The  mill\nof 1911.", "", "Yes") == 5

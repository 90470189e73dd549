"""Numbers with their nouns."""

import pytest

from pages.counting import duration, how_many


@pytest.mark.parametrize(
    ("n", "nouns", "expected"),
    [
        (0, ("response",), "0 responses"),
        (1, ("response",), "1 response"),
        (2, ("response",), "2 responses"),
        (1, ("history", "histories"), "1 history"),
        (3, ("history", "histories"), "3 histories"),
    ],
)
def test_only_one_is_singular(n, nouns, expected):
    assert how_many(n, *nouns) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "1 second"),
        (39.2, "40 seconds"),
        (121, "3 minutes"),
        (7200, "120 minutes"),
        (7201, "3 hours"),
        (400_000, "5 days"),
    ],
)
def test_a_time_is_rounded_up_in_its_unit(seconds, expected):
    assert duration(seconds) == expected

"""Numbers with their nouns."""

import pytest

from pages.counting import how_many


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

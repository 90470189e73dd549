"""Numbers with their words."""

import pytest

from pages.counting import how_many


@pytest.mark.parametrize(
    ("n", "words", "said"),
    [
        (0, ("response",), "0 responses"),
        (1, ("response",), "1 response"),
        (2, ("response",), "2 responses"),
        (1, ("history", "histories"), "1 history"),
        (3, ("history", "histories"), "3 histories"),
    ],
)
def test_one_is_one_and_all_else_many(n, words, said):
    assert how_many(n, *words) == said

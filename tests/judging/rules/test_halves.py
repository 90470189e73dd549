"""The halves of a study's articles."""

import pytest

from judging.rules.halves import DEVELOPMENT, HELD_OUT, split

TITLES = [f"Abbey {n}" for n in range(41)]


@pytest.mark.parametrize("size", [0, 1, 2, 7, 40, 41])
def test_every_article_is_in_one_half_and_the_held_out_one_is_never_the_smaller(size):
    halves = split(7, TITLES[:size])
    assert not halves.development & halves.held_out
    assert halves.development | halves.held_out == set(TITLES[:size])
    assert len(halves.held_out) - len(halves.development) == size % 2


def test_the_seed_decides_and_the_order_of_articles_does_not():
    assert split(7, TITLES) == split(7, [*reversed(TITLES), *TITLES])
    assert split(7, TITLES) != split(8, TITLES)


def test_a_half_is_named():
    halves = split(7, TITLES)
    assert (halves.of(HELD_OUT), halves.of(DEVELOPMENT)) == (
        halves.held_out,
        halves.development,
    )

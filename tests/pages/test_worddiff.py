"""What changed between two texts, shown word by word."""

import pytest

from pages.worddiff import MOST_PAIRS, word_diff

LONG = [f"Mill {n} was built by Ann Kettle in {1700 + n}." for n in range(400)]


@pytest.mark.parametrize(
    ("before", "after", "pieces"),
    [
        ("", "", []),
        ("The mill.", "The mill.", [("same", "The mill.")]),
        ("", "New.", [("new", "New.")]),
        ("Old.", "", [("gone", "Old.")]),
        (
            "Built in 1801 here.",
            "Built in 1811 here.",
            [("same", "Built in "), ("gone", "1801"), ("new", "1811"), ("same", " here.")],
        ),
    ],
)
def test_pieces_in_reading_order(before, after, pieces):
    assert word_diff(before, after) == pieces


def test_a_long_text_is_compared_too_and_shows_the_word_that_changed():
    changed = [*LONG[:200], LONG[200].replace("Ann", "Bea"), *LONG[201:]]
    pieces = word_diff(" ".join(LONG), " ".join(changed))
    assert [piece for piece in pieces if piece.kind != "same"] == [("gone", "Ann"), ("new", "Bea")]


def test_so_is_a_long_one_without_sentences():
    row = [f"| {n} || a" for n in range(1_000)]
    changed = [*row[:500], "| 7 || b", *row[501:]]
    pieces = word_diff(" ".join(row), " ".join(changed))
    assert [piece for piece in pieces if piece.kind != "same"] == [
        ("gone", "500"),
        ("new", "7"),
        ("gone", "a"),
        ("new", "b"),
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a b " * 2_000, "a c " * 2_000),
        ("a. b. " * 2_000, "a. c. " * 2_000),
        ("x\n" * 4_000, "x\n" * 3_999),
        (" ".join(LONG), "\n".join(reversed(LONG))),
    ],
    ids=range(4),
)
def test_texts_that_repeat_themselves_are_not_compared_for_minutes(before, after):
    """A comparison is cubic at worst; nothing is lost where it is given up."""
    pieces = word_diff(before, after)
    assert "".join(p.text for p in pieces if p.kind != "new") == before
    assert "".join(p.text for p in pieces if p.kind != "gone") == after
    assert len(before.split()) ** 2 > MOST_PAIRS

import pytest

from datasets.contexts import ranges_in, segments

PASSAGE = "Built in 1791, burnt in 1803, built again in 1804."


@pytest.mark.parametrize(
    ("span", "kept", "ranges"),
    [
        ("1803", [], [(24, 28)]),
        (" built ", [], [(30, 35)]),
        ("1805", [], []),
        ("", [], []),
        (None, [], []),
        ("1803", [[9, 13], [45, 49]], [(9, 13), (45, 49)]),
        ("1803", [[45, 49], [9, 13], [10, 20]], [(9, 20), (45, 49)]),
        ("1803", [[9, 9]], [(24, 28)]),
        ("1803", [[9, 500]], [(24, 28)]),
        ("1803", [[9]], [(24, 28)]),
    ],
)
def test_a_span_is_at_its_chosen_range_else_at_its_first_occurrence(span, kept, ranges):
    assert ranges_in(PASSAGE, span, kept) == ranges


def test_the_pieces_joined_are_the_passage():
    pieces = segments(PASSAGE, [(0, 5), (9, 13)])
    assert pieces[:3] == [("Built", True), (" in ", False), ("1791", True)]
    assert "".join(text for text, _ in pieces) == PASSAGE

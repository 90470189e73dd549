"""What a tag's reason says, as a person reads it."""

import pytest

from wikifetch.models import Sighting


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("", ""),
        ("5 < 6, and 7 = 7", "5 < 6, and 7 = 7"),
        ("Males span {{nowrap|34 mm}}.", "Males span 34 mm."),
        ("See [[Mill|the mill]], ''not'' here", "See the mill, not here"),
        ("AT&amp;T", "AT&T"),
    ],
)
def test_a_reason_is_read_without_its_markup(reason, words):
    assert Sighting(reason=reason).reason_words == words


def test_a_reason_longer_than_any_is_not_parsed():
    """A page of the list shows fifty of them."""
    reason = "''old'' mill, " * 200
    assert Sighting(reason=reason).reason_words == reason

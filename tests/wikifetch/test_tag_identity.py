"""Which tag of a later revision is which of an earlier one."""

import pytest

from wikifetch.history.tag_identity import TagPlace, place_of, same_tags, unchanged_tags
from wikifetch.wikitext import find_tags

TAG = "{{Inconsistent|date=May 2020}}"
DATED = "{{Inconsistent|date=June 2020}}"
BARE = "{{Inconsistent}}"
OTHER = "{{Contradict-inline|reason=Year}}"

HISTORY = "== History ==\nThe mill was built by Ann Kettle in 1801 on the old ford.{}\n\n"
OWNERS = "== Owners ==\nTom Kettle sold it to the town after the great fire of 1850.{}\n"


def places(text):
    return [place_of(tag) for tag in find_tags(text).tags]


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        pytest.param([TAG, ""], [TAG, ""], {0: 0}, id="nothing changed"),
        pytest.param([BARE, ""], [DATED, ""], {0: 0}, id="a bot dates it"),
        pytest.param([TAG, OTHER], [TAG, OTHER], {0: 0, 1: 1}, id="two tags"),
        pytest.param([TAG, OTHER], ["", OTHER], {0: 1}, id="the first is removed"),
        pytest.param([TAG, TAG], ["", TAG], {0: 1}, id="one of two copies is removed"),
        pytest.param(["", TAG], [TAG, TAG], {1: 0}, id="a second copy is added above"),
        pytest.param([TAG, ""], ["", ""], {}, id="removed"),
        pytest.param(["", ""], [TAG, ""], {}, id="added"),
        pytest.param([OTHER, ""], ["", TAG], {}, id="another tag elsewhere"),
        pytest.param([TAG + TAG, ""], [TAG + TAG + TAG, ""], {0: 0, 1: 1}, id="a third copy"),
    ],
)
def test_the_same_words_at_the_same_place_first(before, after, same):
    old, new = (places(HISTORY.format(a) + OWNERS.format(b)) for a, b in (before, after))
    assert same_tags(old, new) == same


@pytest.mark.parametrize(
    "change",
    [
        ("in 1801", "in the spring of 1801"),
        ("== History ==", "== Early history =="),
        ("The mill was", "Some say that the mill was"),
        (TAG, "{{Contradict-inline|date=May 2020|reason=Lead says 1799}}"),
    ],
)
def test_an_edit_of_the_paragraph_or_of_the_tag_keeps_it(change):
    before = HISTORY.format(TAG)
    assert same_tags(places(before), places(before.replace(*change))) == {0: 0}


def test_a_tag_moved_with_its_paragraph_is_the_same():
    paragraph = HISTORY.format(TAG).split("\n")[1]
    assert same_tags(places(HISTORY.format(TAG)), places(f"== Owners ==\n{paragraph}\n")) == {0: 0}


def test_each_tag_is_taken_once_and_the_closest_wins():
    old = [
        TagPlace(TAG, "inconsistent", "A", "one two three four"),
        TagPlace(TAG, "inconsistent", "B", "five six"),
    ]
    new = [
        TagPlace(DATED, "inconsistent", "B", "five six seven"),
        TagPlace(DATED, "inconsistent", "A", "one two four"),
    ]
    assert same_tags(old, new) == {0: 1, 1: 0}


def test_one_of_two_in_a_section_is_removed():
    text = f"== A ==\nOne two three.{TAG}\n\nFour five six.{TAG}"
    first, second = text.replace(f"six.{TAG}", "six."), text.replace(f"three.{TAG}", "three.")
    assert same_tags(places(text), places(first)) == {0: 0}
    assert same_tags(places(text), places(second)) == {0: 1}


def test_the_same_words_in_the_same_section_win_over_a_likelier_paragraph():
    before = [TagPlace(TAG, "inconsistent", "A", "one two three four")]
    rewritten = TagPlace(TAG, "inconsistent", "A", "quite another text")
    likelier = TagPlace(OTHER, "inconsistent", "A", "one two three four five")
    assert same_tags(before, [likelier, rewritten]) == {1: 0}


def test_a_tag_that_had_gone_is_back_only_unchanged():
    old = places(HISTORY.format(TAG))
    assert unchanged_tags(old, places(HISTORY.format(TAG))) == {0: 0}
    assert unchanged_tags(old, places(HISTORY.format(DATED))) == {}

"""Which tag of a later revision is which of an earlier one."""

import pytest

from wikifetch.history.tag_identity import TagPlace, place_of, returned_tags, same_tags
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


WEIR = "The weir is {} m high.{} It was opened by the mayor of the town."
MILL = "The mill was built in 1920 by the brothers Smith on the other bank.{}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param((WEIR, "12", TAG), (WEIR, "14", ""), id="a value corrected"),
        pytest.param((WEIR, "12", TAG), ("It was opened by the mayor of the town.",), id="cut"),
        pytest.param(
            (WEIR, "12", TAG),
            (WEIR, "14", "<ref>{{cite book|title=Weirs of the Elbe|year=2001|page=4}}</ref>"),
            id="a source given",
        ),
        pytest.param(("* 12 m{}\n* oak", TAG), ("* 12 m\n* oak",), id="a list item"),
        pytest.param(
            ("{{{{Infobox|\n| a = 12 m{}\n}}}}", TAG), ("{{Infobox|\n| a = 12 m\n}}",), id="a field"
        ),
        pytest.param(
            ("堤の高さは十二米である。{}町長が開いた。", TAG),
            ("堤の高さは十四米である。町長が開いた。",),
            id="no blanks",
        ),
    ],
)
@pytest.mark.parametrize("new", [TAG, "{{Inconsistent|date=June 2020|reason=1921 in the lead}}"])
def test_a_settled_tag_and_a_new_one_of_its_section_are_two(before, after, new):
    text = "== Structure ==\n{}\n\n{}\n"
    first, *values = before
    old = text.format(first.format(*values), MILL.format(""))
    first, *values = after
    now = text.format(first.format(*values) if values else first, MILL.format(new))
    assert same_tags(places(old), places(now), now) == {}


@pytest.mark.parametrize(
    "after",
    [
        pytest.param("The weir is 12 m high.{}\n\nIt was opened by the mayor.", id="split"),
        pytest.param(
            "The weir is 14 m high, says its owner.{} It was opened by a mayor of it.",
            id="reworded",
        ),
        pytest.param(f"{MILL.format('')} {WEIR.format(12, '{}')}", id="joined with the next"),
        pytest.param(f"{WEIR.format(12, '{}')}\n\n{WEIR.format(12, '')}", id="repeated below"),
    ],
)
def test_a_tag_stays_where_its_words_are(after):
    text = "== Structure ==\n{}\n\nA ford.\n"
    now = text.format(after.format(DATED))
    assert same_tags(places(text.format(WEIR.format(12, BARE))), places(now), now) == {0: 0}


def test_common_words_and_the_section_make_no_tag_the_same():
    before = [TagPlace(TAG, "inconsistent", "A", WEIR.format(12, TAG))]
    assert same_tags(before, [TagPlace(DATED, "inconsistent", "A", MILL.format(DATED))]) == {}


def test_a_tag_that_had_gone_is_back_in_a_block_like_its_own():
    old = places(HISTORY.format(TAG))
    assert returned_tags(old, places(HISTORY.format(TAG).replace("1801", "1799"))) == {0: 0}
    assert returned_tags(old, places(OWNERS.format(TAG))) == {}


def test_a_tag_that_had_gone_is_back_only_unchanged():
    old = places(HISTORY.format(TAG))
    assert returned_tags(old, places(HISTORY.format(TAG))) == {0: 0}
    assert returned_tags(old, places(HISTORY.format(DATED))) == {}

"""Who may see what others entered for a tag, as a table."""

import pytest

from annotation.blinding.rules import (
    OthersWork,
    TagSlot,
    button,
    in_hand,
    is_recorded,
    may_see,
    question,
)

FREE, HELD, SUBMITTED = TagSlot("free"), TagSlot("held"), TagSlot("submitted")
MINE = TagSlot("held", is_own=True, had_one=True)


@pytest.mark.parametrize(
    ("slots", "facts", "expected"),
    [
        ([], {}, OthersWork.SHOWN),
        ([FREE], {}, OthersWork.ASKED),
        ([FREE], {"annotates": False}, OthersWork.SHOWN),
        ([FREE], {"has_seen": True}, OthersWork.SHOWN),
        ([FREE._replace(is_for_them=False)], {}, OthersWork.SHOWN),
        ([FREE._replace(had_one=True)], {}, OthersWork.SHOWN),
        ([HELD], {}, OthersWork.ASKED),
        ([TagSlot("unneeded")], {}, OthersWork.ASKED),
        ([SUBMITTED], {}, OthersWork.SHOWN),
        ([TagSlot("skipped"), TagSlot("withdrawn")], {}, OthersWork.SHOWN),
        ([SUBMITTED, FREE], {}, OthersWork.ASKED),
        ([MINE], {}, OthersWork.HELD),
        ([MINE], {"has_seen": True}, OthersWork.HELD),
        ([MINE], {"annotates": False}, OthersWork.SHOWN),
        ([MINE._replace(is_for_them=False)], {}, OthersWork.HELD),
        ([MINE, FREE], {}, OthersWork.HELD),
        ([MINE._replace(state="submitted"), FREE._replace(had_one=True)], {}, OthersWork.SHOWN),
        ([MINE._replace(state="submitted"), FREE], {}, OthersWork.ASKED),
    ],
)
def test_what_hides_others_work(slots, facts, expected):
    assert may_see(slots, **{"annotates": True, "has_seen": False, **facts}) == expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, True),
        ({"is_own": True}, False),
        ({"is_draft": True}, False),
    ],
)
def test_which_views_are_recorded(facts, expected):
    nothing = {"is_own": False, "is_draft": False}
    assert is_recorded(**nothing | facts) == expected


def test_the_question_is_plain():
    shows = "This shows what others entered for 4 tags that you could still get. "
    assert question(4, 0) == f"{shows}Show it, and give up these tags?"
    titles = "Imported records are matched by the title of their article. Show it, and give up "
    assert question(4, 0, by_title=True) == f"{shows}{titles}these tags?"
    assert question(1, 0).endswith(
        "for 1 tag that you could still get. Show it, and give up this tag?"
    )
    recorded = "; that you have seen it is recorded."
    lets = "You can still get them, because their campaigns let you"
    assert question(4, 4) == f"{shows}Show it? {lets}{recorded}"
    some = "You can still get 3 of them, because their campaigns let you"
    assert question(4, 3) == f"{shows}Show it, and give up these tags? {some}{recorded}"
    assert question(1, 1).endswith(
        f"Show it? You can still get it, because its campaign lets you{recorded}"
    )
    assert (button(4, 0), button(4, 3), button(1, 1)) == (
        "Show it and give up 4 tags", "Show it and give up 1 tag", "Show it"
    )  # fmt: skip


@pytest.mark.parametrize(("tags", "words"), [(1, "a tag that"), (3, "3 tags that")])
def test_a_tag_in_hand_is_submitted_or_handed_back_first(tags, words):
    assert words in in_hand(tags)
    assert "Submit" in in_hand(tags)

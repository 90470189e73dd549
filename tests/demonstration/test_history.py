"""Deriving a page's earlier texts from its latest one."""

import pytest

from demonstration.history import comments, section_of, template_of, texts

LATEST = "Intro is long.\n\n== One ==\nA.\n\n=== Sub ===\nB.\n\n== Two ==\nC.\n"


def edit(**entry):
    return {"time": "then", **entry}


def test_each_earlier_text_lacks_the_later_changes():
    entries = [
        edit(),
        edit(change=[{"section": "Two"}]),
        edit(change=[{"before": "Intro.", "after": "Intro is long."}]),
    ]
    assert texts(LATEST, entries) == [
        "Intro.\n\n== One ==\nA.\n\n=== Sub ===\nB.\n\n",
        "Intro.\n\n== One ==\nA.\n\n=== Sub ===\nB.\n\n== Two ==\nC.\n",
        LATEST,
    ]


def test_vandalism_is_in_one_text_only():
    entries = [
        edit(),
        edit(vandalism=True, change=[{"before": "C.", "after": "Bah!"}]),
        edit(revert=True),
        edit(change=[{"before": "A", "after": "A."}, {"before": "B", "after": "B."}]),
    ]
    latest = "A. B. C."
    assert texts(latest, entries) == ["A B C.", "A B Bah!", "A B C.", latest]


def test_vandalism_must_be_reverted_by_the_next_edit():
    with pytest.raises(ValueError, match="not reverted"):
        texts("x", [edit(), edit(vandalism=True, change=[{"before": "x", "after": "y"}]), edit()])


@pytest.mark.parametrize("after", ["nowhere", "."])
def test_a_change_must_fit_the_text_exactly_once(after):
    with pytest.raises(ValueError, match="exactly once"):
        texts(LATEST, [edit(), edit(change=[{"before": "", "after": after}])])


def test_a_section_ends_where_the_next_of_its_level_begins():
    assert section_of(LATEST, "One") == "== One ==\nA.\n\n=== Sub ===\nB.\n\n"
    assert section_of(LATEST, "Sub") == "=== Sub ===\nB.\n\n"
    assert section_of(LATEST, "Two") == "== Two ==\nC.\n"
    with pytest.raises(ValueError, match="no section"):
        section_of(LATEST, "Three")


def test_a_template_on_lines_of_its_own_is_taken_whole():
    box = "{{Infobox\n| a = {{b}}\n| c = 1\n}}\n"
    assert template_of(f"{{{{Short}}}}\n{box}Text {{{{d}}}}.\n", "Infobox") == box
    with pytest.raises(ValueError, match="no template"):
        template_of("{{Infobox|a=1}}", "Infobox")


def signed(user: str, time: str) -> str:
    return f"Words. [[User:{user}|{user}]] ([[User talk:{user}|talk]]) {time} (UTC)\n"


def test_each_signed_comment_is_one_edit_of_the_talk_page():
    first = "== Year ==\n" + signed("Ada", "09:05, 6 March 2019")
    talk = first + ": " + signed("Bo", "20:12, 6 March 2019")
    edits = list(comments(talk))
    assert [(edit.user, f"{edit.time:%Y-%m-%d %H:%M}", edit.comment) for edit in edits] == [
        ("Ada", "2019-03-06 09:05", "/* Year */"),
        ("Bo", "2019-03-06 20:12", "/* Year */"),
    ]
    assert [edit.text for edit in edits] == [first, talk]


@pytest.mark.parametrize(
    ("talk", "error"),
    [
        ("== Year ==\nNobody signed.\n", "ends with a signed comment"),
        ("== Y ==\n" + signed("A", "09:05, 6 March 2019") + "More.\n", "ends with a signed"),
        (
            "== Y ==\n" + signed("A", "09:05, 6 March 2019") + signed("B", "09:04, 6 March 2019"),
            "below a later one",
        ),
    ],
)
def test_an_unsigned_or_unordered_talk_page_is_refused(talk, error):
    with pytest.raises(ValueError, match=error):
        list(comments(talk))

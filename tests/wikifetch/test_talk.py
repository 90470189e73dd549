"""Which sections of a talk page speak of a contradiction."""

import pytest

from wikifetch.wikitext.talk import talk_sections

PAGE = """Archive box.

== Pictures ==
Could somebody take one? [[User:Ann]] 10:00

== When was it built? ==
The lead says 1801, the infobox says 1811. [[User:Bob]] 11:00
=== Answer ===
I do not know.

== Contradiction in the height ==
It says both 12 m and 21 m, which contradicts the survey.
"""


def shown(wikitext, *hints):
    return [(each.heading, each.to_the_point) for each in talk_sections(wikitext, hints)]


def test_sections_that_speak_of_a_contradiction_come_first():
    assert shown(PAGE) == [
        ("Contradiction in the height", True),
        ("", False),
        ("Pictures", False),
        ("When was it built?", False),
    ]


def test_the_words_of_the_reason_find_their_section():
    assert shown(PAGE, "Lead says 1801, infobox 1811")[0] == ("When was it built?", True)


def test_one_word_in_common_is_chance():
    assert dict(shown(PAGE, "Somebody moved it"))["Pictures"] is False


def test_a_section_keeps_what_is_below_it():
    sections = {each.heading: each.wikitext for each in talk_sections(PAGE)}
    assert sections["When was it built?"].endswith("=== Answer ===\nI do not know.")
    assert sections[""] == "Archive box."


@pytest.mark.parametrize("wikitext", ["", "   \n"])
def test_an_empty_page_has_no_section(wikitext):
    assert talk_sections(wikitext) == []


def test_a_page_over_the_limit_comes_in_one_piece():
    huge = "== A ==\n" + "contradiction " * 200_000
    assert [each.wikitext for each in talk_sections(huge)] == [huge]

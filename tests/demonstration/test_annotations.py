"""The two people's annotations: their tags and passages exist, and the form accepts them."""

import json
import re
from collections import Counter

import pytest

from annotation.fields.checks import blocks, check
from annotation.fields.entries import FIELDS
from annotation.fields.form_input import read_changes
from annotation.fields.steps import STEPS, TYPE_FIELDS
from annotation.fields.walker import kept
from demonstration.annotations import ANNOTATIONS, given
from wikifetch.source.dump import read_dump
from wikifetch.wikitext import find_tags
from wikifetch.wikitext.readable import readable

ARTICLES = ANNOTATIONS.with_name("articles.xml")
GIVEN = [each for of_tag in given().values() for each in of_tag if not each.skipped]
SKIPPED = [each for of_tag in given().values() for each in of_tag if each.skipped]
IDS = [f"{each.title}-{each.person}-{n}" for n, each in enumerate(GIVEN)]


@pytest.fixture(scope="module")
def histories():
    """The revisions of each article, the oldest first."""
    pages = read_dump(ARTICLES).pages
    return {page.title: list(page.revisions) for page in pages if page.namespace == 0}


@pytest.fixture(scope="module")
def articles(histories):
    return {title: revisions[-1].text for title, revisions in histories.items()}


@pytest.fixture(scope="module")
def tags(articles):
    return {
        (title, tag.raw): tag for title, text in articles.items() for tag in find_tags(text).tags
    }


def test_the_tags_are_of_all_kinds_under_many_names_in_many_places(tags):
    assert {tag.kind for tag in tags.values()} == {
        "inconsistent",
        "self-contradictory",
        "contradict-other",
    }
    assert len({tag.name.lower() for tag in tags.values()}) >= 8
    assert {tag.scope for tag in tags.values()} == {None, "section", "lead"}
    assert any(not tag.date for tag in tags.values())
    assert any("{{" in tag.reason for tag in tags.values())
    assert any("|" in tag.words.text for tag in tags.values()), "none in a table"
    assert max(Counter((title, tag.block) for (title, _), tag in tags.items()).values()) == 2


def test_a_look_alike_is_no_tag(articles, tags):
    assert sum("{{Inconsistent citations" in text for text in articles.values()) == 1
    assert not any("citations" in tag.name for tag in tags.values())


@pytest.mark.parametrize(
    "begins",
    [r"\* ", r"\| *\w+ *=", r"(\|-\n)?\|.*\|\|", r"File:", r"[A-Z][a-z]+ [a-z]+"],
    ids=["list item", "infobox field", "table row", "gallery", "paragraph"],
)
def test_there_is_a_tag_in_every_kind_of_place(begins, tags):
    assert any(re.match(begins, tag.block) for tag in tags.values())


def test_two_banners_are_inside_multiple_issues(articles):
    bundles = [
        re.findall(r"\{\{Multiple issues\|.*?\n\}\}", text, re.S) for text in articles.values()
    ]
    assert sum("ontradict" in bundle[0] for bundle in bundles if bundle) == 2


def test_reasons_are_in_the_tag_or_the_edit_summary_or_only_on_the_talk_page(tags):
    given_in_the_tag = [bool(tag.reason) for tag in tags.values()]
    assert {True, False} == set(given_in_the_tag)
    assert any("discuss=" in raw for _, raw in tags)


def test_one_tag_was_taken_out_and_came_back(histories):
    began = "three volumes (1893–1902){{Contra"
    there = [began in revision.text for revision in histories["Hollis Veyne"]]
    assert "".join("01"[each] for each in there).strip("0") == "10111"


def test_edits_follow_each_other_in_time_and_one_is_suppressed(histories):
    for title, revisions in histories.items():
        times = [revision.timestamp for revision in revisions]
        assert times == sorted(set(times)), title
        assert 5 <= len(revisions) <= 12, title
    hidden = [one for revisions in histories.values() for one in revisions if one.text is None]
    assert [(one.editor, bool(one.no_text)) for one in hidden] == [("", True)]


def test_the_texts_are_long_and_short_and_not_in_latin_letters_alone(articles):
    assert max(len(readable(text).text.split()) for text in articles.values()) > 3000
    assert any("ΘΕΟΔΩΡΑ" in text and "Иванова" in text for text in articles.values())
    assert len(articles) >= 12


def test_two_people_annotated_all_tags_but_four(tags):
    assert set(given()) <= set(tags)
    assert len(tags) - len(given()) == 4
    assert {tuple(one.person for one in of_tag) for of_tag in given().values()} == {
        ("odile", "bram")
    }


def test_one_tag_was_skipped_with_a_reason_and_one_annotation_flagged():
    assert [len(each.skipped) > 20 for each in SKIPPED] == [True]
    assert sum(bool(each.flag) for each in GIVEN) == 1


def test_the_two_people_differ():
    pairs = [(first.entries, second.entries) for first, second in given().values()]
    fields = {
        name
        for first, second in pairs
        for name in first.keys() & second.keys()
        if first[name] != second[name]
    }
    assert fields >= {
        "validity",
        "same_passage",
        "type_1",
        "type_2",
        "type_4",
        "questions",
        "confidence",
    }


@pytest.mark.parametrize("each", GIVEN, ids=IDS)
def test_the_form_accepts_every_annotation_unchanged(each):
    reading = read_changes(STEPS, each.entries)
    assert reading.problems == {}
    assert reading.notices == []
    assert reading.entries == each.entries
    assert blocks(check(each.entries)) == []


@pytest.mark.parametrize("each", GIVEN, ids=IDS)
def test_passages_are_copied_from_the_article_they_name(each, articles):
    if each.entries["validity"] != "Valid":
        assert set(each.entries) == {"validity", "valid_comment"}
        return
    for n in (1, 2):
        text = readable(articles[each.entries[f"article_{n}"]]).text
        captions = {tag.words.text for tag in find_tags(articles[each.title]).tags}
        for line in each.entries[f"passage_{n}_copied"].split("\n"):
            assert line in text or line in row_starts(text) | captions, line


def row_starts(text):
    """A table's row may be copied without its last cells."""
    rows = (line.split(" | ") for line in text.split("\n"))
    return {" | ".join(row[:n]) for row in rows for n in range(2, len(row))}


def test_few_annotations_raise_a_warning():
    warned = [each for each in GIVEN if check(each.entries)]
    assert len(warned) <= len(GIVEN) / 5


def test_one_annotation_a_tag_is_accepted_and_a_few_wait_for_a_reviewer():
    accepted = Counter(
        (e.title, e.tag) for e in GIVEN if e.review and e.review["decision"] == "accept"
    )
    assert set(accepted.values()) == {1}
    assert 2 <= sum(each.review is None for each in GIVEN) <= 5


def test_first_versions_of_returned_annotations_differ_and_are_accepted_by_the_form():
    (sent_back,) = [each for each in GIVEN if each.sent_back]
    first = sent_back.first_entries
    assert first != sent_back.entries
    assert blocks(check(first)) == []
    assert set(sent_back.sent_back["notes_by_field"]) == set(sent_back.sent_back["first"])


def test_the_file_is_kept_in_one_form():
    whole = json.loads(ANNOTATIONS.read_text(encoding="utf-8"))
    written = json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
    assert ANNOTATIONS.read_text(encoding="utf-8") == written
    for each in GIVEN:
        if each.entries["validity"] == "Valid":
            assert set(kept(STEPS, each.entries)) == set(FIELDS)
            assert all(each.entries[name] for name in TYPE_FIELDS)

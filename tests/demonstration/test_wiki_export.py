"""The articles as XML in the format of a MediaWiki export."""

from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest

from demonstration.history import Edit, Page, pages
from demonstration.wiki_export import NAMESPACE, base36_sha1, export, revid

NS = {"mw": NAMESPACE}


@pytest.fixture(scope="module")
def built_pages():
    return pages()


def parsed(*built):
    return ElementTree.fromstring(export(built))


def edit(**fields):
    given = {
        "user": "Ada",
        "time": datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC),
        "comment": "",
        "text": "x",
    }
    return Edit(**{**given, **fields})


def test_page_ids_are_unique_and_edits_follow_each_other_in_time(built_pages):
    assert len({page.pageid for page in built_pages}) == len(built_pages)
    for page in built_pages:
        times = [edit.time for edit in page.edits]
        assert times == sorted(set(times)), page.title
        assert 5 <= len(page.edits) <= 12, page.title


def test_each_page_is_an_article_and_where_there_is_one_a_talk_page():
    root = parsed(Page("A & B", 7, (edit(), edit())), Page("C", 8, (edit(),), talk=(edit(),)))
    assert [
        (p.findtext("mw:title", "", NS), p.findtext("mw:ns", "", NS))
        for p in root.iter(f"{{{NAMESPACE}}}page")
    ] == [
        ("A & B", "0"),
        ("C", "0"),
        ("Talk:C", "1"),
    ]
    first = root.findall("mw:page/mw:revision", NS)[:2]
    assert [r.findtext("mw:id", "", NS) for r in first] == [str(revid(7, 1)), str(revid(7, 2))]
    assert [r.findtext("mw:parentid", None, NS) for r in first] == [None, str(revid(7, 1))]


@pytest.mark.parametrize(
    ("user", "tag"), [("Ada", "username"), ("192.0.2.44", "ip"), ("2001:db8::1", "ip")]
)
def test_an_address_is_written_as_one(user, tag):
    root = parsed(Page("A", 7, (edit(user=user),)))
    assert root.findtext(f".//mw:contributor/mw:{tag}", "", NS) == user


def test_a_suppressed_edit_shows_neither_name_nor_text():
    built = export([Page("A", 7, (edit(user="Mallory", text="rude words", suppressed=True),))])
    assert "Mallory" not in built
    assert "rude" not in built
    assert 'bytes="10"' in built


def test_text_and_comment_survive_as_they_are():
    text, comment = "a < b & c \"d\" ''e'' – é\n\n* x", "<b> & {{c}}"
    root = parsed(Page("A", 7, (edit(text=text, comment=comment),)))
    assert root.findtext(".//mw:text", "", NS) == text
    assert root.findtext(".//mw:comment", "", NS) == comment


def test_sha1_is_written_in_base_36_as_mediawiki_does():
    # Of the empty text, as in any MediaWiki database.
    assert base36_sha1("") == "phoiac9h4m842xq45sp7s6u21eteeq1"
    assert len(base36_sha1("tree 100")) == 31

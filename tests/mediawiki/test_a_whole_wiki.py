"""Everything that a real MediaWiki holds, fetched once: each tag, its introduction and its block."""

import pytest
from django.db import transaction
from django.test import override_settings

from tests.mediawiki.seed import INTRODUCED, seed
from tests.mediawiki.test_fetching_from_a_real_wiki import TRUTH, result
from wikifetch import fetch, newfetch
from wikifetch.evidence import ShownIntroduction
from wikifetch.models import Revision, Sighting, Tag, TagKind, TalkPage
from wikifetch.shownarticle import shown_article

pytestmark = pytest.mark.django_db


def fetch_all_kinds():
    return [fetch.finished(newfetch.fetch_of_kind(kind)) for kind in TagKind.values]


@pytest.fixture(scope="module")
def fetched(_served, django_db_setup, django_db_blocker):
    """The runs of all kinds: fetched once, since it takes seconds, and taken back after these tests."""
    _served.forget()
    allowed = {"WIKI_ALLOWED": [_served.address], "WIKI_CONTACT": "alice@example.org"}
    with (
        django_db_blocker.unblock(),
        override_settings(WIKI_REQUESTS_PER_SECOND=1_000.0, **allowed),
        transaction.atomic(),
    ):
        yield fetch_all_kinds()
        transaction.set_rollback(True)


def sightings():
    """Everything seen, without what only a history shows."""
    columns = [
        "tag__article__title",
        "revision__revid",
        "position",
        "raw",
        "block",
        "block_text",
        "scope",
    ]
    return set(Sighting.objects.values_list(*columns))


def first_with_a_tag(title):
    texts = seed().articles[title]
    return INTRODUCED.get(title) or next(n for n, text in enumerate(texts) if "{{" in text)


def test_fetching_by_kind_finds_every_tag_and_no_other(fetched):
    assert result() == TRUTH
    assert Tag.objects.count() == len(TRUTH)
    assert sum(run.tags_new for run in fetched) == len(TRUTH)
    assert TalkPage.objects.get().wikitext == "== Height ==\nFour or five?"


def test_the_edit_that_added_each_tag_is_found(fetched):
    introduced = Tag.objects.values_list("article__title", "introduced_summary", "introduced_by")
    assert set(introduced) == {
        (tag.title, f"edit {first_with_a_tag(tag.title)}", "Alice") for tag in TRUTH
    }
    dated = Tag.objects.select_related("latest", "article").get(article__title="Dated later")
    assert dated.introduced_raw == "{{Inconsistent|reason=1811 below}}"
    assert ShownIntroduction(dated).dated_later


def test_the_tagged_blocks_are_found_in_the_wikis_own_html(fetched):
    seen = Sighting.objects.select_related("tag", "revision__article__wiki")
    shown = {each: shown_article(each.revision, each) for each in seen}
    assert len(shown) == len(TRUTH)
    origins = {article.origin[:38] for article in shown.values()}
    assert origins == {"The wiki's own HTML of this revision, "}
    assert all(article.html.count('id="tagged-block"') == 1 for article in shown.values())
    by_title = {each.revision.article.title: article.html for each, article in shown.items()}
    tag = '<span class="wiki-tag" aria-current="true">[<i>inconsistent</i>]</span>'
    field = f'<tr id="tagged-block" class="tagged"><td>Opened</td><td>1801{tag}'
    assert by_title["In an infobox"].replace("\n", "").startswith(f'<table class="infobox">{field}')
    section = f'<h3>Height</h3>\n<p id="tagged-block" class="tagged">It is 5 m high.{tag}'
    assert section in by_title["Łódź “mill” & ½"]


def test_the_wikis_own_export_gives_the_same_rows(wiki, fetched, tmp_path):
    live = sightings()
    path = tmp_path / "export.xml"
    path.write_text(wiki.dump(), encoding="utf-8")
    run = fetch.fetch_xml(path)
    # The export knows no redirects: the name that only this wiki has is one that the wiki said itself.
    assert any("At odds" in row[3] for row in live)
    assert (run.tags_found, run.tags_new) == (len(TRUTH), 0)
    assert sightings() == live
    vandalised = Tag.objects.get(article__title="Vandalised")
    assert vandalised.introduced_summary == "edit 0"


def test_a_second_fetch_adds_nothing(wiki, fetched):
    before = [sightings(), Tag.objects.count(), Revision.objects.count()]
    assert [run.tags_new for run in fetch_all_kinds()] == [0, 0, 0]
    assert [sightings(), Tag.objects.count(), Revision.objects.count()] == before

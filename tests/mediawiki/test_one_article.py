"""One article of a real MediaWiki, asked for by title, by an older revision, and where there is none."""

import pytest

from tests.mediawiki.seed import AWKWARD_TITLES
from wikifetch.models import RevisionHtml, Tag
from wikifetch.onearticle import client_for, fetched_article, wiki_to_ask
from wikifetch.source.manners import WikiError
from wikifetch.source.wanted import WantedArticle, read_wanted

pytestmark = pytest.mark.django_db


def fetched(wiki, text):
    wanted = read_wanted(text, wiki.address, [wiki.address])
    return fetched_article(wiki_to_ask(wanted), wanted, client_for(wanted.base))


def test_a_title_gives_the_present_revision_with_its_html_and_tags(wiki):
    revision = fetched(wiki, "Mill 02")
    assert revision.wikitext.startswith("'''Mill 02'''")
    assert "Mill 02" in RevisionHtml.objects.get(revision=revision).text


@pytest.mark.parametrize("title", AWKWARD_TITLES)
def test_every_title_can_be_asked_for(wiki, title):
    assert fetched(wiki, title).article.title == title


def test_an_older_revision_is_kept_and_changes_no_tag(wiki):
    newest = fetched(wiki, "Mill 00")
    tags = list(Tag.objects.values_list("state", "latest"))
    assert newest.parent_revid
    address = f"{wiki.address}/w/index.php?title=Mill_00&oldid={newest.parent_revid}"
    older = fetched(wiki, address)
    assert (older.revid, older.article) == (newest.parent_revid, newest.article)
    assert list(Tag.objects.values_list("state", "latest")) == tags


def test_the_newest_revision_by_its_number_is_the_same_row(wiki):
    newest = fetched(wiki, "Mill 02")
    assert fetched(wiki, f"{wiki.address}/w/index.php?oldid={newest.revid}") == newest


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("No such mill", "no page of this title"),
        ("Talk:Without tags", "Not an article"),
        ("{address}/w/index.php?oldid=999999", "no revision 999999"),
    ],
)
def test_what_there_is_not_says_so(wiki, text, why):
    with pytest.raises(WikiError, match=why):
        fetched(wiki, text.format(address=wiki.address))


def test_the_address_is_the_configured_one(wiki):
    assert read_wanted(f"{wiki.address}/wiki/Mill_02", "", [wiki.address]) == WantedArticle(
        wiki.address, "Mill 02"
    )

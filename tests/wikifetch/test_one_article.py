"""One article that is asked for: which revision is kept, and that a later fetch still finds its tags."""

import pytest

from tests.wikifetch.fakewiki import Answer, FakeWiki
from tests.wikifetch.livewiki import article, html_of, revision_of
from wikifetch import fetch, newfetch
from wikifetch.models import Article, Revision, RevisionHtml, Tag
from wikifetch.onearticle import allowed_base, client_for, fetched_article, wiki_to_ask
from wikifetch.source.manners import WikiError
from wikifetch.source.wanted import WantedArticle

pytestmark = pytest.mark.django_db


def fetched(wiki, title="", revid=0):
    wanted = WantedArticle(wiki.address, title, revid)
    return fetched_article(wiki_to_ask(wanted), wanted, client_for(wiki.address))


def pages(*found):
    return Answer({"query": {"pages": [*found]}})


@pytest.fixture
def scripted(settings):
    """A wiki that answers in turn."""
    with FakeWiki() as wiki:
        settings.WIKI_ALLOWED = [wiki.address]
        settings.WIKI_CONTACT = "alice@example.org"
        settings.WIKI_REQUESTS_PER_SECOND = 1_000_000
        yield wiki


def test_the_present_revision_is_kept_with_its_html_in_three_requests(live):
    revision = fetched(live, "Mill 3")
    assert (revision.article.title, revision.revid) == ("Mill 3", 7)
    assert "Mill 3 was built" in RevisionHtml.objects.get(revision=revision).text
    assert len(live.asked) == 3


def test_a_redirect_is_followed(live):
    live.redirects = {"Old mill": "Mill 7"}
    assert fetched(live, "Old mill").article.title == "Mill 7"


def test_asking_again_gives_the_same_row(live):
    assert fetched(live, "Mill 3") == fetched(live, "Mill 3")
    assert Revision.objects.count() == 1


def test_the_tags_of_the_present_revision_are_recorded_as_by_a_fetch(live):
    live.size = 3
    fetched(live, "Mill 3")
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    assert Tag.objects.filter(article__title="Mill 3", state="live").count() == 1


def test_an_older_revision_changes_no_tag(scripted):
    new, old = revision_of(3), revision_of(3, 0)
    scripted.answers = [
        pages({"pageid": 3, "ns": 0, "title": "Mill 3"}),
        pages(article(3, revisions=[new], lastrevid=7)),
        html_of(7),
        pages(article(3, revisions=[old], lastrevid=7)),
        html_of(6),
    ]
    fetched(scripted, "Mill 3")
    revision = fetched(scripted, revid=6)
    assert (revision.revid, revision.article) == (6, Article.objects.get())
    assert Tag.objects.get().state == "live"
    assert Tag.objects.get().latest.revision.revid == 7


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ([pages({"title": "Mill 3", "ns": 0, "missing": True})], "no page of this title"),
        ([pages({"title": "Mill 3", "ns": 1, "pageid": 3})], "Not an article"),
        (
            [Answer({"query": {"interwiki": [{"title": "Mill 3", "iw": "fr"}]}})],
            "page of another wiki",
        ),
        (
            [
                pages({"title": "Mill 3", "ns": 0, "pageid": 3}),
                pages(article(3, revisions=[revision_of(3) | {"slots": {"main": {
                    "contentmodel": "wikitext", "content": "é" * 1_100_000}}}])),
            ],
            "2 MiB",
        ),
        (
            [
                pages({"title": "Mill 3", "ns": 0, "pageid": 3}),
                pages(article(3, revisions=[revision_of(3) | {"slots": {"main": {"texthidden": True}}}])),
            ],
            "hides its text",
        ),
        ([Answer("", 302, {"Location": "http://127.0.0.1:6379/"})], "which is not followed"),
        ([Answer("No such thing", 404)], "There is no API"),
    ],
    ids=["missing", "talk", "other-wiki", "two-megabytes", "hidden", "redirected", "no-api"],
)  # fmt: skip
def test_what_cannot_be_fetched_says_why_and_leaves_no_row(scripted, answers, why):
    scripted.answers = answers
    with pytest.raises(WikiError, match=why):
        fetched(scripted, "Mill 3")
    assert Revision.objects.count() == 0


def test_a_revision_that_is_not_there_says_so(scripted):
    scripted.answers = [Answer({"query": {"badrevids": {"9": {"revid": 9, "missing": True}}}})]
    with pytest.raises(WikiError, match="no revision 9"):
        fetched(scripted, revid=9)


def test_a_wiki_that_is_not_allowed_is_not_asked(live, settings):
    settings.WIKI_ALLOWED = ["https://en.wikipedia.org"]
    with pytest.raises(WikiError, match="not among the wikis"):
        fetched(live, "Mill 3")
    assert live.asked == []


def test_the_address_of_a_wikis_row(live):
    wiki = wiki_to_ask(WantedArticle(live.address, "Mill 3"))
    assert allowed_base(wiki) == live.address
    wiki.base_url = "https://elsewhere.example/wiki/"
    assert allowed_base(wiki) == ""

"""An article's HTML is made once, and is what would be made anew: nothing that was changed or removed is shown."""

import pytest
from django.utils.safestring import SafeString

from pages.memory import ARTICLES
from tests.wikifetch.fakewiki import Answer
from wikifetch import fetch, newfetch
from wikifetch.history.pages_seen import HiddenParts
from wikifetch.models import FetchRun, Revision, RevisionHtml, Sighting
from wikifetch.purging import purge
from wikifetch.shownarticle import shown_article

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["the wiki's HTML", "our rendering"])
def fetched(request, live, settings):
    ARTICLES.clear()
    live.size = 3
    settings.WIKI_HTML = request.param == "the wiki's HTML"
    if settings.WIKI_HTML:
        html = "<p>Mill 1 was built in 1801.<sup>[<i>inconsistent</i>]</sup></p>"
        live.html = lambda revid: Answer({"parse": {"revid": revid, "text": html}})
    fetch.finished(newfetch.fetch_of_titles(["Mill 1"]))
    yield
    ARTICLES.clear()


def shown(marked=True):
    seen = Sighting.objects.select_related("revision__article__wiki", "tag").get()
    return shown_article(seen.revision, seen if marked else None)


@pytest.mark.usefixtures("fetched")
def test_it_is_made_once(monkeypatch):
    first = shown()
    for made in ("article_html.render_article", "shownarticle.wikis_article"):
        monkeypatch.setattr(f"wikifetch.{made}", None)
    again = shown()
    assert again == first
    assert isinstance(again.html, SafeString)


@pytest.mark.usefixtures("fetched")
def test_what_was_purged_is_not_shown_again():
    assert "built in 1801" in shown().html
    purge(
        Revision.objects.get().article.wiki, {Revision.objects.get().revid: HiddenParts(text=True)}
    )
    for marked in (True, False):
        assert "1801" not in shown(marked).html


def changed(model, **values):
    return lambda settings: model.objects.update(**values)


def without_the_wikis_html(settings):
    settings.WIKI_HTML = not settings.WIKI_HTML


def other_html(settings):
    RevisionHtml.objects.all().delete()


def another_name(settings):
    asked = {"names": {"self-contradictory": ["Contra"]}}
    wiki = Revision.objects.get().article.wiki
    FetchRun.objects.create(source="kind", wiki=wiki, options=asked)


CHANGES = {
    "the text": changed(Revision, wikitext="Mill 1 was moved. {{Contra}}"),
    "the block": changed(Sighting, block="", block_text="", position=0),
    "its kind": changed(Sighting, block_kind="section"),
    "the setting": without_the_wikis_html,
    "the wiki's HTML": other_html,
    "the names of tags": another_name,
}


@pytest.mark.usefixtures("fetched")
@pytest.mark.parametrize("what", CHANGES)
def test_each_change_shows_at_once(what, settings):
    shown(), shown(marked=False)
    CHANGES[what](settings)
    after = shown(), shown(marked=False)
    ARTICLES.clear()
    assert after == (shown(), shown(marked=False))

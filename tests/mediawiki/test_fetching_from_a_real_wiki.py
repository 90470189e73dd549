"""Fetching from a real MediaWiki: what it finds, and how it behaves while asking."""

from urllib.parse import urlsplit

import pytest

from datasets.releasing.wiki_licences import licences_of_wikis
from leases.refusal import Refusal
from tests.mediawiki.seed import AWKWARD_TITLES, Found, seed
from wikifetch import fetch, newfetch
from wikifetch.fetch_progress import progress_of_fetch
from wikifetch.models import (
    Article,
    FetchRun,
    Revision,
    RevisionHtml,
    Sighting,
    Tag,
    TalkPage,
    Wiki,
)
from wikifetch.otherarticles import other_revision
from wikifetch.shownarticle import shown_article
from wikifetch.source import livebatches
from wikifetch.source.manners import Clock
from wikifetch.source.wiki_client import WikiClient

pytestmark = pytest.mark.django_db

TRUTH = seed().truth
NAMES = {"inconsistent": ["Inconsistent"]}


def result():
    """The live tags as the seed describes them."""
    return {
        Found(
            tag.article.title, tag.kind, tag.latest.raw, tag.latest.date, tag.latest.reason,
            tag.latest.other_article, tag.latest.section,
        )
        for tag in Tag.objects.filter(state="live").select_related("article", "latest")
    }  # fmt: skip


def test_the_other_articles_that_tags_name_come_too_redirects_followed(wiki):
    run = fetch.finished(newfetch.fetch_of_kind("contradict-other"))
    naming = Sighting.objects.exclude(other_article="").order_by("other_article")
    others = [other_revision(sighting) for sighting in naming]
    assert [(seen.article.title, seen.wikitext[:13]) for seen in others] == [
        ("Mill 02", "'''Mill 02'''"),
        ("Without tags", "Old."),
    ]
    assert (run.pages, run.tags_found, run.problems.count()) == (2, 2, 0)
    wiki.forget()
    fetch.finished(newfetch.fetch_of_kind("contradict-other"))
    assert not any("pageids" in line["params"] for line in wiki.requests())


def test_a_token_that_the_wiki_does_not_take_ends_the_fetch(wiki, settings):
    settings.WIKI_TOKENS = {wiki.address: "of-no-account"}
    with pytest.raises(
        Refusal, match=r"\(assertuserfailed\)\. It does not take the account's token"
    ):
        fetch.finished(newfetch.fetch_of_titles(["Mill 05"]))


def test_it_behaves_as_wikis_ask(wiki):
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    asked = wiki.requests()
    assert all(line["agent"].startswith("SicEtNon/") for line in asked)
    assert all("(alice@example.org)" in line["agent"] for line in asked)
    assert {line["encoding"] for line in asked} == {"gzip"}
    htmls = [line["path"] for line in asked if "/rest.php/" in line["path"]]
    assert {line["params"]["maxlag"] for line in asked if line["path"] not in htmls} == {"5"}
    histories = [line["params"]["pageids"] for line in asked if "rvstartid" in line["params"]]
    batches = [
        line["params"]["pageids"].split("|")
        for line in asked
        if "pageids" in line["params"] and "rvstartid" not in line["params"]
    ]
    inconsistent = {tag.title for tag in TRUTH if tag.kind == "inconsistent"}
    # "Resolved" lost its tag, "Look-alike" never had one: the wiki does not list them.
    assert [len(batch) for batch in batches] == [50, len(inconsistent) - 50]
    # One history a page, but for the longest: its list, and the texts of a few places in it, twice.
    assert len(set(histories)) == len(inconsistent)
    assert len(histories) == len(inconsistent) + 1
    by_id = [line for line in asked if "revids" in line["params"]]
    assert len(by_id) <= 4
    assert len({*htmls}) == len(htmls) == len(inconsistent)
    # One for the wiki's words, three for names, one list, two of content, two of talk pages, and those of the histories
    # and the HTML.
    assert len(asked) == 9 + len(histories) + len(by_id) + len(htmls)


@pytest.mark.parametrize("has_rest", [True, False])
def test_the_wikis_html_comes_from_its_rest_endpoint_where_it_has_one(wiki, edited, has_rest):
    edited("Mill 05", "It stands.", "It stands.{{Inconsistent}}\n\nIt stands.{{Inconsistent}}")
    wiki.edit("Template:Inconsistent", "<sup>[inconsistent]</sup>")
    wiki.forget()
    if not has_rest:
        wiki.without_rest()
    fetch.finished(newfetch.fetch_of_titles(["Mill 05", "Mill 06"]))
    paths = [line["path"] for line in wiki.requests() if "/rest.php/" in line["path"]]
    parsed = [line["params"]["oldid"] for line in wiki.requests() if "oldid" in line["params"]]
    assert (len(paths), len(parsed)) == ((2, 0) if has_rest else (1, 2))
    for kept in RevisionHtml.objects.all():
        assert ("mw:Transclusion" in kept.text) == has_rest
    for seen in Sighting.objects.select_related("revision__article__wiki", "tag"):
        article = shown_article(seen.revision, seen)
        assert article.origin.startswith("The wiki's own HTML")
        assert 'aria-current="true"' in article.html
        assert "data-mw" not in article.html


def test_a_page_that_has_not_changed_is_not_asked_for_again(wiki):
    fetch.finished(newfetch.fetch_of_titles(["Mill 05", "Mill 06"]))
    wiki.forget()
    run = fetch.finished(newfetch.fetch_of_titles(["Mill 05", "Mill 06"]))
    assert (run.unchanged, run.tags_found) == (2, 2)
    assert not any("pageids" in line["params"] for line in wiki.requests())


def test_fetching_by_titles_follows_redirects_and_tells_what_is_missing(wiki):
    titles = [
        "Mill 07",
        "łódź “mill” & ½",
        "Nowhere",
        "Talk:Without tags",
        "Bad[title]",
        "Without tags",
    ]
    run = fetch.finished(newfetch.fetch_of_titles(titles))
    assert {tag.title for tag in result()} == {"Mill 07", "Łódź “mill” & ½"}
    problems = dict(run.problems.values_list("page", "problem"))
    assert problems.pop("Bad[title]").startswith("No valid title")
    assert problems == {
        "Nowhere": "The wiki has no page of this title.",
        "Talk:Without tags": "Not an article: only pages of the main namespace are fetched.",
    }


def test_titles_with_signs_that_addresses_use_are_fetched_as_they_are_written(wiki):
    run = fetch.finished(newfetch.fetch_of_titles(AWKWARD_TITLES))
    assert (run.problems.count(), {tag.title for tag in result()}) == (0, set(AWKWARD_TITLES))
    article = Article.objects.get(title="Who built it?")
    assert article.url.endswith("/wiki/Who_built_it%3F")


def test_an_api_that_is_switched_off_midway_stops_the_run_where_it_is(wiki):
    run = newfetch.fetch_of_titles(["Mill 20", "Mill 21"])
    # One request for the wiki's words, three for the names, one for the titles; then comes a wiki without its API.
    wiki.fail_next(*[(0, {})] * 5, (403, {}))
    with pytest.raises(Refusal, match=r"refuses requests from here \(HTTP 403\)"):
        fetch.finished(run)
    run.refresh_from_db()
    assert (run.state, len(run.queue), run.cursor) == ("failed", 2, 0)
    fetch.resume(run)
    assert fetch.finished(run).tags_found == 2


def test_two_hundred_long_titles_are_posted(wiki):
    titles = [f"No mill of this long and winding name {n:03}" for n in range(200)]
    run = fetch.finished(newfetch.fetch_of_titles(titles))
    assert run.problems.count() == 200
    by_title = [line for line in wiki.requests() if "No mill" in line["params"].get("titles", "")]
    assert [(line["method"], len(line["params"]["titles"].split("|"))) for line in by_title] == [
        ("POST", 50)
    ] * 4


@pytest.fixture
def edited(wiki):
    """`edited(title, old, new)` replaces words on the wiki, and puts them back after the test."""
    before = {}

    def edit(title, old, new):
        text = seed().articles[title][-1]
        before[title] = text
        wiki.edit(title, text.replace(old, new))

    yield edit
    for title, text in before.items():
        wiki.edit(title, text)


def test_an_edit_that_removes_or_changes_a_tag_is_followed(wiki, edited):
    titles = ["Mill 58", "Mill 59"]
    fetch.finished(newfetch.fetch_of_titles(titles))
    before = {tag.article.title: tag.pk for tag in Tag.objects.select_related("article")}
    edited("Mill 58", "{{Inconsistent|date=May 2018|reason=The lead says 1758}}", "")
    edited("Mill 59", "The lead says", "The infobox says")
    fetch.finished(newfetch.fetch_of_titles(titles))
    gone, changed = (Tag.objects.get(article__title=title) for title in titles)
    assert {"Mill 58": gone.pk, "Mill 59": changed.pk} == before
    assert (gone.state, changed.state) == ("gone", "live")
    assert changed.latest.reason == "The infobox says 1759"
    assert changed.sightings.count() == 2


def test_subcategories_are_followed_also_in_a_category_that_contains_itself(wiki, edited):
    wiki.edit("Category:Tagged mills", "[[Category:Tagged mills]]")
    wiki.edit("Category:Mills of May", "[[Category:Tagged mills]]")
    edited("Mill 30", "It stands.", "It stands.[[Category:Mills of May]]")
    fetch.finished(newfetch.fetch_of_category("tagged mills"))
    assert {tag.title for tag in result()} == {"Mill 30"}
    with pytest.raises(Refusal, match=r"does not exist or holds no article\. Look"):
        fetch.finished(newfetch.fetch_of_category("Tagged mills", depth=0))


def test_what_the_wiki_hides_later_is_taken_out_and_a_page_that_is_deleted_loses_its_tags(
    wiki, edited
):
    titles = ["Mill 10", "Mill 11", "Mill 12"]
    fetch.finished(newfetch.fetch_of_titles(titles))
    before = Revision.objects.get(article__title="Mill 10")
    # A wiki shows the text of the newest revision whatever it hides.
    edited("Mill 10", "It stands.", "It burned down.")
    queue = list(FetchRun.objects.get().queue)
    with wiki.hiding(before.revid), wiki.deleted("Mill 11"):
        again = newfetch.fetch_of_titles(titles)
        FetchRun.objects.filter(pk=again.pk).update(
            queue=queue, queue_frozen=True, options=again.options | {"names": NAMES}
        )
        again = fetch.finished(again)
    hidden = Revision.objects.get(pk=before.pk)
    assert (hidden.wikitext, hidden.editor, hidden.summary) == ("", "", "edit 1")
    old, new = Sighting.objects.filter(tag__article__title="Mill 10").order_by("pk")
    assert (old.block, old.raw, old.tag_id) == ("", "", new.tag_id)
    assert new.block.endswith("It burned down.")
    states = dict(Tag.objects.values_list("article__title", "state"))
    assert states == {"Mill 10": "live", "Mill 11": "gone", "Mill 12": "live"}
    assert [problem.problem for problem in again.problems.all()] == [
        "The wiki has no such page any more."
    ]


@pytest.fixture
def waits(monkeypatch):
    """Waiting is written down, not done."""
    waited = []
    clock = Clock(sleep=waited.append, monotonic=lambda: sum(waited) + len(waited))
    monkeypatch.setattr(
        livebatches,
        "client_for",
        lambda base, *_, **__: WikiClient(base, livebatches.manners_for(), clock),
    )
    return waited


def test_it_waits_while_the_wiki_is_busy_and_goes_on(wiki, waits):
    wiki.fail_next((429, {"Retry-After": "3"}), (503, {"Retry-After": "1.5"}), (502, {}))
    run = fetch.finished(newfetch.fetch_of_titles(["Mill 03"]))
    assert run.tags_found == 1
    assert [seconds for seconds in waits if seconds >= 0.5] == [3, 1.5, 4]


def test_it_waits_for_lag_gives_up_when_it_lasts_and_can_be_resumed(wiki, waits, settings):
    settings.WIKI_MAX_WAIT = 100
    wiki.lag(60)
    run = newfetch.fetch_of_titles(["Mill 03"])
    rests = []

    def rest(run, seconds):
        rests.append(progress_of_fetch(run).waiting)
        Wiki.objects.update(busy_until=None)

    with pytest.raises(Refusal, match=r"busy \(maxlag\): after 70 s of waiting it would take 70 s"):
        fetch.finished(run, rest)
    # The wiki asks for 5 s each time: a worker waits twice, then the run, longer each time.
    assert rests == [f"Waiting {seconds} s: the wiki is busy (maxlag)." for seconds in (10, 30)]
    assert FetchRun.objects.get().state == "failed"
    wiki.forget()
    run.refresh_from_db()
    fetch.resume(run)
    assert fetch.finished(run).tags_found == 1


def test_what_the_seed_says_is_what_the_wiki_holds(wiki):
    """The truth is no truth if the import lost a page."""
    client = livebatches.client_for(wiki.address)
    answer = client.ask({"action": "query", "list": "allpages", "aplimit": "max"})
    titles = {page["title"] for page in answer["query"]["allpages"]} - {"Main Page"}
    assert titles == set(seed().articles)


@pytest.mark.parametrize(
    ("language", "file", "category", "template", "month"),
    [
        ("de", "datei", "kategorie", "vorlage", ("märz", 3)),
        ("fr", "fichier", "catégorie", "modèle", ("août", 8)),
        ("es", "archivo", "categoría", "plantilla", ("enero", 1)),
        ("pl", "plik", "kategoria", "szablon", ("maja", 5)),
    ],
)
def test_a_wiki_in_another_language_says_what_it_calls_things(
    wiki, language, file, category, template, month
):
    wiki.speak(language)
    words, _ = livebatches.client_for(wiki.address).about()
    assert {file, "file", "image"} <= words.file
    assert (category in words.category, template in words.template) == (True, True)
    assert month in words.months.items()


def test_a_wiki_in_another_language_is_fetched_with_its_talk_pages_and_categories(wiki):
    wiki.speak("pl")
    assert fetch.finished(newfetch.fetch_of_kind("inconsistent")).tags_found > 60
    assert TalkPage.objects.get().article.title == "Łódź “mill” & ½"
    assert "szablon" in Wiki.objects.get().words["template"]


def test_a_wiki_says_its_licence_and_keeps_what_it_said(wiki):
    address = "https://creativecommons.org/licenses/by-sa/4.0/"
    fetch.finished(newfetch.fetch_of_titles(["Mill 05"]))
    assert (Wiki.objects.get().rights_text, Wiki.objects.get().rights_url) == ("", "")
    wiki.say_rights("Creative Commons <b>BY-SA</b>", address)
    fetch.finished(newfetch.fetch_of_titles(["Mill 05"]))
    wiki.forget()
    fetch.finished(newfetch.fetch_of_titles(["Mill 05"]))
    kept = Wiki.objects.get()
    assert (kept.rights_text, kept.rights_url) == ("Creative Commons BY-SA", address)
    assert licences_of_wikis() == {urlsplit(wiki.address).hostname: "CC-BY-SA-4.0"}

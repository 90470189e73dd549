"""Pages of fetches and tags: what they say, what a refused form keeps."""

import bz2
import gzip
import re
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from pytest_django.asserts import assertContains, assertNotContains

from accounts.roles import Role
from leases.clock import in_seconds
from tests.factories import person
from tests.wikifetch.factories import TAG, export, mill, page, revision, written
from tests.wikifetch.fakewiki import Answer
from wikifetch import fetch
from wikifetch.history.pages_seen import HiddenParts
from wikifetch.models import FetchRun, Sighting, Tag, Wiki
from wikifetch.purging import purge

pytestmark = pytest.mark.django_db

NEW = "/fetches/new/"
CONTACT = {"contact": "alice@lab.example"}


@pytest.fixture
def alice(client):
    client.force_login(person("alice", Role.ADMIN))
    return client


@pytest.fixture
def fetched(tmp_path):
    """A fetch of three tagged articles, one tag gone."""
    texts = {
        "Kettle Mill": f"Built in 1801.{TAG}",
        "Ford": "{{Self-contradictory|about=depth}}\nDeep.",
        "Weir": "{{contradicts other|Ford}}\nWide.",
    }
    pages = [page(n, t, revision(10 + n, text)) for n, (t, text) in enumerate(texts.items(), 1)]
    fetch.fetch_xml(written(tmp_path, export(*pages)))
    return fetch.fetch_xml(written(tmp_path, export(page(2, "Ford", revision(20, "Deep.")))))


def upload(client, data, name="export.xml"):
    file = SimpleUploadedFile(name, data)
    return client.post(NEW, {"source": "xml", "file": file})


def body(response):
    return response.content.decode()


# ---------------------------------------------------------------- fetching


def test_an_upload_becomes_a_run_that_a_worker_carries_out(
    alice, carry_out, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        response = upload(alice, export(mill(f"Old.{TAG}")).encode(), "../../mills.xml")
    run = FetchRun.objects.get()
    assert response.url == f"/fetches/{run.pk}/"
    assert (run.state, run.label, run.started_by.username) == ("waiting", "mills.xml", "alice")
    assert carry_out() == 1
    run.refresh_from_db()
    assert (run.state, run.tags_new) == ("done", 1)


def uploads(settings):
    return list((settings.DATA_DIR / "uploads").glob("*"))


# With one time in it: the workers of a run name their tests alike.
PACKED_TWICE = gzip.compress(gzip.compress(b"<mediawiki>", mtime=0), mtime=0)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "This file is empty"),
        (b"not XML", "export.xml is not well-formed XML"),
        (b"<html></html>", "no MediaWiki export"),
        (b"\x1f\x8b damaged", "damaged or cut off"),
        (b"7z\xbc\xaf\x27\x1c", "export.xml is packed with 7z. Unpack it"),
        (PACKED_TWICE, "export.xml is packed twice"),
    ],
)
def test_a_file_that_is_no_export_is_refused_and_not_kept(alice, settings, data, message):
    before = uploads(settings)
    assertContains(upload(alice, data), message, status_code=400)
    assert not FetchRun.objects.exists()
    assert uploads(settings) == before


def test_an_uploaded_bomb_is_refused_by_the_worker_and_removed(
    alice, carry_out, django_capture_on_commit_callbacks, settings
):
    """The request reads no further than the first page begins."""
    before = uploads(settings)
    begun = export(mill("A")).partition("</text>")[0]
    bomb = bz2.compress(begun.encode()) + bz2.compress(b" " * 2**24) * 256
    with django_capture_on_commit_callbacks(execute=True):
        assert upload(alice, bomb).status_code == 302
    carry_out()
    run = FetchRun.objects.get()
    assert (run.state, "export.xml unpacks to over 250 times its size" in run.error) == (
        "failed",
        True,
    )
    assert uploads(settings) == before
    assertContains(alice.get(f"/fetches/{run.pk}/"), "It was read no further.")


def test_a_file_over_the_limit_is_refused(alice, monkeypatch):
    monkeypatch.setattr("wikifetch.forms.MAX_UPLOAD_MB", 0)
    response = upload(alice, export(mill("x")).encode())
    assertContains(response, "can be uploaded. Split it", status_code=400)


def test_no_room_for_an_upload_is_reported(alice, monkeypatch, settings, tmp_path):
    (tmp_path / "uploads").write_text("a file where the folder should be")
    settings.DATA_DIR = tmp_path
    response = upload(alice, export(mill("x")).encode())
    assertContains(response, "The file could not be kept: File exists", status_code=400)


def test_pasted_titles_or_a_kind_become_a_run(alice, live):
    response = alice.post(NEW, CONTACT | {"source": "titles", "titles": "Mill 1\r\nMill 2\r\n"})
    run = FetchRun.objects.get()
    assert response.url == f"/fetches/{run.pk}/"
    assert run.options["titles"] == ["Mill 1", "Mill 2"]
    alice.post(NEW, CONTACT | {"source": "kind", "kind": "contradict-other", "limit": "3"})
    assert FetchRun.objects.first().label == "contradict-other, at most 3 pages"


@pytest.mark.parametrize(
    ("entered", "message"),
    [
        ({"source": "titles", "titles": "Kettle Mill"}, "This field is required"),
        ({"source": "kind", "kind": "all", "contact": "nobody"}, "as the contact first"),
        ({"source": "kind", "kind": "all", "contact": "a(b)@example.org"}, "no brackets"),
        (CONTACT | {"source": "titles", "titles": " \r\n "}, "There is no title"),
        ({"source": "category", "category": ""}, "This field is required"),
        ({"source": "category", "category": "Mills", "depth": "6"}, "less than or equal to 5"),
        ({"source": "kind", "kind": "dubious"}, "Select a valid choice"),
        ({"source": "kind", "kind": "inconsistent", "limit": "0"}, "greater than or equal to 1"),
        ({"source": "xml"}, "This field is required"),
    ],
)
def test_a_refused_form_says_why_and_keeps_what_was_entered(alice, settings, entered, message):
    settings.WIKI_CONTACT = ""
    response = alice.post(NEW, entered)
    assertContains(response, message, status_code=400)
    assert "error-summary" in body(response)
    assert entered.get("titles", "").strip() in body(response)
    assert not FetchRun.objects.exists()


def offered_contacts(client):
    return set(re.findall(r'name="contact" value="([^"]*)"', body(client.get(NEW))))


def test_the_contact_is_the_operators_or_what_this_person_gave_last(alice, live, settings):
    settings.WIKI_CONTACT = ""
    assert offered_contacts(alice) == set()
    alice.post(NEW, {"source": "kind", "kind": "all", "contact": "alice@lab.example"})
    assert FetchRun.objects.get().contact == "alice@lab.example"
    assert offered_contacts(alice) == {"alice@lab.example"}
    FetchRun.objects.update(started_by=None)
    assert offered_contacts(alice) == set()
    settings.WIKI_CONTACT = "operator@example.org"
    assert offered_contacts(alice) == {"operator@example.org"}


def test_titles_may_come_in_a_file(alice, live):
    file = SimpleUploadedFile("titles.txt", "\ufeffŁódź\nKettle Mill\n".encode())
    asked = CONTACT | {"source": "titles", "titles": "Ford", "titles_file": file, "history": "on"}
    assert alice.post(NEW, asked).status_code == 302
    assert FetchRun.objects.get().options["titles"] == ["Ford", "Łódź", "Kettle Mill"]


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"\xff\xfe\x00", "not text in UTF-8"), (b"x\n" * 1_000_001, "2 MB; a list")],
)
def test_a_file_that_is_no_list_of_titles_is_refused(alice, live, data, message):
    file = SimpleUploadedFile("titles.txt", data)
    response = alice.post(
        NEW, CONTACT | {"source": "titles", "titles": "Ford", "titles_file": file}
    )
    assertContains(response, message, status_code=400)
    assert ">Ford</textarea>" in body(response).replace("\n", "").replace("\r", "")


@pytest.mark.parametrize(
    ("depth", "shown"),
    [
        ({"depth": 0}, "Without the articles of its subcategories."),
        ({"depth": 1}, "With the articles of its subcategories, 1 level down."),
        ({"depth": 2}, "With the articles of its subcategories, 2 levels down."),
    ],
)
def test_a_fetch_by_category_says_how_far_it_follows(alice, depth, shown):
    run = FetchRun.objects.create(source="category", label="Mills", options=depth)
    assert shown in " ".join(body(alice.get(f"/fetches/{run.pk}/")).split())


def test_the_form_offers_one_level_of_subcategories(alice):
    assertContains(alice.get(NEW), 'name="depth" value="1"')


def test_a_category_becomes_a_run_that_looks_first(alice, live):
    asked = CONTACT | {
        "source": "category",
        "category": "Mills",
        "depth": "1",
        "limit": "5",
        "dry_run": "on",
    }
    assert alice.post(NEW, asked).status_code == 302
    options = FetchRun.objects.get().options
    assert (options["category"], options["depth"], options["limit"]) == ("Mills", 1, 5)
    assert (options["history"], options["dry_run"]) == (False, True)


def test_where_several_wikis_are_allowed_one_is_chosen(alice, live, settings):
    settings.WIKI_ALLOWED = ["https://en.wikipedia.org", "https://fr.wikipedia.org"]
    assert "fr.wikipedia.org</option>" in body(alice.get(NEW))
    asked = CONTACT | {"source": "titles", "titles": "Moulin"}
    assert alice.post(NEW, asked | {"wiki": "https://example.org"}).status_code == 400
    assert alice.post(NEW, asked | {"wiki": "https://fr.wikipedia.org"}).status_code == 302
    assert FetchRun.objects.get().options["base"] == "https://fr.wikipedia.org"


@pytest.mark.parametrize(
    ("source", "message"),
    [("ftp", "ftp is not one of the available choices"), ("", "This field is required")],
)
def test_an_unknown_source_is_no_fetch(alice, source, message):
    assertContains(alice.post(NEW, {"source": source}), message, status_code=400)
    assert not FetchRun.objects.exists()


def test_what_was_entered_for_another_source_is_kept_and_not_read(alice, live):
    entered = {
        "source": "titles",
        "category": "Mills",
        "depth": "99",
        "limit": "none",
        "titles": "",
    }
    refused = alice.post(NEW, CONTACT | entered)
    assertContains(refused, "There is no title", status_code=400)
    for kept in ('value="Mills"', 'value="99"', 'value="none"', 'value="titles" required'):
        assert kept in body(refused), kept
    assertNotContains(refused, "less than or equal to 5", status_code=400)
    assert alice.post(NEW, CONTACT | entered | {"titles": "Mill 1"}).status_code == 302
    assert FetchRun.objects.get().options["titles"] == ["Mill 1"]


# ---------------------------------------------------------------- what would be fetched


def preview(client, **entered):
    """The part of the page that the button fetches."""
    asked = CONTACT | {"preview": "", **entered}
    answer = client.post(NEW, asked, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert "<h1" not in body(answer)
    assert not FetchRun.objects.filter(state="waiting").exists()
    return " ".join(re.sub("<[^>]+>", " ", unescape(body(answer))).split())


def test_the_names_of_a_list_are_shown_without_asking_the_wiki(alice, live):
    file = SimpleUploadedFile("titles.txt", b"Mill 3\nMill 4\n")
    lines = "Mill 1\nMill_1\n\nMill 2"
    shown = preview(alice, source="titles", titles=lines, titles_file=file, contact="")
    assert shown.startswith(
        "4 articles would be asked for. 1 line left out: named before, or without a title."
    )
    assert shown.endswith(" Mill 1 Mill 2 Mill 3 Mill 4")
    assert live.asked == []


@pytest.mark.both
def test_the_names_of_a_list_that_are_known_are_counted(
    alice, live, carry_out, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        alice.post(NEW, CONTACT | {"source": "titles", "titles": "Mill 1\nMill 2"})
    carry_out()
    shown = preview(alice, source="titles", titles="Mill 2\nMill 3")
    assert "Fetched before, and updated only if changed: 1 of them." in shown


def test_a_category_is_counted_by_one_request(alice, live):
    live.counted = {"Category:Mills": (120, 3), "Category:Weirs": (1, 0)}
    shown = preview(alice, source="category", category="Category: Mills", depth="2", limit="50")
    assert shown == (
        "The category “Mills” has 120 pages and 3 subcategories of its own. The articles of its subcategories come "
        "too, 2 levels down: they are counted when they are listed. At most 50 pages would be fetched."
    )
    assert len(live.asked) == 1
    assert "alice@lab.example" in live.asked[0].headers["User-Agent"]
    shown = preview(alice, source="category", category="Weirs", depth="2")
    assert shown == "The category “Weirs” has 1 page and 0 subcategories of its own."


@pytest.mark.parametrize(
    ("entered", "expected"),
    [
        ({"source": "category", "category": "Dykes", "depth": "1"}, "no category “Dykes”"),
        ({"source": "category", "category": "A|B", "depth": "1"}, "Write the name of one category"),
        ({"source": "category", "depth": "1"}, "Category: This field is required."),
        ({"source": "category", "category": "Mills", "contact": ""}, "Your contact: This field"),
        ({"source": "titles", "titles": " "}, "There is no title."),
        ({"source": "titles", "titles": "\n".join(map(str, range(50_001)))}, "50001 titles"),
        ({"source": "kind", "kind": "all"}, "only by listing them: tick “List the pages, then"),
    ],
)
def test_what_cannot_be_counted_says_why(alice, live, settings, entered, expected):
    settings.WIKI_CONTACT = ""
    assert expected in preview(alice, **entered)


def test_no_preview_asks_a_wiki_beside_a_fetch_or_while_it_is_busy(alice, live):
    alice.post(NEW, CONTACT | {"source": "titles", "titles": "Mill 1"})
    run = FetchRun.objects.get()
    FetchRun.objects.update(state="running", lease_holder="w", lease_until=in_seconds(60))
    mills = {"source": "category", "category": "Mills", "depth": "0"}
    assert "A fetch is asking this wiki now" in preview(alice, **mills)
    FetchRun.objects.update(state="done", lease_holder="", lease_until=None)
    Wiki.objects.filter(pk=run.wiki_id).update(busy_until=in_seconds(60))
    assert "This wiki is busy now." in preview(alice, **mills)
    assert live.asked == []
    Wiki.objects.update(busy_until=in_seconds(-1))
    live.busy = iter([Answer({"errors": [{"code": "maxlag", "text": "Waiting: 5 s lagged."}]})])
    assert "lag" in preview(alice, **mills)


def test_without_script_the_preview_is_a_page_that_keeps_what_was_entered(alice, live):
    live.counted = {"Category:Mills": (120, 3)}
    asked = {"source": "category", "category": "Mills", "depth": "0", "preview": ""}
    page = alice.post(NEW, CONTACT | asked)
    assertContains(page, "has 120 pages and 3 subcategories of its own.")
    assertContains(page, 'value="Mills"')
    refused = alice.post(NEW, CONTACT | asked | {"category": "Dykes"})
    assertContains(refused, "no category “Dykes”", status_code=400)


def test_a_run_that_goes_on_asks_for_its_own_progress(alice, fetched):
    run = FetchRun.objects.create(source="kind", label="inconsistent", queue=[1, 2, 3], cursor=1)
    whole, part = (
        alice.get(f"/fetches/{run.pk}/"),
        alice.get(f"/fetches/{run.pk}/", headers={"HX-Request": "true"}),
    )
    assert 'hx-trigger="every 2s"' in body(part)
    assert "Pages: 1 of 3" in body(part)
    assert "<h1" in body(whole)
    assert "<h1" not in body(part)
    over = alice.get(f"/fetches/{fetched.pk}/", headers={"HX-Request": "true"})
    assert "hx-trigger" not in body(over)


def test_a_run_is_cancelled_and_resumed_by_post_alone(alice):
    run = FetchRun.objects.create(source="kind", label="inconsistent")
    assert alice.get(f"/fetches/{run.pk}/cancel/").status_code == 405
    for verb, state in (("cancel", "cancelled"), ("resume", "waiting")):
        assert alice.post(f"/fetches/{run.pk}/{verb}/").status_code == 302
        run.refresh_from_db()
        assert run.state == state
    assert alice.post(f"/fetches/{run.pk}/resume/").status_code == 409


def test_a_failed_run_shows_its_error_and_problems(alice):
    run = FetchRun.objects.create(source="xml", label="a.xml", state="failed", error="Cut off.")
    run.problems.create(page="<Mill>", problem="No text.")
    shown = body(alice.get(f"/fetches/{run.pk}/"))
    assert "Cut off." in shown
    assert "&lt;Mill&gt;" in shown
    assert reverse("wikifetch:change_fetch", args=[run.pk, "resume"]) in shown


def test_the_list_of_fetches(alice, fetched):
    assert body(alice.get("/fetches/")).count("export.xml") == 2


def test_an_empty_list_says_what_to_do(alice):
    assert "Nothing has been fetched yet." in body(alice.get("/fetches/"))
    assert "No tags yet." in body(alice.get("/tags/"))


# ---------------------------------------------------------------- tags


@pytest.mark.both
@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("", ["Ford", "Kettle Mill", "Weir"]),
        ("kind=inconsistent", ["Kettle Mill"]),
        ("state=live", ["Kettle Mill", "Weir"]),
        ("state=gone", ["Ford"]),
        ("reason=no", ["Kettle Mill", "Weir"]),
        ("reason=yes", ["Ford"]),
        ("since=2019&until=2020", ["Kettle Mill"]),
        ("since=2021", []),
        ("since=nonsense", ["Ford", "Kettle Mill", "Weir"]),
        ("campaign=none", ["Ford", "Kettle Mill", "Weir"]),
        ("campaign=999999", ["Ford", "Kettle Mill", "Weir"]),
        ("words=mill", ["Kettle Mill"]),
        ("words=DEPTH", ["Ford"]),
        ("words=ford+other", ["Weir"]),
        ("kind=contradict-other&state=gone", []),
        ("kind=nonsense&article__wiki__name=x", ["Ford", "Kettle Mill", "Weir"]),
    ],
)
def test_tags_are_narrowed(alice, fetched, query, titles):
    shown = body(alice.get(f"/tags/?{query}"))
    assert re.findall(r'<a href="\d+/" dir="auto">([^<]+)</a>', shown) == titles


@pytest.mark.both
def test_the_tags_of_a_fetch_are_those_on_the_pages_that_it_has_taken(alice, fetched):
    def titles(run):
        shown = body(alice.get(f"/tags/?fetch={run}"))
        return re.findall(r'<a href="\d+/" dir="auto">([^<]+)</a>', shown)

    first = FetchRun.objects.earliest("pk")
    assert titles(first.pk) == ["Ford", "Kettle Mill", "Weir"]
    assert titles(fetched.pk) == ["Ford"]
    pageids = [3, 1, 2**40]
    live = FetchRun.objects.create(source="kind", wiki=first.wiki, queue=pageids, cursor=1)
    assert titles(live.pk) == ["Weir"]
    FetchRun.objects.filter(pk=live.pk).update(cursor=3)
    assert titles(live.pk) == ["Kettle Mill", "Weir"]
    assert titles(FetchRun.objects.create(source="kind", queue=pageids, cursor=2).pk) == []
    assert titles(999) == ["Ford", "Kettle Mill", "Weir"]


def test_a_fetch_leads_to_its_tags_and_to_a_campaign_over_them(alice, fetched):
    shown = body(alice.get(f"/fetches/{FetchRun.objects.earliest('pk').pk}/"))
    key = FetchRun.objects.earliest("pk").pk
    assert f'href="/tags/?fetch={key}"' in shown
    assert f'href="/campaigns/new/?fetch={key}"' in shown
    narrowed = body(alice.get(f"/tags/?fetch={key}&kind=inconsistent&since=2010&state=live"))
    assert f'href="/campaigns/new/?fetch={key}&amp;kinds=inconsistent&amp;since=2010"' in narrowed


def test_only_admins_see_the_names_of_fetches(client, fetched):
    client.force_login(person("bob", Role.RESEARCHER))
    assertNotContains(client.get(f"/tags/?fetch={fetched.pk}"), "export.xml")


@pytest.mark.both
def test_tags_are_paged(alice, tmp_path):
    pages = [page(n, f"Mill {n:03}", revision(n, f"Old.{TAG}")) for n in range(1, 61)]
    fetch.fetch_xml(written(tmp_path, export(*pages)))
    shown = body(alice.get("/tags/?page=2&kind=inconsistent"))
    assert len(re.findall(r'<a href="\d+/" dir="auto">', shown)) == 10
    assert "51–60 of 60" in shown


def test_a_tag_shows_its_block_what_it_says_and_the_article(alice, tmp_path):
    text = "== Rise ==\nBuilt <ref>Book</ref> in 1801.{{Inconsistent|reason=Lead says 1799}}"
    history = [
        revision(10, "Built in 1801."),
        revision(11, text, parent=10, by="Bob", summary="which?"),
    ]
    fetch.fetch_xml(written(tmp_path, export(page(1, "Kettle Mill", *history))))
    shown = body(alice.get(f"/tags/{Tag.objects.get().pk}/"))
    for piece in [
        "Lead says 1799",
        "Built in 1801.",
        "<mark>{{Inconsistent|reason=Lead says 1799}}</mark>",
        "&lt;ref&gt;Book&lt;/ref&gt;",
        "1 piece of wikitext not shown",
        "Bob",
        "which?",
        'href="https://wiki.example/wiki/?oldid=11"',
        '<p id="tagged-block" class="tagged">',
    ]:
        assert piece in shown


def test_a_tag_without_history_says_so(alice, fetched):
    shown = body(alice.get(f"/tags/{Tag.objects.get(article__title='Weir').pk}/"))
    assert "Not known: the source of this page" in shown


def test_a_tag_whose_text_the_wiki_has_hidden_still_has_its_page(alice, fetched):
    tag = Tag.objects.get(article__title="Kettle Mill")
    revid = tag.latest.revision.revid
    purge(tag.article.wiki, {revid: HiddenParts(text=True)})
    assertNotContains(alice.get(reverse("wikifetch:tag", args=[tag.pk])), "Built in 1801")


def test_hostile_text_is_shown_as_text(alice, tmp_path):
    text = "<script>alert(1)</script>{{Inconsistent|reason=<script>alert(2)</script>}}"
    fetch.fetch_xml(written(tmp_path, export(mill(text))))
    for path in ("/tags/", f"/tags/{Tag.objects.get().pk}/"):
        assert "<script>alert" not in body(alice.get(path))


def test_a_tag_that_does_not_exist_is_not_found(alice):
    assert alice.get("/tags/999/").status_code == 404
    assert alice.get("/tags/99999999999999999999/").status_code == 404
    assert alice.get("/fetches/999/").status_code == 404


# ---------------------------------------------------------------- the other article


def test_the_page_of_a_tag_shows_the_other_article_that_it_names(alice, fetched):
    tag = Tag.objects.get(article__title="Weir")
    assert "Deep." in body(alice.get(f"/tags/{tag.pk}/")).split("The other article", 1)[1]


def test_the_page_of_a_tag_says_how_to_get_an_other_article_that_is_not_here(alice, fetched):
    Sighting.objects.filter(revision__article__title="Weir").update(other_article="Lock")
    tag = Tag.objects.get(article__title="Weir")
    assert "<bdi>Lock</bdi> is not stored here. Fetch this article again" in body(
        alice.get(f"/tags/{tag.pk}/")
    )


def test_the_page_of_a_tag_that_names_none_speaks_of_none(alice, fetched):
    tag = Tag.objects.get(article__title="Kettle Mill")
    assert "ther article" not in body(alice.get(f"/tags/{tag.pk}/"))

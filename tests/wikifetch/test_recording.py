"""From an export to rows: sightings added, tags never doubled, annotations' pins never moved."""

from dataclasses import replace

import pytest
from django.urls import reverse

from accounts.roles import Role
from leases.refusal import Refusal
from tests.factories import person
from tests.wikifetch.factories import TAG, export, mill, page, revision, written
from wikifetch import fetch
from wikifetch.history import introductions
from wikifetch.models import Article, Revision, Sighting, Tag, TalkPage, Wiki
from wikifetch.otherarticles import other_revisions

pytestmark = pytest.mark.django_db

DATED = "{{Inconsistent|date=June 2021}}"
PLAIN = "Built by Ann Kettle in 1801."
TAGGED = f"Built by Ann Kettle in 1801.{TAG}"


@pytest.fixture
def fetched(tmp_path):
    """`fetched(page, …)` reads an export of these pages and gives the run."""

    def read(*pages, **options):
        return fetch.fetch_xml(written(tmp_path, export(*pages, **options)))

    return read


def counts():
    return [model.objects.count() for model in (Article, Revision, Tag, Sighting)]


def test_a_tagged_page_becomes_rows(fetched):
    run = fetched(mill(f"== History ==\n{TAGGED}<ref>x</ref>"))
    assert (run.state, run.pages, run.tags_found, run.tags_new) == ("done", 1, 1, 1)
    tag = Tag.objects.get()
    seen = tag.latest
    assert (tag.kind, tag.state, tag.article.title) == ("inconsistent", "live", "Kettle Mill")
    assert (seen.revision.revid, seen.revision.editor, seen.position) == (10, "Alice", 42)
    assert (seen.raw, seen.date, seen.section, seen.scope) == (TAG, "May 2020", "History", "")
    assert seen.block_clean == f"{PLAIN}<ref>x</ref>"
    assert (seen.block_text, seen.dropped) == (
        PLAIN,
        [{"what": "reference", "wikitext": "<ref>x</ref>"}],
    )
    assert seen.revision.permalink == "https://wiki.example/wiki/?oldid=10"


def test_pages_without_tags_and_redirects_leave_no_row(fetched):
    run = fetched(mill(PLAIN), page(2, "Old", revision(11, TAGGED), redirect="Kettle Mill"))
    assert (run.pages, counts()) == (2, [0, 0, 0, 0])


def test_the_other_article_that_a_tag_names_is_kept_though_it_has_no_tag(fetched):
    tag = "{{Contradicts other|[[:ford (river)#Depth]]}}"
    other = page(2, "Ford (river)", revision(11, "It is deep."))
    run = fetched(other, page(3, "Bridge", revision(12, "It is long.")), mill(f"{tag}\n\n{PLAIN}"))
    assert (run.pages, run.tags_found, run.problems.count()) == (3, 1, 0)
    assert set(Article.objects.values_list("title", flat=True)) == {"Ford (river)", "Kettle Mill"}
    assert Revision.objects.get(article__title="Ford (river)").wikitext == "It is deep."


def test_all_articles_that_a_tag_names_are_kept_and_shown(fetched, client):
    tag = "{{Contradicts other|1=Mars|2=[[Venus]]|3=[[Moon]]|4=Artikel|5=[[Pluto]]}}"
    others = [page(2, "Moon", revision(11, "It is grey.")), page(3, "Venus", revision(12, "Hot."))]
    run = fetched(mill(f"{tag}\n\n{PLAIN}"), *others)
    assert (run.tags_found, run.problems.count()) == (1, 0)
    seen = Tag.objects.get().latest
    assert seen.other_article == "Venus | Moon | Pluto"
    found = {title: row and row.article.title for title, row in other_revisions(seen).items()}
    assert found == {"Venus": "Venus", "Moon": "Moon", "Pluto": None}
    client.force_login(person("alice", Role.RESEARCHER))
    html = client.get(reverse("wikifetch:tag", args=[seen.tag_id])).content.decode()
    assert html.count("<summary>Read it</summary>") == 2
    assert "It is grey." in html
    assert "<bdi>Pluto</bdi> is not stored here" in html


@pytest.mark.both
def test_fetching_again_adds_nothing(fetched):
    fetched(mill(TAGGED))
    before = counts()
    run = fetched(mill(TAGGED))
    assert (run.tags_found, run.tags_new) == (1, 0)
    assert counts() == before


@pytest.mark.both
def test_a_later_revision_adds_a_sighting_to_the_same_tag(fetched):
    fetched(mill(TAGGED))
    first = Sighting.objects.get()
    fetched(mill(TAGGED.replace(TAG, DATED), revid=20))
    tag = Tag.objects.get()
    assert (tag.sightings.count(), tag.latest.raw, tag.latest.revision.revid) == (2, DATED, 20)
    first.refresh_from_db()
    assert (first.raw, first.revision.wikitext) == (TAG, TAGGED)


@pytest.mark.both
def test_a_tag_that_is_removed_is_gone_and_comes_back_as_itself(fetched):
    fetched(mill(TAGGED))
    fetched(mill(PLAIN, revid=20))
    assert Tag.objects.get().state == "gone"
    assert Tag.objects.get().latest.revision.revid == 10
    fetched(mill(TAGGED, revid=30))
    assert (Tag.objects.get().state, Tag.objects.get().latest.revision.revid) == ("live", 30)


def test_an_article_that_becomes_a_redirect_loses_its_tags(fetched):
    fetched(mill(TAGGED))
    fetched(page(1, "Kettle Mill", revision(20, "#REDIRECT [[Mill]]"), redirect="Mill"))
    assert Tag.objects.get().state == "gone"


def test_an_older_file_adds_what_it_saw_and_changes_nothing(fetched):
    fetched(mill(TAGGED, revid=20))
    fetched(page(1, "Old title", revision(10, TAGGED + " More." + DATED)))
    live, gone = Tag.objects.order_by("state")[1], Tag.objects.order_by("state")[0]
    assert (live.latest.revision.revid, live.sightings.count()) == (20, 2)
    assert (gone.state, gone.latest.raw) == ("gone", DATED)
    assert Article.objects.get().title == "Kettle Mill"


def test_a_renamed_page_is_the_same_article(fetched):
    fetched(mill(TAGGED))
    fetched(page(1, "Kettle Watermill", revision(20, TAGGED)))
    assert Article.objects.get().title == "Kettle Watermill"
    assert Tag.objects.count() == 1


def test_a_change_of_kind_is_followed(fetched):
    fetched(mill("{{contradict|about=age}}\nOld."))
    fetched(mill("{{contradict|about=age|article=Ford}}\nOld.", revid=20))
    tag = Tag.objects.get()
    assert (tag.kind, tag.latest.other_article) == ("contradict-other", "Ford")


def test_the_introducing_edit_is_kept_from_a_history(fetched):
    history = [
        revision(10, PLAIN, time="2020-01-01T00:00:00Z"),
        revision(11, TAGGED, parent=10, by="Bob", summary="two years", time="2020-01-02T00:00:00Z"),
        revision(12, "lol", parent=11, by="Zed", time="2020-01-03T00:00:00Z"),
        revision(13, TAGGED, parent=12, by="Charlie", time="2020-01-04T00:00:00Z"),
    ]
    fetched(page(1, "Kettle Mill", *history))
    tag = Tag.objects.get()
    assert (tag.introduced_revid, tag.introduced_by, tag.introduced_summary) == (
        11,
        "Bob",
        "two years",
    )
    assert tag.introduced_at.isoformat() == "2020-01-02T00:00:00+00:00"
    assert (tag.introduced_parent_block, tag.introduced_block) == (PLAIN, TAGGED)
    assert Revision.objects.count() == 1  # the walked history is not kept


def test_a_history_fetched_later_tells_who_added_a_known_tag(fetched):
    fetched(mill(TAGGED, revid=11, parent=10))
    assert Tag.objects.get().introduced_revid is None
    fetched(page(1, "Kettle Mill", revision(10, PLAIN), revision(11, TAGGED, parent=10, by="Bob")))
    assert Tag.objects.get().introduced_by == "Bob"
    assert counts() == [1, 1, 1, 1]


def test_a_shorter_history_fetched_later_does_not_change_who_added_a_tag(fetched):
    fetched(page(1, "Kettle Mill", revision(10, PLAIN), revision(11, TAGGED, parent=10, by="Bob")))
    cut = [
        revision(12, TAGGED + " More.", by="Zed"),
        revision(13, TAGGED + " And more.", parent=12),
    ]
    fetched(page(1, "Kettle Mill", *cut))
    assert Tag.objects.get().introduced_by == "Bob"


@pytest.mark.parametrize("talk_first", [True, False])
def test_the_talk_page_is_kept_wherever_it_is_in_the_file(fetched, talk_first):
    talk = page(2, "Talk:Kettle Mill", revision(12, "Which year?"), ns=1)
    other = page(3, "Talk:Another", revision(13, "Ho."), ns=1)
    pages = [mill(TAGGED), talk, other]
    fetched(*(reversed(pages) if talk_first else pages))
    assert (TalkPage.objects.get().wikitext, TalkPage.objects.get().revid) == ("Which year?", 12)


def test_a_page_that_cannot_be_read_is_reported_and_the_others_are_taken(fetched):
    run = fetched(
        page(2, "Hidden", revision(11, ('bytes="9"', 'deleted="deleted"'))),
        page(3, "Broken", revision(12, "{{inconsistent|reason=no end")),
        mill(TAGGED),
    )
    assert run.state == "done"
    assert list(run.problems.values_list("page", flat=True)) == ["Hidden", "Broken"]
    assert Tag.objects.count() == 1


@pytest.mark.both
def test_a_page_that_the_database_refuses_is_reported_and_the_others_are_taken(
    fetched, monkeypatch
):
    real = introductions.read_history

    def of_no_kind(revisions, names):
        history = real(revisions, names)
        if "bad" in history.newest.text:
            tags = [replace(tag, kind="dubious") for tag in history.reading.tags]
            return replace(history, reading=replace(history.reading, tags=tuple(tags)))
        return history

    monkeypatch.setattr(introductions, "read_history", of_no_kind)
    run = fetched(page(2, "Bad", revision(11, f"A bad page.{TAG}")), mill(TAGGED))
    assert (run.state, run.tags_found, run.tags_new) == ("done", 1, 1)
    assert (run.problems.get().page, Article.objects.get().title) == ("Bad", "Kettle Mill")
    assert "The database refused this page" in run.problems.get().problem


@pytest.mark.both
def test_long_fields_are_cut_to_what_a_row_holds(fetched):
    raw = "{{Inconsistent|date=" + "d" * 500 + "|reason=" + "r" * 5_000 + "}}"
    fetched(mill(f"Old.{raw}", by="B" * 400))
    seen = Sighting.objects.get()
    assert (len(seen.date), len(seen.reason), seen.raw) == (200, 5_000, raw)


def test_a_page_over_the_limit_is_set_aside_and_its_tags_stay(fetched):
    from wikifetch.wikitext.limits import MAX_PAGE_BYTES

    fetched(mill(TAGGED))
    run = fetched(mill(TAGGED + "é" * (MAX_PAGE_BYTES // 2), revid=20))
    assert Revision.objects.get(revid=20).set_aside == "The page is over 2 MiB and was not read."
    assert "over 2 MiB" in run.problems.get().problem
    assert Tag.objects.get().state == "live"


# ---------------------------------------------------------------- which wiki


@pytest.mark.both
def test_one_wiki_whether_its_address_is_written_with_or_without_s(fetched):
    fetched(mill(TAGGED), base="https://en.wikipedia.org/wiki/Main_Page")
    fetched(mill(TAGGED), base="http://en.wikipedia.org/wiki/Main_Page")
    assert Wiki.objects.get().base_url == "https://en.wikipedia.org/wiki/"


def test_a_wiki_with_plain_addresses_keeps_working_permalinks(fetched):
    fetched(mill(TAGGED), base="https://wiki.example/index.php?title=Main_Page")
    assert Revision.objects.get().permalink == "https://wiki.example/index.php?title=&oldid=10"


def test_a_file_that_names_no_wiki_belongs_to_the_default_one(fetched, settings):
    settings.WIKI_ALLOWED = ["https://default.example"]
    fetched(mill(TAGGED), base="")
    assert Wiki.objects.get().base_url == "https://default.example/wiki/"


@pytest.mark.parametrize(
    "base",
    [
        "javascript:alert(1)/x", "file:///etc/passwd", "nowhere", "https://wiki.example",
        "https://[wiki/Main_Page", "https://wiki.example:x/Main_Page", "https://ann:pw@wiki.example/Main_Page",
    ],
)  # fmt: skip
def test_a_file_that_names_no_web_address_as_its_wiki_is_refused(fetched, base):
    with pytest.raises(Refusal, match="no web address"):
        fetched(mill(TAGGED), base=base)

"""The other articles that tags name come with the pages that name them, so that both can be compared."""

import pytest

from leases.refusal import Refusal
from tests.wikifetch.factories import export, page, revision, written
from wikifetch import fetch, newfetch
from wikifetch.models import (
    Article,
    FetchProblem,
    FetchRun,
    NamedArticle,
    Revision,
    Sighting,
    Tag,
    TalkPage,
)
from wikifetch.otherarticles import cleaned, other_revision, spellings
from wikifetch.source import filebatches, livebatches

pytestmark = pytest.mark.django_db


def fetched_by_kind(**how):
    return fetch.finished(newfetch.fetch_of_kind("contradict-other", **how))


def others():
    """Of each sighting that names one, in order."""
    naming = Sighting.objects.exclude(other_article="").order_by("pk")
    return [seen and seen.article.title for seen in map(other_revision, naming)]


@pytest.fixture
def naming(live):
    """A wiki of two tagged articles, the first of which names one that has no tag, by a redirect to it."""
    live.size, live.untagged = 2, {7}
    live.naming, live.redirects = {1: ["old mill"]}, {"Old mill": "Mill 7", "old mill": "Mill 7"}
    return live


@pytest.mark.both
def test_it_is_fetched_by_the_title_that_the_tag_names_redirects_followed(naming):
    run = fetched_by_kind()
    assert others() == ["Mill 7"]
    assert Revision.objects.get(article__title="Mill 7").wikitext == "Mill 7 was built in 1801."
    assert (run.pages, run.tags_found, run.problems.count()) == (2, 2, 0)
    assert naming.content_requests() == [["1", "2"], ["7"]]


def test_a_wiki_whose_tags_name_none_is_asked_for_none(live):
    live.size = 2
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    assert live.titles_asked() == []


def test_fetching_again_asks_for_its_text_only_when_it_has_changed(naming):
    naming.untagged = set()
    fetched_by_kind()
    naming.asked.clear()
    fetched_by_kind()
    assert naming.content_requests() == []
    naming.untagged = {7}
    fetched_by_kind()
    assert naming.content_requests() == [["7"]]
    assert Article.objects.get(title="Mill 7").revisions.count() == 2


def test_a_title_that_leads_elsewhere_now_is_followed(naming):
    fetched_by_kind()
    naming.redirects = {"old mill": "Mill 8"}
    fetched_by_kind()
    assert others() == ["Mill 8"]
    assert NamedArticle.objects.count() == 1


def test_one_that_the_fetch_takes_anyway_is_asked_for_once(naming):
    naming.naming = {1: ["Mill 2"]}
    run = fetched_by_kind()
    assert others() == ["Mill 2"]
    assert naming.content_requests() == [["1", "2"]]
    assert run.tags_found == 2


def test_its_own_tags_are_kept_and_traced_but_not_counted(naming):
    naming.untagged = set()
    run = fetched_by_kind()
    tags = Tag.objects.filter(article__title="Mill 7")
    assert [tag.introduced_revid for tag in tags] == [15]
    assert (run.tags_found, run.tags_new) == (2, 2)
    again = fetched_by_kind()
    assert (again.tags_found, again.tags_new) == (2, 0)
    assert naming.histories_asked() == [1, 2, 7]


def test_what_the_wiki_hides_of_it_is_taken_out(naming):
    naming.untagged = set()
    fetched_by_kind()
    naming.hidden = {15: ["sha1hidden"]}
    fetched_by_kind()
    assert Revision.objects.get(article__title="Mill 7").wikitext == ""


def test_those_of_pages_kept_before_this_was_done_are_fetched_though_the_pages_are_unchanged(
    naming,
):
    naming.naming = {}
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    Sighting.objects.filter(revision__article__pageid=1).update(other_article="Old mill")
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    assert others() == ["Mill 7"]


def test_a_title_that_leads_to_no_article_is_reported_and_the_fetch_goes_on(naming):
    naming.naming = {1: ["Nowhere", "Old mill"]}
    run = fetched_by_kind()
    assert others() == [None, "Mill 7"]
    assert [(p.page, p.problem) for p in run.problems.all()] == [
        ("Nowhere", "A tag names it as the other article. The wiki has no page of this title.")
    ]


def test_one_deleted_between_its_title_and_its_text_is_reported(naming):
    naming.untagged, naming.deleted, naming.ids = set(), {7}, {"Mill 7": 7}
    run = fetched_by_kind()
    assert others() == [None]
    assert [(p.page, p.problem) for p in run.problems.all()] == [
        ("old mill", "A tag names it as the other article. The wiki has no such page any more.")
    ]
    naming.deleted, naming.hidden = {7}, {3: ["sha1hidden"]}
    fetched_by_kind()
    assert not run.problems.exists()  # the words of a text that is hidden


@pytest.mark.both
@pytest.mark.parametrize("other", ["nowhere", "Nowhere", "Nowhere#Age", " Nowhere_"])
def test_a_title_without_a_page_is_listed_once_however_many_tags_name_it(
    naming, monkeypatch, other
):
    monkeypatch.setattr(livebatches, "BATCH", 1)
    naming.naming = {1: ["Nowhere", other], 2: [other]}
    run = fetched_by_kind()
    assert [p.page for p in run.problems.all()] == ["Nowhere"]
    naming.edited = {1, 2}
    run = fetch.finished(newfetch.fetch_of_titles(["Nowhere", "Mill 1", "Mill 2"]))
    assert [(p.page, p.problem) for p in run.problems.all()] == [
        ("Nowhere", "The wiki has no page of this title.")
    ]


def test_a_title_without_a_page_is_listed_once_in_however_many_turns_tags_name_it(
    naming, monkeypatch
):
    monkeypatch.setattr(livebatches, "BATCH", 1)
    naming.naming = {1: ["Nowhere"], 2: ["nowhere_#Age"]}
    run = newfetch.fetch_of_titles(["Nowhere", "Mill 1", "Mill 2"])
    turns = 0
    while fetch.carry_out(run.pk, seconds=0):
        turns += 1
    asked = [title for titles in naming.titles_asked() for title in titles]
    assert asked.count("Nowhere") + asked.count("nowhere") == 3
    assert [(p.page, p.problem) for p in run.problems.all()] == [
        ("Nowhere", "The wiki has no page of this title.")
    ]
    assert turns > 2


def test_an_article_that_was_deleted_and_is_named_by_a_tag_is_listed_once_by_its_title(naming):
    fetch.finished(newfetch.fetch_of_titles(["Mill 2"]))
    naming.naming, naming.deleted = {1: ["Mill 2"]}, {2}
    run = fetch.finished(newfetch.fetch_of_kind("all"))
    assert [p.page for p in run.problems.all()] == ["Mill 2"]


def test_a_page_that_names_hundreds_costs_a_bounded_number_of_requests(naming, monkeypatch):
    monkeypatch.setattr(livebatches, "_MOST_OTHERS", 60)
    naming.naming = {1: [f"Mill {n}" for n in range(100, 170)]}
    run = fetched_by_kind()
    assert [len(titles) for titles in naming.titles_asked()] == [50, 10]
    assert [len(ids) for ids in naming.content_requests()] == [2, 50, 10]
    assert run.problems.get().problem == (
        "Tags on them name 70 other articles; only 60 were fetched."
    )


def test_a_stop_after_the_pages_leaves_the_others_histories_to_the_next_start(naming):
    """As when the process is killed once the pages and the others are written."""
    naming.untagged = set()
    run = newfetch.fetch_of_kind("contradict-other")
    naming.histories_fail = True
    with pytest.raises(Refusal):
        fetch.finished(run)
    assert others() == ["Mill 7"]
    naming.histories_fail = False
    naming.asked.clear()
    run.refresh_from_db()
    fetch.resume(run)
    fetch.finished(run)
    assert naming.histories_asked() == [1, 2, 7]
    assert naming.content_requests() == []


@pytest.mark.parametrize("asked", [["Mill 7", "Mill 1"], ["Mill 1", "Mill 7"]])
@pytest.mark.parametrize("named", ["Old mill", "Mill 7"])
def test_one_without_tags_that_the_fetch_takes_itself_is_kept_and_asked_for_once(
    naming, asked, named
):
    naming.naming = {1: [named]}
    fetch.finished(titles_run(asked))
    assert others() == ["Mill 7"]
    assert sum("7" in ids for ids in naming.content_requests()) == 1


def test_one_without_tags_that_was_read_before_a_tag_named_it_is_read_again(naming, monkeypatch):
    monkeypatch.setattr(livebatches, "BATCH", 1)
    fetch.finished(titles_run(["Mill 7", "Mill 1"]))
    assert others() == ["Mill 7"]


def test_one_still_to_come_in_the_fetch_is_kept_when_it_comes(naming, monkeypatch):
    monkeypatch.setattr(livebatches, "BATCH", 1)
    fetch.finished(titles_run(["Mill 1", "Mill 7"]))
    assert others() == ["Mill 7"]
    assert naming.content_requests() == [["1"], ["7"]]


def titles_run(titles):
    return newfetch.fetch_of_titles(titles)


def test_what_the_wiki_hides_of_one_that_no_tag_names_any_more_is_taken_out_too(naming):
    fetched_by_kind()
    naming.untagged = {1, 7}
    fetched_by_kind()
    naming.hidden = {naming.LATER + 7: ["sha1hidden"]}
    fetched_by_kind()
    assert Revision.objects.get(article__title="Mill 7").wikitext == ""


@pytest.mark.both
@pytest.mark.parametrize("its_title_leads_there_still", [True, False])
def test_tags_on_one_that_the_wiki_has_deleted_are_gone(naming, its_title_leads_there_still):
    naming.untagged = set()
    fetched_by_kind()
    naming.deleted = {7}
    if not its_title_leads_there_still:
        naming.redirects = {}
    fetched_by_kind()
    assert Tag.objects.get(article__title="Mill 7").state == "gone"
    assert others() == ["Mill 7"]


@pytest.mark.parametrize("pageid", [-1, 0, 2**63, "x", 1.5, None, True])
def test_a_page_id_that_cannot_be_is_reported_and_the_fetch_goes_on(naming, pageid):
    naming.ids = {"Mill 7": pageid}
    run = fetched_by_kind()
    assert (run.state, run.tags_found, others()) == ("done", 2, [None])
    assert "gave no page id that can be" in run.problems.get().problem


def test_each_is_looked_at_once_however_many_batches_name_it(naming, monkeypatch):
    monkeypatch.setattr(livebatches, "BATCH", 1)
    naming.naming = {1: ["old mill"], 2: ["old mill"]}
    fetched_by_kind()
    assert naming.titles_asked() == [["old mill"]]
    assert naming.content_requests() == [["1"], ["7"], ["2"]]


def test_words_of_a_text_that_is_hidden_do_not_stay_in_what_the_fetch_reported(naming):
    naming.naming = {1: ["Ann is a thief", "old mill"]}
    fetched_by_kind()
    assert FetchProblem.objects.get().page == "Ann is a thief"
    naming.hidden = {3: ["sha1hidden"]}
    fetched_by_kind()
    assert not FetchProblem.objects.exists()
    assert not NamedArticle.objects.exists()


def test_hiding_a_tag_takes_nothing_of_what_was_reported_of_other_pages_or_later(naming):
    naming.naming = {1: ["Mill 2"]}
    fetch.finished(titles_run(["Mill 1"]))
    run = FetchRun.objects.get()
    listed = [("Mill 1", "Of an earlier text."), ("Mill 2", "Of another page.")]
    FetchProblem.objects.bulk_create([FetchProblem(run=run, page=p, problem=t) for p, t in listed])
    naming.hidden = {3: ["sha1hidden"]}
    fetch.finished(titles_run(["Mill 1"]))
    assert [p.page for p in run.problems.all()] == ["Mill 2"]
    FetchProblem.objects.create(run=run, page="Mill 1", problem="Of the text that is shown.")
    fetch.finished(titles_run(["Mill 1"]))
    assert [p.page for p in run.problems.all()] == ["Mill 2", "Mill 1"]


def test_a_title_that_a_hidden_tag_named_is_followed_for_another_tag(naming, monkeypatch):
    monkeypatch.setattr(livebatches, "BATCH", 1)
    naming.naming = {1: ["old mill"], 2: ["old mill"]}
    fetch.finished(titles_run(["Mill 1"]))
    naming.hidden = {3: ["sha1hidden"]}
    fetch.finished(titles_run(["Mill 1", "Mill 2"]))
    assert others() == ["Mill 7"]


def test_one_that_gets_a_tag_of_its_own_later_is_in_no_count(naming):
    first = fetched_by_kind()
    naming.untagged, naming.edited = set(), {7}
    second = fetched_by_kind()
    assert Tag.objects.get(article__title="Mill 7").introduced_by == "Editor 1"
    assert (second.pages, second.tags_found, second.tags_new) == (first.pages, first.tags_found, 0)


def test_the_talk_page_of_one_with_tags_is_followed(naming):
    naming.naming, naming.redirects, naming.untagged = {2: ["Mill 1"]}, {}, set()
    fetch.finished(titles_run(["Mill 2"]))
    assert TalkPage.objects.get().article.title == "Mill 1"
    TalkPage.objects.update(revid=2, wikitext="old")
    fetch.finished(titles_run(["Mill 2"]))
    assert TalkPage.objects.get().wikitext != "old"


@pytest.mark.parametrize(
    ("named", "title", "capital"),
    [
        ("old_mill", "old mill", "Old mill"),
        (" the  mill", "the mill", "The mill"),
        ("iPod", "iPod", "IPod"),
        ("", "", ""),
    ],
)
def test_a_title_is_asked_for_as_it_is_written_and_found_as_wikis_write_it(named, title, capital):
    assert cleaned(named) == title
    assert spellings(title) == (title, capital)


# ---------------------------------------------------------------- files


def read(tmp_path, *pages):
    return fetch.fetch_xml(written(tmp_path, export(*pages)))


def naming_page(pageid, *titles):
    tags = "".join(f"Old.{{{{Contradicts other|{title}}}}}\n\n" for title in titles)
    return page(pageid, f"Mill {pageid}", revision(100 + pageid, tags))


def test_titles_that_differ_in_case_are_two_articles(tmp_path):
    man, hero = (
        page(2, "Iron man", revision(11, "A race.")),
        page(3, "Iron Man", revision(12, "A hero.")),
    )
    read(tmp_path, naming_page(1, "Iron Man", "iron man"), man, hero)
    assert others() == ["Iron Man", "Iron man"]


OLD_MILL = page(8, "Old mill", revision(15, "#REDIRECT [[Mill 7]]"), redirect="Mill 7")
OTHER_REDIRECT = page(9, "Older mill", revision(16, "#REDIRECT [[Mill 10]]"), redirect="Mill 10")


def test_in_a_file_too_a_redirect_is_followed_wherever_it_is(tmp_path):
    mill, ten = (page(n, f"Mill {n}", revision(n, "It was built in 1801.")) for n in (7, 10))
    run = read(tmp_path, mill, naming_page(1, "Old mill"), OLD_MILL, OTHER_REDIRECT, ten)
    assert others() == ["Mill 7"]
    assert set(Article.objects.values_list("title", flat=True)) == {"Mill 1", "Mill 7"}
    assert (run.pages, run.tags_found) == (5, 1)


def test_tags_of_the_article_that_a_redirect_leads_to_are_counted_once(tmp_path):
    run = read(tmp_path, naming_page(1, "Old mill"), OLD_MILL, naming_page(7, "Mill 1"))
    assert others() == ["Mill 7", "Mill 1"]
    assert (run.tags_found, run.tags_new) == (2, 2)


def test_a_redirect_that_has_become_an_article_is_that_article(tmp_path):
    mill = page(7, "Mill 7", revision(14, "It was built in 1801."))
    read(tmp_path, naming_page(1, "old mill"), OLD_MILL, mill)
    read(tmp_path, naming_page(1, "old mill"), page(8, "Old mill", revision(17, "Another.")), mill)
    assert others() == ["Old mill"]


def test_a_file_whose_readings_take_long_goes_on_in_each(tmp_path, monkeypatch):
    monkeypatch.setattr(filebatches, "_READ", 1)
    mill = page(7, "Mill 7", revision(14, "It was built in 1801."))
    path = written(tmp_path, export(naming_page(1, "Old mill"), OLD_MILL, mill))
    run = newfetch.fetch_of_files([path])
    cursors = []
    for _ in range(10):
        fetch.carry_out(run.pk, seconds=0)
        run.refresh_from_db()
        cursors.append((run.cursor, run.pages))
    assert cursors == [(n, min(n, 3)) for n in range(1, 10)] + [(9, 3)]
    assert (run.state, run.tags_found, others()) == ("done", 1, ["Mill 7"])

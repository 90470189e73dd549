"""The other articles that tags name come with the pages that name them, so that both can be compared."""

import pytest

from tests.wikifetch.factories import export, page, revision, written
from wikifetch import asking, fetch, livesource
from wikifetch.models import Article, NamedArticle, Revision, Sighting, Tag
from wikifetch.others import as_title, other_revision

pytestmark = pytest.mark.django_db


def fetched_by_kind(**how):
    return fetch.finished(asking.ask_for_kind("contradict-other", by=None, **how))


def others():
    """Of each sighting that names one, in order."""
    naming = Sighting.objects.exclude(other_article="").order_by("pk")
    return [seen and seen.article.title for seen in map(other_revision, naming)]


@pytest.fixture
def naming(live):
    """A wiki of two tagged articles, the first of which names one that has no tag, by a redirect to it."""
    live.size, live.untagged = 2, {7}
    live.naming, live.redirects = {1: ["old mill"]}, {"Old mill": "Mill 7"}
    return live


def test_it_is_fetched_by_the_title_that_the_tag_names_redirects_followed(naming):
    run = fetched_by_kind()
    assert others() == ["Mill 7"]
    assert Revision.objects.get(article__title="Mill 7").wikitext == "Mill 7 was built in 1801."
    assert (run.pages, run.tags_found, run.problems.count()) == (2, 2, 0)
    assert naming.content_requests() == [["1", "2"], ["7"]]


def test_a_wiki_whose_tags_name_none_is_asked_for_none(live):
    live.size = 2
    fetch.finished(asking.ask_for_kind("inconsistent", by=None))
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
    naming.redirects = {"Old mill": "Mill 8"}
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
    fetch.finished(asking.ask_for_kind("inconsistent", by=None))
    Sighting.objects.filter(revision__article__pageid=1).update(other_article="Old mill")
    fetch.finished(asking.ask_for_kind("inconsistent", by=None))
    assert others() == ["Mill 7"]


def test_a_title_that_leads_to_no_article_is_told_and_the_fetch_goes_on(naming):
    naming.naming = {1: ["Nowhere", "Old mill"]}
    run = fetched_by_kind()
    assert others() == [None, "Mill 7"]
    assert [(p.page, p.problem) for p in run.problems.all()] == [
        (
            "Nowhere",
            "A tag names it as the other article. The wiki has no page of this title.",
        )
    ]


def test_one_deleted_between_its_title_and_its_text_is_told(naming):
    naming.untagged, naming.deleted = set(), {7}
    run = fetched_by_kind()
    assert others() == [None]
    assert run.problems.get().problem == "The wiki has no such page any more."


def test_a_page_that_names_hundreds_costs_a_bounded_number_of_requests(naming, monkeypatch):
    monkeypatch.setattr(livesource, "_MOST_OTHERS", 60)
    naming.naming = {1: [f"Mill {n}" for n in range(100, 170)]}
    run = fetched_by_kind()
    assert [len(titles) for titles in naming.titles_asked()] == [50, 10]
    assert [len(ids) for ids in naming.content_requests()] == [2, 50, 10]
    assert run.problems.get().problem == ("Tags here name 70 other articles; only 60 were fetched.")


def test_a_stop_after_the_pages_leaves_the_others_histories_to_the_next_start(naming, monkeypatch):
    naming.untagged = set()
    run = asking.ask_for_kind("contradict-other", by=None)
    real = livesource._history_batches
    monkeypatch.setattr(livesource, "_history_batches", lambda *_: iter(()))
    fetch.finished(run)
    assert naming.histories_asked() == []
    monkeypatch.setattr(livesource, "_history_batches", real)
    type(run).objects.update(state="failed")
    run.refresh_from_db()
    fetch.resume(run)
    fetch.finished(run)
    assert naming.histories_asked() == [1, 2, 7]


@pytest.mark.parametrize(
    ("named", "title"),
    [("old_mill", "Old mill"), (" the  mill", "The mill"), ("éA", "ÉA"), ("", "")],
)
def test_titles_begin_with_a_capital(named, title):
    assert as_title(named) == title


def test_titles_that_differ_in_case_are_two_articles(tmp_path):
    tag = "{{Contradicts other|Iron Man}}"
    pages = [
        page(1, "Mill", revision(10, f"Old.{tag}")),
        page(2, "Iron man", revision(11, "A race.")),
        page(3, "Iron Man", revision(12, "A hero.")),
    ]
    fetch.fetch_xml(written(tmp_path, export(*pages)))
    assert others() == ["Iron Man"]


def test_in_a_file_too_a_redirect_is_followed_wherever_it_stands(tmp_path):
    pages = [
        page(7, "Mill 7", revision(14, "It was built in 1801.")),
        page(1, "Mill", revision(10, "Old.{{Contradicts other|Old mill}}")),
        page(8, "Old mill", revision(15, "#REDIRECT [[Mill 7]]"), redirect="Mill 7"),
        page(9, "Older mill", revision(16, "#REDIRECT [[Mill 10]]"), redirect="Mill 10"),
        page(10, "Mill 10", revision(17, "It was built in 1701.")),
    ]
    run = fetch.fetch_xml(written(tmp_path, export(*pages)))
    assert others() == ["Mill 7"]
    assert set(Article.objects.values_list("title", flat=True)) == {"Mill", "Mill 7"}
    assert (run.pages, run.tags_found) == (5, 1)

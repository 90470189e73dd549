"""Pages recorded together: the rows of each recorded alone, in few statements; a bad page costs no other page."""

from dataclasses import replace

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from tests.wikifetch.factories import TAG
from wikifetch import recording
from wikifetch.history.introductions import read_history
from wikifetch.history.pages_seen import PageSeen, RevisionSeen
from wikifetch.models import Article, Revision, Sighting, Tag, Wiki
from wikifetch.recording import record_pages

pytestmark = [pytest.mark.both, pytest.mark.django_db]

MODELS = (Article, Revision, Tag, Sighting)
NOT_COMPARED = {"id", "fetched_at", "seen_at", "first_seen_at"}
KEYS = {
    "article": ["article__pageid"],
    "revision": ["revision__revid"],
    "latest": ["latest__revision__revid", "latest__position"],
    "tag": ["tag__article__pageid", "tag__latest__position"],
}


@pytest.fixture
def wiki():
    return Wiki.objects.create(base_url="https://wiki.example/wiki/", name="Example")


def read(pageid, *texts):
    """A page with these texts, oldest first, and what is read in them."""
    revisions = [
        RevisionSeen(
            100 * pageid + n, 100 * pageid + n - 1 if n else None, None, f"Editor {n}", f"{n}", text
        )
        for n, text in enumerate(texts)
    ]
    return PageSeen(pageid, f"Mill {pageid}"), read_history(revisions, whole=True)


def pages():
    """One of each sort: a tag, two, none that is read, an origin that is known, one that is not, words left out."""
    return [
        read(1, f"Old.{TAG}"),
        read(2, f"Old.{TAG} Very.{{{{Inconsistent|reason=two}}}}"),
        read(3, "x" * (2 * 1024 * 1024 + 1)),
        read(4, "Old.", f"Old.{TAG}<ref>Book</ref>"),
        read(5, f"Old.{TAG}", "lol", f"== Age ==\nOld.{TAG} It is {{{{convert|4|m}}}} high."),
        read(6, "{{contradict|article=Ford}}\nOld."),
    ]


def bad(page):
    """The page with a tag that no row can hold."""
    seen, history = page
    tags = tuple(replace(tag, kind="dubious") for tag in history.reading.tags)
    return seen, replace(history, reading=replace(history.reading, tags=tags))


def rows():
    """The columns of all rows in their order; where a row points, what it points at."""
    return [list(model.objects.order_by("pk").values_list(*columns_of(model))) for model in MODELS]


def columns_of(model):
    names = [field.name for field in model._meta.concrete_fields if field.name not in NOT_COMPARED]
    return [column for name in names for column in KEYS.get(name, [name])]


def clear():
    Tag.objects.update(latest=None)
    for model in reversed(MODELS):
        model.objects.all().delete()


@pytest.fixture
def expected(wiki):
    """The rows of the pages recorded one by one; they are gone again."""
    for page in pages():
        record_pages(wiki, [page])
    result = rows()
    assert [len(each) for each in result] == [6, 6, 6, 6]
    clear()
    return result


def test_new_pages_give_the_rows_of_each_recorded_alone(wiki, expected):
    outcome = record_pages(wiki, pages())
    assert (outcome.tags, outcome.new, outcome.refused) == (6, 6, ())
    assert rows() == expected


def test_a_bad_page_is_refused_alone_and_the_others_are_as_without_it(wiki, expected):
    for at in (0, 3, 6):
        given = pages()
        given.insert(at, bad(read(9, f"Bad.{TAG}")))
        outcome = record_pages(wiki, given)
        assert (outcome.tags, outcome.new) == (6, 6)
        assert [page.title for page, _ in outcome.refused] == ["Mill 9"]
        assert rows() == expected
        clear()


def test_known_pages_among_new_ones_are_followed(wiki, expected):
    first = pages()[1]
    record_pages(wiki, [first])
    outcome = record_pages(wiki, pages())
    assert (outcome.tags, outcome.new, Tag.objects.count()) == (6, 4, 6)
    assert [sorted(each, key=str) for each in rows()] == [sorted(e, key=str) for e in expected]


def test_a_page_that_comes_twice_is_one_article(wiki):
    earlier, later = read(1, f"Old.{TAG}"), read(1, "Older.", f"Old.{TAG} Yes.")
    outcome = record_pages(wiki, [earlier, later])
    assert (outcome.tags, outcome.new) == (2, 1)
    assert list(Revision.objects.values_list("revid", flat=True)) == [101, 100]
    assert (Tag.objects.get().latest.revision.revid, Article.objects.count()) == (101, 1)


def test_a_page_that_another_fetch_records_meanwhile_is_followed(wiki, expected, monkeypatch):
    real = recording._known_revisions

    def late(articles):
        monkeypatch.undo()
        record_pages(wiki, pages()[:1])
        return real(articles)

    monkeypatch.setattr(recording, "_known_revisions", late)
    assert record_pages(wiki, pages()).refused == ()
    assert rows() == expected


def test_a_database_out_of_order_is_no_pages_fault(wiki, monkeypatch):
    def locked(wiki, given):
        raise OperationalError("database is locked")

    monkeypatch.setattr(recording, "_record_together", locked)
    with pytest.raises(OperationalError):
        record_pages(wiki, pages())


def test_the_number_of_statements_does_not_grow_with_the_pages(wiki):
    counted = []
    for size in (2, 20):
        with CaptureQueriesContext(
            connection,
        ) as statements:
            record_pages(wiki, [read(size * 10 + n, f"Old.{TAG}") for n in range(size)])
        counted.append(len(statements))
    assert counted[0] == counted[1] <= 8

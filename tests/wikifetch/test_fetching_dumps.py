"""A fetch of a multistream dump: the rows of any other file, from several files, after any stop."""

import multiprocessing
from collections import Counter

import pytest
from django.core.management.base import CommandError
from django.db import OperationalError

from leases.clock import in_seconds
from leases.refusal import Refusal
from tests.wikifetch.factories import BASE, TAG, export, multistream, page, revision, written
from tests.wikifetch.test_commands import call
from wikifetch import fetch, newfetch
from wikifetch.history.introductions import history_of
from wikifetch.models import (
    Article,
    FetchProblem,
    FetchRun,
    NamedArticle,
    Revision,
    Sighting,
    Tag,
    TalkPage,
    Wiki,
)
from wikifetch.source import dump_files, dump_wanted, filebatches
from wikifetch.tasks import carry_out_fetch

pytestmark = pytest.mark.django_db
OTHER_BASE = "https://other.example/wiki/Main_Page"
BLOCK = (
    "Built in 1801.{{Contradicts other|old mill|date=May 2020}} It is high.{{Self-contradictory}}"
)


def mills():
    """Articles with tags, talk pages before and after them, redirects that tags name, and pages with problems."""
    yield page(1, "Talk:Weir & Co", revision(1, "Which year?"), revision(2, "1801."), ns=1)
    yield page(5, "Long", revision(9, "Long. " * 20_000))
    yield page(2, "Old mill", revision(3, "#REDIRECT [[New mill]]"), redirect="New mill")
    for n in range(10, 40):
        text = f"Ford {n}." + {0: TAG, 1: "{{Multiple issues|contradict=May 2009}}"}.get(n % 7, "")
        yield page(
            n, f"Ford {n}", revision(100 + n, "Ford."), revision(200 + n, text, parent=100 + n)
        )
    yield page(50, "Weir & Co", revision(300, BLOCK))
    yield page(51, "New mill", revision(301, f"Built in 1802.{TAG}"))
    yield page(52, "Hidden", revision(302, ('bytes="7"', 'deleted="deleted"')))
    yield page(53, "Talk:Ford 14", revision(303, "Is it so?"), ns=1)
    yield page(54, "User:A", revision(304, TAG), ns=2)


def rows(base):
    """What is kept of a wiki, in the order in which it was written."""
    wiki = Wiki.objects.get(base_url=base.removesuffix("Main_Page"))
    of_article = {"article__wiki": wiki}
    return [
        [*query.order_by("pk").values_list(*columns)]
        for query, columns in [
            (Article.objects.filter(wiki=wiki), ["pageid", "title"]),
            (Revision.objects.filter(**of_article), ["revid", "wikitext", "editor"]),
            (Tag.objects.filter(**of_article), ["article__pageid", "kind", "state", "introduced_revid"]),
            (Sighting.objects.filter(tag__article__wiki=wiki), ["raw", "block", "block_text", "other_article"]),
            (TalkPage.objects.filter(**of_article), ["revid", "wikitext"]),
            (NamedArticle.objects.filter(wiki=wiki), ["title", "pageid"]),
            (FetchProblem.objects.filter(run__wiki=wiki), ["page", "problem"]),
        ]
    ]  # fmt: skip


def counts(run):
    return run.state, run.pages, run.cursor, run.tags_found, run.tags_new, run.queue


@pytest.fixture
def plainly(tmp_path):
    """The run over these pages in one plain file."""
    return fetch.fetch_xml(written(tmp_path, export(*mills()), "dump.xml"))


def streams(tmp_path, size=4, **options):
    found = [*mills()]
    groups = [found[n : n + size] for n in range(0, len(found), size)]
    return multistream(tmp_path, *groups, base=OTHER_BASE, **options)


@pytest.mark.parametrize("processes", [1, 2])
def test_the_rows_are_those_of_a_plain_file(tmp_path, plainly, processes):
    run = newfetch.fetch_of_files([streams(tmp_path)])
    run = fetch.finished(run, processes=processes)
    assert counts(run) == counts(plainly)
    assert rows(OTHER_BASE) == rows(BASE)
    assert all(rows(BASE))
    again = fetch.finished(newfetch.fetch_of_files([streams(tmp_path)]), processes=1)
    assert (again.tags_found, again.tags_new) == (run.tags_found, 0)


def test_a_run_that_is_stopped_at_every_batch_gives_the_same_rows(tmp_path, plainly, monkeypatch):
    monkeypatch.setattr(filebatches, "_READ", 1)
    run = newfetch.fetch_of_files([streams(tmp_path)])
    cursors = []
    while run.state != "done":
        assert fetch.carry_out(run.pk, seconds=0, processes=1)
        run.refresh_from_db()
        cursors.append(run.cursor)
    assert cursors == sorted(cursors)
    assert len({*cursors}) > 20
    assert counts(run) == counts(plainly)
    assert [*map(sorted, rows(OTHER_BASE))] == [*map(sorted, rows(BASE))]


def test_pages_before_the_cursor_are_not_searched_for_tags_again(tmp_path, monkeypatch):
    found, searched = [*mills()], []

    def seen(revisions, names):
        revisions = [*revisions]
        searched.extend(revision.revid for revision in revisions)
        return history_of(revisions, names)

    monkeypatch.setattr(filebatches, "_READ", 1)
    monkeypatch.setattr(dump_wanted, "history_of", seen)
    paths = [
        written(tmp_path, export(*part), name)
        for name, part in (("1.xml", found[:20]), ("2.xml", found[20:]))
    ]
    run = newfetch.fetch_of_files(paths)
    while run.state != "done":
        assert fetch.carry_out(run.pk, seconds=0)
        run.refresh_from_db()
    # New mill is read for its tag, and again as the article that a tag names.
    assert {revid: n for revid, n in Counter(searched).items() if n > 1} == {301: 2}
    assert len({*searched}) > 60


def test_a_worker_goes_on_with_a_dump_in_its_own_process(tmp_path, plainly, monkeypatch):
    """Celery's are daemons, in which Python refuses to begin a process."""
    monkeypatch.setattr(dump_files, "_cores", lambda: 2)
    monkeypatch.setitem(multiprocessing.current_process()._config, "daemon", True)
    run = newfetch.fetch_of_files([streams(tmp_path)])
    carry_out_fetch(run.pk)
    run.refresh_from_db()
    assert counts(run) == counts(plainly)


def test_a_talk_page_in_another_file_is_found_and_files_are_read_in_their_order(tmp_path, plainly):
    found = [*mills()]
    paths = [
        multistream(tmp_path, part, base=OTHER_BASE, name=f"dump{number}.xml.bz2")
        for number, part in ((10, found[20:]), (2, found[1:20]), (1, found[:1]))
    ]
    run = fetch.finished(newfetch.fetch_of_files(paths), processes=1)
    assert run.label == "dump1.xml.bz2 and 2 more"
    assert counts(run) == counts(plainly)
    assert rows(OTHER_BASE) == rows(BASE)


def test_files_of_two_wikis_are_refused(tmp_path):
    one = written(tmp_path, export(*mills()), "one.xml")
    message = r"two.xml is of another wiki \(https://other.example/wiki/Main_Page\) than one.xml"
    two = written(tmp_path, export(*mills(), base=OTHER_BASE), "two.xml")
    with pytest.raises(Refusal, match=message):
        newfetch.fetch_of_files([two, one])
    assert not Wiki.objects.exists()


# ---------------------------------------------------------------- commands


def test_tags_are_counted_and_nothing_is_stored(tmp_path):
    out, err = call(
        "fetch_tagged_pages", "--count", "--processes", "1", "--xml", str(streams(tmp_path))
    )
    assert out == (
        "38 pages read, 11 tags on 10 articles. Nothing was stored.\n"
        "inconsistent\t5\nself-contradictory\t5\ncontradict-other\t1\nNot read, or in part: 1 article.\n"
    )
    assert err == ""
    assert not Wiki.objects.exists()
    assert not FetchRun.objects.exists()


def test_a_damaged_dump_fails_and_goes_on_once_it_is_whole(tmp_path, plainly):
    path = streams(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(Refusal, match="damaged or cut off"):
        fetch.finished(newfetch.fetch_of_files([path]), processes=1)
    path.write_bytes(whole)
    out, _ = call("fetch_tagged_pages", "--resume", "--processes", "1")
    assert "38 pages read" in out
    assert rows(OTHER_BASE) == rows(BASE)


def test_a_full_disk_is_a_sentence(tmp_path, plainly, monkeypatch):
    real, written_before = fetch.record_part, []

    def full(wiki, part):
        if written_before:
            raise OperationalError("database or disk is full")
        written_before.append(part)
        return real(wiki, part)

    monkeypatch.setattr(filebatches, "_WRITTEN", 3)
    monkeypatch.setattr(fetch, "record_part", full)
    with pytest.raises(CommandError, match=r"its disk is full: .*") as error:
        call("fetch_tagged_pages", "--xml", str(streams(tmp_path)), "--processes", "1")
    run = FetchRun.objects.exclude(pk=plainly.pk).get()
    assert f"--resume {run.pk}." in str(error.value)
    FetchRun.objects.filter(pk=run.pk).update(lease_until=in_seconds(-1))
    monkeypatch.setattr(fetch, "record_part", real)
    call("fetch_tagged_pages", "--resume", "--processes", "1")
    assert [*map(sorted, rows(OTHER_BASE))] == [*map(sorted, rows(BASE))]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--count", "--kind", "all"], "--count goes with --xml"),
        (["--count", "--resume"], "--resume stands alone"),
        (["--processes", "2", "--kind", "all"], "--processes goes with --xml or --resume"),
        (["--processes", "0", "--xml", "a"], "--processes is at least 1"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments, message):
    with pytest.raises(CommandError, match=message):
        call("fetch_tagged_pages", *arguments)

"""Runs: a frozen queue, a cursor, and going on after any stop."""

import pytest

from leases.refusal import Conflict, Refusal
from tests.wikifetch.factories import TAG, export, page, revision, written
from tests.wikifetch.fakewiki import Answer, FakeWiki
from wikifetch import fetch, sources, tasks
from wikifetch.heartbeat import Heartbeat, LeaseLost
from wikifetch.models import FetchRun, Sighting, Tag, TalkPage
from wikifetch.states import FETCH_RUN

pytestmark = pytest.mark.django_db


def article(n):
    slot = {"contentmodel": "wikitext", "content": f"Mill {n} was built in 1801.{TAG}"}
    revision = {
        "revid": 100 + n,
        "parentid": 1,
        "timestamp": "2020-05-01T10:00:00Z",
        "slots": {"main": slot},
    }
    return {"pageid": n, "ns": 0, "title": f"Mill {n}", "revisions": [revision]}


class LiveWiki(FakeWiki):
    """A wiki of `size` tagged articles, the first with a talk page; it answers by what is asked."""

    def __init__(self, size):
        super().__init__()
        self.size = size
        self.fails_at = None

    def _next(self):
        params = self.asked[-1].params
        if "prop" in params and params["prop"] == "redirects":
            return Answer(
                {"query": {"pages": [{"pageid": 9, "title": params["titles"].split("|")[0]}]}}
            )
        if params.get("list") == "embeddedin":
            return Answer(
                {"query": {"embeddedin": [{"pageid": n} for n in range(1, self.size + 1)]}}
            )
        if params.get("pageids"):
            numbers = [int(n) for n in params["pageids"].split("|")]
            if self.fails_at in numbers:
                return Answer("down", 404)
            return Answer({"query": {"pages": [article(n) for n in numbers]}})
        if params["titles"].startswith("Talk:"):
            talk = article(1) | {"ns": 1, "title": "Talk:Mill 1"}
            return Answer(
                {"query": {"pages": [talk] if "Talk:Mill 1|" in params["titles"] else []}}
            )
        found = [
            {"ns": 0, "title": t, "pageid": int(t[5:])}
            for t in params["titles"].split("|")
            if t != "Nope"
        ]
        missing = (
            [{"ns": 0, "title": "Nope", "missing": True}] if "Nope" in params["titles"] else []
        )
        return Answer({"query": {"pages": found + missing}})

    def content_requests(self):
        return [a.params["pageids"].split("|") for a in self.asked if a.params.get("pageids")]


@pytest.fixture
def live(settings):
    with LiveWiki(120) as wiki:
        settings.WIKI_ALLOWED = [wiki.address]
        settings.WIKI_CONTACT = "alice@example.org"
        settings.WIKI_REQUESTS_PER_SECOND = 1_000_000
        yield wiki


def test_a_fetch_by_kind_takes_all_pages_fifty_at_a_time(live):
    run = fetch.finished(fetch.ask_for_kind("inconsistent", by=None))
    assert (run.state, run.cursor, run.pages, run.tags_found, run.tags_new) == (
        "done",
        120,
        120,
        120,
        120,
    )
    assert [len(ids) for ids in live.content_requests()] == [50, 50, 20]
    assert TalkPage.objects.get().article.title == "Mill 1"


def test_a_second_fetch_by_kind_adds_nothing(live):
    fetch.finished(fetch.ask_for_kind("inconsistent", by=None))
    run = fetch.finished(fetch.ask_for_kind("inconsistent", by=None))
    assert (run.tags_found, run.tags_new) == (120, 0)
    assert (Tag.objects.count(), Sighting.objects.count()) == (120, 120)


def test_a_limit_bounds_the_queue(live):
    run = fetch.finished(fetch.ask_for_kind("inconsistent", by=None, limit=7))
    assert (run.queue, run.pages) == ([1, 2, 3, 4, 5, 6, 7], 7)


def test_a_fetch_by_titles_tells_which_are_not_there(live):
    run = fetch.finished(fetch.ask_for_titles(["Mill 3", "Nope", "Mill_3", " Mill 4 "], by=None))
    assert (run.queue, run.tags_found) == ([3, 4], 2)
    assert [(p.page, p.problem) for p in run.problems.all()] == [
        ("Nope", "The wiki has no page of this title.")
    ]


def test_a_wiki_without_such_a_template_is_told(live, monkeypatch):
    monkeypatch.setattr(LiveWiki, "_next", lambda self: Answer({"query": {"pages": []}}))
    with pytest.raises(Refusal, match="no template named Inconsistent or"):
        fetch.finished(fetch.ask_for_kind("inconsistent", by=None))
    assert FetchRun.objects.get().state == "failed"


def test_a_failed_run_goes_on_where_it_stopped_and_asks_no_page_twice(live):
    live.fails_at = 75
    with pytest.raises(Refusal, match="HTTP 404"):
        fetch.finished(fetch.ask_for_kind("inconsistent", by=None))
    run = FetchRun.objects.get()
    assert (run.state, run.cursor, run.tags_found) == ("failed", 50, 50)
    live.fails_at = None
    live.size = 3  # what the wiki lists now is of no interest: the queue is frozen
    fetch.resume(run)
    run = fetch.finished(run)
    assert (run.state, run.tags_found, Tag.objects.count()) == ("done", 120, 120)
    asked = [n for ids in live.content_requests() for n in ids]
    assert sorted(map(int, asked)) == sorted([*range(1, 121), *range(51, 101)])


def test_a_run_whose_worker_was_killed_gives_the_rows_of_one_clean_run(live, monkeypatch):
    """Killed while it wrote the second batch: that batch is absent as a whole, and is fetched again."""
    real = fetch.record_page

    def dies(wiki, seen, history):
        if seen.title == "Mill 75":
            raise SystemExit
        return real(wiki, seen, history)

    monkeypatch.setattr(fetch, "record_page", dies)
    run = fetch.ask_for_kind("inconsistent", by=None)
    with pytest.raises(SystemExit):
        fetch.carry_out(run.pk)
    run.refresh_from_db()
    assert (run.state, run.cursor, Tag.objects.count()) == ("running", 50, 50)
    monkeypatch.setattr(fetch, "record_page", real)
    assert not fetch.carry_out(run.pk)  # its lease still runs
    expire(run)
    tasks.sweep_fetches()
    run = fetch.finished(run)
    assert (run.state, run.tags_found, run.tags_new, Tag.objects.count()) == ("done", 120, 120, 120)


def expire(run):
    from leases.clock import in_seconds

    FetchRun.objects.filter(pk=run.pk).update(lease_until=in_seconds(-1))


def test_waiting_and_reading_hold_the_lease_and_notice_that_it_is_lost():
    run = FetchRun.objects.create(source="kind", label="x", state="running", lease_holder="me")
    expire(run)
    slept, time = [], [0.0]

    def sleep(seconds):
        slept.append(seconds)
        time[0] += seconds

    heart = Heartbeat(run, "me", sleep=sleep, monotonic=lambda: time[0])
    heart.clock().sleep(50)
    assert slept == [20, 20, 10]
    tasks.sweep_fetches()
    run.refresh_from_db()
    assert run.state == "running"
    fetch.cancel(run)
    assert next(heart.along([1])) == 1  # it was renewed a moment ago
    time[0] += 30
    with pytest.raises(LeaseLost):
        next(heart.along([1]))


def test_a_run_that_kills_every_worker_is_given_up():
    run = FetchRun.objects.create(source="kind", label="x", attempts=tasks.MAX_ATTEMPTS)
    tasks.sweep_fetches()
    run.refresh_from_db()
    assert (run.state, run.error) == ("failed", "Given up after 5 workers died over it.")


def test_a_cancelled_run_stops_after_its_batch_and_keeps_what_it_has(live, monkeypatch):
    run = fetch.ask_for_kind("inconsistent", by=None)
    batches = sources.live_batches

    def cancelled_after_one(*args):
        for batch in batches(*args):
            yield batch
            fetch.cancel(FetchRun.objects.get())

    monkeypatch.setattr(sources, "live_batches", cancelled_after_one)
    fetch.carry_out(run.pk)
    run.refresh_from_db()
    assert (run.state, run.cursor, Tag.objects.count()) == ("cancelled", 50, 50)


def test_a_run_that_is_over_cannot_be_cancelled(live):
    run = fetch.finished(fetch.ask_for_kind("inconsistent", by=None, limit=1))
    with pytest.raises(Conflict, match="This fetch run is done"):
        fetch.cancel(run)


def test_two_live_fetches_of_a_wiki_do_not_run_at_once(live):
    first = fetch.ask_for_kind("inconsistent", by=None)
    second = fetch.ask_for_titles(["Mill 1"], by=None)
    assert FETCH_RUN.move(first, "start")
    with pytest.raises(Conflict, match="another fetch from this wiki is at work"):
        fetch.finished(second)
    FETCH_RUN.move(first, "finish")
    assert fetch.finished(second).state == "done"


def test_a_slice_of_time_hands_the_run_back_with_its_cursor(live):
    run = fetch.ask_for_kind("inconsistent", by=None)
    for state, cursor in (("waiting", 50), ("waiting", 100), ("waiting", 120), ("done", 120)):
        assert fetch.carry_out(run.pk, seconds=0)
        run.refresh_from_db()
        assert (run.state, run.cursor) == (state, cursor)


def test_the_task_carries_a_run_out(live, carry_out, django_capture_on_commit_callbacks):
    run = fetch.ask_for_kind("inconsistent", by=None, limit=2)
    with django_capture_on_commit_callbacks(execute=True):
        tasks.sweep_fetches()
    assert carry_out() == 1
    run.refresh_from_db()
    assert (run.state, run.tags_found) == ("done", 2)


# ---------------------------------------------------------------- files


def many(count):
    return [page(n, f"Mill {n}", revision(100 + n, f"Mill {n}.{TAG}")) for n in range(1, count + 1)]


def test_a_file_is_read_in_batches_and_goes_on_from_its_cursor(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_WRITTEN", 4)
    run = fetch.ask_for_file(written(tmp_path, export(*many(10)), "a.bz2"), by=None)
    for cursor in (4, 8, 10):
        fetch.carry_out(run.pk, seconds=0)
        run.refresh_from_db()
        assert (run.state, run.cursor, run.tags_found) == ("waiting", cursor, cursor)
    run = fetch.finished(run)
    assert (run.state, run.pages, run.tags_new, Tag.objects.count()) == ("done", 10, 10, 10)


def test_a_file_that_ends_in_the_middle_keeps_what_came_before(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_WRITTEN", 2)
    path = written(tmp_path, export(*many(5)).removesuffix("</mediawiki>\n"))
    with pytest.raises(Refusal, match="ends in the middle"):
        fetch.fetch_xml(path)
    run = FetchRun.objects.get()
    assert (run.state, run.tags_found, Tag.objects.count()) == ("failed", 4, 4)


def test_an_uploaded_file_is_deleted_when_it_has_been_read(tmp_path):
    path = written(tmp_path, export(*many(1)))
    fetch.finished(fetch.ask_for_file(path, by=None, uploaded=True))
    assert not path.exists()
    kept = written(tmp_path, export(*many(1)))
    fetch.finished(fetch.ask_for_file(kept, by=None))
    assert kept.exists()


def test_problems_are_kept_up_to_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "MAX_PROBLEMS", 3)
    run = fetch.fetch_xml(
        written(tmp_path, export(*(page(n, f"P{n}", revision(n, None)) for n in range(1, 9))))
    )
    assert run.problems.count() == 3


# ---------------------------------------------------------------- asking


def test_asking_without_contact_titles_or_leave_is_refused(settings):
    settings.WIKI_CONTACT = ""
    with pytest.raises(Refusal, match="Set WIKI_CONTACT"):
        fetch.ask_for_kind("inconsistent", by=None)
    settings.WIKI_CONTACT = "alice@example.org"
    for ask, told in [
        (lambda: fetch.ask_for_kind("dubious", by=None), "no kind of tag"),
        (lambda: fetch.ask_for_kind("inconsistent", by=None, limit=0), "at least 1"),
        (lambda: fetch.ask_for_titles(["", " "], by=None), "There is no title"),
        (lambda: fetch.ask_for_titles(map(str, range(20_001)), by=None), "takes up to 20000"),
        (
            lambda: fetch.ask_for_titles(["Mill"], by=None, wiki="http://127.0.0.1:22"),
            "WIKI_ALLOWED",
        ),
    ]:
        with pytest.raises(Refusal, match=told):
            ask()
    assert not FetchRun.objects.exists()


def test_titles_are_cleaned_and_taken_once():
    lines = ["Kettle Mill", "  Kettle_Mill\t", "[[Ford]]", "", "A\x00B\x1b", "Łódź – “x”"]
    assert fetch.clean_titles(lines) == ["Kettle Mill", "Ford", "A B", "Łódź – “x”"]

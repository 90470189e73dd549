"""A busy wiki is waited out by the run, which holds no worker meanwhile."""

import io
import re
from datetime import timedelta
from itertools import chain, repeat

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.roles import Role
from leases.clock import in_seconds, now
from leases.refusal import Refusal
from tests.factories import person, stored
from tests.wikifetch.factories import TAG, export, mill, written
from tests.wikifetch.fakewiki import Answer
from tests.wikifetch.livewiki import LiveWiki
from wikifetch import fetch, newfetch, tasks
from wikifetch.fetch_progress import progress_line, progress_of_fetch
from wikifetch.models import FetchRun, Sighting, Tag, TalkPage, Wiki
from wikifetch.waiting import pause_after, set_back

pytestmark = pytest.mark.django_db

HTML = "<html><title>Wikimedia Error</title>Too many requests</html>"
PLAIN = newfetch.LiveOptions(history=False)


def refusing(seconds="60", status=503):
    headers = {} if seconds is None else {"Retry-After": seconds}
    return Answer(HTML, status, headers)


@pytest.fixture(autouse=True)
def every_wait_is_long(monkeypatch):
    """No test sleeps for the few seconds that a worker does."""
    monkeypatch.setattr("wikifetch.source.wiki_api.MOST_HERE", 0)


def the_wait_is_over():
    Wiki.objects.exclude(busy_until=None).update(busy_until=in_seconds(-1))


@pytest.fixture
def waiting(live):
    """A run over three pages that waits: the wiki was busy when it was asked for their texts."""
    live.size = 3
    live.busy = iter([*[None] * 5, refusing()])
    run = newfetch.fetch_of_kind("inconsistent")
    assert fetch.carry_out(run.pk, seconds=300)
    live.asked.clear()
    return stored(run)


def test_the_run_waits_without_a_worker_and_goes_on_by_itself(
    live, waiting, carry_out, django_capture_on_commit_callbacks
):
    assert (waiting.state, waiting.lease_holder, waiting.lease_until) == ("waiting", "", None)
    assert (waiting.waited, waiting.attempts, waiting.error) == (
        60, 0, "The wiki is busy (HTTP 503). It said: “Wikimedia Error Too many requests”",
    )  # fmt: skip
    assert waiting.created_at < waiting.wiki.busy_until - timedelta(seconds=60) <= now()
    with django_capture_on_commit_callbacks(execute=True) as sent:
        tasks.sweep_fetches()
    assert (sent, fetch.carry_out(waiting.pk), live.asked) == ([], False, [])
    the_wait_is_over()
    with django_capture_on_commit_callbacks(execute=True):
        tasks.sweep_fetches()
    assert carry_out() == 1
    run = stored(waiting)
    assert (run.state, run.tags_new, run.waited, run.error) == ("done", 3, 0, "")


def test_a_task_whose_run_waits_sends_for_no_other(
    live, carry_out, django_capture_on_commit_callbacks
):
    live.busy = repeat(refusing())
    run = newfetch.fetch_of_kind("inconsistent")
    with django_capture_on_commit_callbacks(execute=True) as sent:
        tasks.carry_out_fetch(run.pk)
    assert (sent, stored(run).state) == ([], "waiting")


def test_no_other_run_asks_the_busy_wiki_and_those_of_others_go_on(
    live, waiting, tmp_path, settings
):
    second = newfetch.fetch_of_titles(["Mill 1"])
    assert (fetch.carry_out(second.pk), live.asked) == (False, [])
    assert progress_of_fetch(second).waiting.endswith("s: the wiki is busy.")
    fetch.fetch_xml(written(tmp_path, export(mill(f"Old.{TAG}"))))
    with LiveWiki(1) as other:
        settings.WIKI_ALLOWED = [live.address, other.address]
        options = newfetch.LiveOptions(wiki=other.address)
        assert fetch.finished(newfetch.fetch_of_kind("all", options=options)).state == "done"


@pytest.mark.parametrize(
    ("wanted", "waited", "pause"),
    [
        (60.5, 0, 61),
        (0.5, 0, 10),
        (12, 500, 12),
        (5, 80, 80),
        (None, 7, 10),
        (None, 80, 80),
        (None, 900, 300),
    ],
)
def test_the_wiki_says_how_long_else_waits_grow(wanted, waited, pause):
    assert pause_after(wanted, waited) == pause


@pytest.mark.parametrize("seconds", [None, "-5", "soon", "60"])
def test_a_wiki_that_is_busy_for_ever_ends_the_run(live, settings, seconds):
    settings.WIKI_MAX_WAIT = 600
    live.busy = repeat(refusing(seconds))
    run = newfetch.fetch_of_kind("inconsistent")
    turns = 0
    while stored(run).state == "waiting":
        fetch.carry_out(run.pk)
        the_wait_is_over()
        turns += 1
        assert turns <= 11
    run = stored(run)
    assert run.state == "failed"
    assert run.error.startswith("The wiki is busy (HTTP 503): after ")
    assert "s more. What was fetched is kept; resume the fetch later. It said: “" in run.error
    fetch.resume(run)
    live.busy = iter(())
    assert fetch.finished(run).tags_found == 120


@pytest.mark.parametrize(
    "header", ["999999999", "3601", "Fri, 31 Dec 9999 23:59:59 GMT"], ids=["huge", "long", "date"]
)
def test_a_wait_longer_than_it_may_take_ends_the_run_at_once(live, header):
    live.busy = repeat(refusing(header))
    with pytest.raises(
        Refusal, match=r"busy \(HTTP 503\): after 0 s of waiting it would take \d+ s"
    ):
        fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    assert (len(live.asked), Wiki.objects.get().busy_until) == (1, None)


@pytest.mark.parametrize("until", ["talk", "redirects"])
def test_what_is_asked_of_the_other_article_and_talk_pages_is_waited_for_too(live, until):
    """The whole batch is then asked for again, and nothing is stored twice."""
    live.size, live.naming = 2, {1: ["Mill 2", "Mill 7"]}

    def busy():
        while not any(is_wanted(asked.params) for asked in live.asked):
            yield None
        yield refusing()

    def is_wanted(params):
        titles = params.get("titles", "")
        return titles.startswith("Talk:") if until == "talk" else "Mill 7" in titles

    live.busy = busy()
    run = newfetch.fetch_of_titles(["Mill 1", "Mill 2"], options=PLAIN)
    fetch.carry_out(run.pk)
    assert (stored(run).state, stored(run).cursor, Tag.objects.count()) == ("waiting", 0, 0)
    the_wait_is_over()
    run = fetch.finished(run)
    assert (run.tags_found, Tag.objects.count(), Sighting.objects.count()) == (3, 4, 4)
    assert TalkPage.objects.count() == 1


def test_a_run_that_gets_on_may_wait_again_as_long(live, settings):
    settings.WIKI_MAX_WAIT, settings.WIKI_HTML = 100, False
    live.size = 120
    live.busy = chain.from_iterable((*[None] * n, refusing()) for n in (5, 4))
    run = newfetch.fetch_of_kind("inconsistent", options=PLAIN)
    waits = []
    while fetch.carry_out(run.pk):
        waits.append((stored(run).waited, stored(run).cursor))
        the_wait_is_over()
    assert (stored(run).state, waits) == ("done", [(60, 0), (60, 100), (0, 120)])


def test_a_run_is_paused_resumed_and_cancelled_while_it_waits(live, waiting):
    fetch.pause(waiting)
    assert (stored(waiting).state, stored(waiting).error) == ("paused", "")
    the_wait_is_over()
    tasks.sweep_fetches()
    assert not fetch.carry_out(waiting.pk)
    Wiki.objects.update(busy_until=in_seconds(60))
    fetch.resume(waiting)
    assert not fetch.carry_out(waiting.pk)  # the wiki is still not to be asked
    fetch.cancel(waiting)
    the_wait_is_over()
    assert not fetch.carry_out(waiting.pk)
    assert (stored(waiting).state, live.asked) == ("cancelled", [])


def test_a_pause_that_comes_just_before_the_wait_is_kept(live, monkeypatch):
    run = newfetch.fetch_of_kind("inconsistent")

    def paused_first(mine, holder, busy):
        fetch.pause(stored(run))
        set_back(mine, holder, busy)

    live.busy = repeat(refusing())
    monkeypatch.setattr(fetch, "set_back", paused_first)
    fetch.carry_out(run.pk)
    assert stored(run).state == "paused"


def test_the_databases_clock_decides(waiting, monkeypatch):
    later = timezone.now() + timedelta(hours=5)
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert not fetch.carry_out(waiting.pk)
    assert progress_of_fetch(waiting).waiting.startswith(("Waiting 60 s", "Waiting 59 s"))


def test_the_page_and_a_terminal_show_the_wait(client, waiting):
    client.force_login(person("alice", Role.ADMIN))
    shown = client.get(f"/fetches/{waiting.pk}/").content.decode()
    assert " s: the wiki is busy (HTTP 503). It said: “Wikimedia Error" in shown
    assert "It goes on by itself at <time" in shown
    assert "callout-bad" not in shown
    assert 'hx-trigger="every 2s"' in shown
    assert "0 of 3 pages, Waiting" in progress_line(progress_of_fetch(waiting))


def call(*arguments):
    out, err = io.StringIO(), io.StringIO()
    call_command("fetch_tagged_pages", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_the_command_says_how_long_it_waits_and_goes_on(live, monkeypatch):
    live.size = 2
    live.busy = iter([*[None] * 5, refusing(), refusing(status=429)])
    slept = []

    def sleep(seconds):
        slept.append(seconds)
        if len(slept) % 3 == 0:
            the_wait_is_over()

    monkeypatch.setattr("wikifetch.management.commands.fetch_tagged_pages.time.sleep", sleep)
    out, err = call("--kind", "inconsistent")
    assert "2 pages read, 2 tags found" in out
    assert [line.partition(". It said")[0] for line in err.splitlines()] == [
        "Waiting 60 s: the wiki is busy (HTTP 503)",
        "Waiting 60 s: the wiki is busy (HTTP 429: too many requests from here)",
    ]
    assert slept == [5] * 6


def test_a_command_that_is_stopped_while_it_waits_cancels_its_run(live, monkeypatch):
    live.busy = repeat(refusing())

    def stopped(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr("wikifetch.management.commands.fetch_tagged_pages.time.sleep", stopped)
    with pytest.raises(KeyboardInterrupt):
        call("--kind", "inconsistent")
    assert FetchRun.objects.get().state == "cancelled"


def test_a_worker_may_go_on_with_a_commands_run(live, waiting):
    """It is faster once the wait is over; the command then follows until the run has ended."""

    def rest(run, seconds):
        the_wait_is_over()
        tasks.carry_out_fetch(run.pk)

    assert fetch.finished(waiting, rest).tags_new == 3


def test_requests_and_bytes_are_counted_over_all_turns(live, waiting, client):
    before = waiting.received_bytes
    assert (waiting.requests, before > len(HTML)) == (6, True)
    the_wait_is_over()
    run = fetch.finished(waiting)
    assert run.requests == 6 + len(live.asked) + len(live.rest_asked)
    assert run.received_bytes > before
    client.force_login(person("alice", Role.ADMIN))
    shown = client.get(f"/fetches/{run.pk}/").content.decode()
    assert f"<dd>{run.requests} requests, " in shown


def test_the_command_ends_with_what_the_wiki_was_asked(live):
    out, _ = call("--kind", "all", "--limit", "1")
    assert re.search(
        rf"\n{len(live.asked) + len(live.rest_asked)} requests, \d\.\d KB received\.\n$", out
    )

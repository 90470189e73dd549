"""Carrying a fetch out: from what was asked for to rows, batch by batch, resumable after any stop.

A run first freezes its queue (page ids), then works through it; rows, counts and cursor of a batch are
written in one transaction, so that a killed run goes on where it stopped and counts nothing twice.
A file is its own queue: its cursor is the number of pages read, over all readings of it.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import structlog
from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import F
from django.db.models.functions import Now

from accounts.models import Person
from leases.claim import new_holder, settle, take
from leases.clock import in_seconds
from leases.refusal import Conflict, Refusal
from wikifetch import asking, filesource, freezing, livesource
from wikifetch.batches import Batch
from wikifetch.client import in_batches
from wikifetch.dump import DumpError, read_dump
from wikifetch.heartbeat import LEASE_SECONDS, Heartbeat, LeaseLost
from wikifetch.manners import WikiError
from wikifetch.models import Article, FetchProblem, FetchRun, Tag
from wikifetch.others import record_named
from wikifetch.purging import purge
from wikifetch.recording import record_missing, record_pages, record_talk, record_trace
from wikifetch.states import FETCH_RUN, FetchState, TagState
from wikifetch.uploads import path_of_upload

log = structlog.get_logger(__name__)

MAX_PROBLEMS = 1_000


def fetch_xml(path: Path, *, by: Person | None = None) -> FetchRun:
    """Read a MediaWiki export into rows, now. Raises Refusal when the file cannot be read to its end."""
    return finished(asking.ask_for_file(path, by=by))


def finished(run: FetchRun) -> FetchRun:
    """Carry a run out to its end, now; Refusal if it failed or another fetch of the wiki is at work."""
    if not carry_out(run.pk):
        run.refresh_from_db()
        raise Conflict(
            f"{run} is {run.get_state_display().lower()}: another fetch from this wiki is at work. "
            "It starts by itself when that one is done; or cancel it.",
            retry=True,
        )
    run.refresh_from_db()
    if run.state == FetchState.FAILED:
        raise Refusal(run.error)
    return run


def carry_out(run_id: int, *, seconds: float | None = None) -> bool:
    """Carry a waiting run out; after `seconds` hand it back waiting, to go on from its cursor.

    False when it is not waiting (any more), or another live fetch of its wiki is running.
    """
    run = FetchRun.objects.select_related("wiki").get(pk=run_id)
    holder = new_holder("fetch")
    try:
        with transaction.atomic():
            began = {"began_at": Now(), "began_cursor": F("cursor")}
            if not take(run, FETCH_RUN, "start", seconds=LEASE_SECONDS, holder=holder, **began):
                return False
    except IntegrityError:  # one_live_fetch_a_wiki: requests to a wiki are made in series
        return False
    try:
        _work(run, holder, seconds)
    except LeaseLost:
        log.info("fetch_lease_lost", run=run.pk)
    except (DumpError, WikiError) as error:
        settle(run, FETCH_RUN, "fail", holder=holder, error=str(error), finished_at=Now())
    except KeyboardInterrupt:
        settle(run, FETCH_RUN, "cancel", holder=holder, finished_at=Now())
        raise
    except (InterfaceError, OperationalError):
        raise  # the database is out of order: the lease runs out, and the sweeper lets the run go on
    except Exception:
        told = "The fetch stopped on an error of this program; its log says more. Resume it."
        settle(run, FETCH_RUN, "fail", holder=holder, error=told, finished_at=Now())
        raise
    return True


def cancel(run: FetchRun) -> None:
    """Stop a run; what was recorded is kept, the batch under way is not. Raises Conflict when it is over."""
    FETCH_RUN.require(run, "cancel", lease_holder="", lease_until=None, finished_at=Now())


def pause(run: FetchRun) -> None:
    """Let a run rest until it is resumed; the batch under way is then asked for again. Conflict when it is over."""
    FETCH_RUN.require(run, "pause", lease_holder="", lease_until=None)


def resume(run: FetchRun) -> None:
    """Let a paused, failed or cancelled run go on from where it stopped. Raises Conflict in another state."""
    FETCH_RUN.require(run, "resume", error="", attempts=0, finished_at=None)


def known_pages(run: FetchRun) -> int:
    """How many pages of a run's queue are kept here from an earlier fetch."""
    known = Article.objects.filter(wiki=run.wiki)
    return sum(known.filter(pageid__in=part).count() for part in in_batches(run.queue, 500))


def _work(run: FetchRun, holder: str, seconds: float | None) -> None:
    until = None
    recorder = _Recorder(run, holder)
    try:
        for batch in _batches(run, holder, Heartbeat(run, holder, aside=recorder.aside)):
            recorder.take(batch)
            if seconds is not None and until is None:
                # From the first batch on: a file is first read up to the cursor again, and each slice must get on.
                until = time.monotonic() + seconds
            if until is not None and time.monotonic() >= until:
                recorder.finish()
                settle(run, FETCH_RUN, "expire", holder=holder)
                return
    except WikiError:
        recorder.finish()  # what was asked before the wiki failed is kept
        raise
    recorder.finish()
    if settle(run, FETCH_RUN, "finish", holder=holder, finished_at=Now()) and run.options.get(
        "uploaded"
    ):
        file_of(run).unlink(missing_ok=True)


class _Recorder:
    """Writes batches as they come; a history in the pause before the next request, or without one while it is awaited.

    A process that is killed has then one history under way; without a pause sometimes two, and asks for these again.
    """

    def __init__(self, run: FetchRun, holder: str) -> None:
        self._run, self._holder = run, holder
        self._waiting: Batch | None = None

    def take(self, batch: Batch) -> None:
        self.finish()
        self._waiting = batch
        if not batch.traced:
            self.finish()

    def finish(self) -> None:
        batch, self._waiting = self._waiting, None
        if batch is not None:
            _record(self._run, self._holder, batch)

    def aside(self) -> Callable[[], None] | None:
        return self.finish if self._waiting else None


def file_of(run: FetchRun) -> Path:
    """The file that a run reads: an upload moves with DATA_DIR, as when a backup is restored elsewhere."""
    noted = Path(run.options["path"])
    return path_of_upload(noted) if run.options.get("uploaded") and not noted.exists() else noted


def _batches(run: FetchRun, holder: str, heart: Heartbeat) -> Iterator[Batch]:
    assert run.wiki is not None
    if run.source == FetchRun.Source.XML:
        bound = asking.MAX_UNPACKED if run.options.get("uploaded") else None
        opened = partial(read_dump, file_of(run), name=run.label, max_bytes=bound)
        yield from filesource.file_batches(opened, run.wiki, run.cursor, heart)
        return
    client = livesource.client_for(run.options["base"], heart.clock(), run.contact)
    if not run.queue_frozen:
        for frozen in freezing.freeze(client, run):
            _keep_queue(run, holder, frozen)
            if not frozen.is_whole:
                yield Batch(
                    run.cursor
                )  # nothing to record, but 50,000 titles take longer than a task may
        if run.options.get("dry_run"):
            settle(run, FETCH_RUN, "pause", holder=holder)
            return
    yield from livesource.live_batches(client, run)


def _held(run: FetchRun, holder: str, **fields: Any) -> None:
    """Write to the run as its holder; raises LeaseLost when it was cancelled or swept meanwhile."""
    held = FetchRun.objects.filter(pk=run.pk, lease_holder=holder, state=FetchState.RUNNING)
    if not held.update(lease_until=in_seconds(LEASE_SECONDS), attempts=0, **fields):
        raise LeaseLost


@transaction.atomic
def _keep_queue(run: FetchRun, holder: str, frozen: freezing.Frozen) -> None:
    options = run.options | {"names": frozen.names, "listed": frozen.listed}
    queue = list(dict.fromkeys([*run.queue, *frozen.pageids]))
    _held(run, holder, queue=queue, queue_frozen=frozen.is_whole, options=options)
    run.refresh_from_db()
    _tell(run, frozen.problems)


@transaction.atomic
def _record(run: FetchRun, holder: str, batch: Batch) -> None:
    """A batch's rows, the counts and the cursor: all of it or nothing."""
    assert run.wiki is not None
    outcome = record_pages(run.wiki, batch.pages)
    beside = record_pages(run.wiki, batch.others)  # not asked for, so not counted
    record_named(run.wiki, batch.named)
    for page, error in (*outcome.refused, *beside.refused):
        log.error("page_not_recorded", run=run.pk, page=page.title, exc_info=error)
        batch.problems.append((page.title, f"The database refused this page: {error}"[:500]))
    for title, revision in batch.talk:
        record_talk(run.wiki, title, revision)
    for traced in batch.traced:
        record_trace(traced.article, traced.history)
    if batch.missing:
        record_missing(run.wiki, batch.missing)
    if batch.hidden:
        purge(run.wiki, batch.hidden)
    _tell(run, batch.problems)
    counts = {
        "tags_found": outcome.found + _live_tags_on(run, batch.unchanged),
        "tags_new": outcome.new,
        "unchanged": len(batch.unchanged),
    }
    more = {name: F(name) + count for name, count in counts.items() if count}
    # Last, since it undoes everything above where the lease was lost meanwhile.
    pages = batch.done if batch.read is None else batch.read
    _held(run, holder, cursor=batch.done, pages=pages, **more)
    run.cursor = batch.done


def _live_tags_on(run: FetchRun, pageids: list[int]) -> int:
    if not pageids:
        return 0
    live = Tag.objects.filter(article__wiki=run.wiki, state=TagState.LIVE)
    return live.filter(article__pageid__in=pageids).count()


def _tell(run: FetchRun, problems: list[tuple[str, str]]) -> None:
    if not problems:
        return
    room = max(0, MAX_PROBLEMS - run.problems.count())
    rows = [FetchProblem(run=run, page=page[:300], problem=said) for page, said in problems[:room]]
    FetchProblem.objects.bulk_create(rows, ignore_conflicts=True)

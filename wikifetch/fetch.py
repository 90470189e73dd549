"""Carry a fetch out: from what was asked for to rows, batch by batch, resumable after any stop.

A run first freezes its queue (page ids), then works through it. Rows, counts and cursor of a batch are written in one
transaction: a killed run goes on where it stopped and counts nothing twice. A file is its own queue, and its cursor the
number of pages read, over all readings of it.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import Any

import structlog
from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from accounts.models import Person
from leases.claim import FREE, settle, sweep, take
from leases.clock import in_seconds, now
from leases.holders import new_holder
from leases.planner import learn_sizes_on_commit
from leases.refusal import Conflict, Refusal
from wikifetch import newfetch
from wikifetch.models import Article, FetchProblem, FetchRun, Tag
from wikifetch.otherarticles import spellings
from wikifetch.recording import record_part
from wikifetch.source import filebatches, freezing, livebatches
from wikifetch.source.answers import NO_SUCH_PAGE, NO_SUCH_TITLE
from wikifetch.source.batches import Batch
from wikifetch.source.dump import DumpError
from wikifetch.source.dump_files import DumpFile, DumpFiles
from wikifetch.source.heartbeat import LEASE_SECONDS, FetchHeartbeat, FetchLeaseLost
from wikifetch.source.manners import WikiBusy, WikiError
from wikifetch.source.uploads import path_of_upload
from wikifetch.source.wiki_client import in_batches
from wikifetch.source.wikis import names_of
from wikifetch.states import FETCH_RUN, FetchState, TagState
from wikifetch.waiting import seconds_left, set_back, startable

log = structlog.get_logger(__name__)

MAX_PROBLEMS = 1_000
_MOST_REST = 5.0  # seconds between two looks at a run that waits: somebody may have cancelled it


def fetch_xml(path: Path, *, by: Person | None = None) -> FetchRun:
    """Read a MediaWiki export into rows, now. Raises Refusal when the file cannot be read to its end."""
    return finished(newfetch.fetch_of_files([path], by=by))


def finished(
    run: FetchRun,
    rest: Callable[[FetchRun, float], None] = lambda run, seconds: time.sleep(seconds),
    *,
    processes: int | None = None,
) -> FetchRun:
    """Carry a run out to its end, now; Refusal if it failed or another fetch of the wiki is at work.

    Runs of this wiki whose worker or command died are taken back first. While the wiki is busy, `rest` is called with
    seconds to sleep; a worker may then go on with the run first. A run that is refused does not wait on. A dump is read
    by so many `processes`, None for the machine's cores.
    """
    while True:
        sweep(FetchRun.objects.filter(wiki=run.wiki_id), FETCH_RUN, "expire")
        carry_out(run.pk, processes=processes)
        run.refresh_from_db()
        if run.state not in {FetchState.WAITING, FetchState.RUNNING}:
            break
        left = seconds_left(run)
        if run.state == FetchState.WAITING and not left and (other := _at_work(run)):
            _let_go(run)
            raise Conflict(
                f"{other} is asking this wiki. Wait until it is done, or cancel it. If it was killed, "
                f"fetch_tagged_pages --resume {other.pk} goes on with it in {seconds_held(other)} s.",
                retry=True,
            )
        try:
            rest(run, min(left or 1, _MOST_REST))
        except KeyboardInterrupt:
            cancel(run)
            raise
    if run.state == FetchState.FAILED:
        raise Refusal(run.error)
    return run


def _at_work(run: FetchRun) -> FetchRun | None:
    """The run for which this one must wait: a wiki is asked by one at a time."""
    if run.source == FetchRun.Source.XML:
        return None
    others = FetchRun.objects.filter(wiki=run.wiki_id, state=FetchState.RUNNING)
    return others.exclude(source=FetchRun.Source.XML).first()


def _let_go(run: FetchRun) -> None:
    """Leave no waiting run where no worker may come: a new one is removed, another rests until it is resumed."""
    waiting = FetchRun.objects.filter(pk=run.pk, state=FetchState.WAITING)
    waiting.filter(began_at=None).delete()
    FETCH_RUN.move(waiting, "pause")


def seconds_held(run: FetchRun) -> int:
    """How long the run is held by who is at work on it, if that does not renew it; 0 where nobody is."""
    until = run.lease_until
    return max(0, ceil((until - now()).total_seconds())) if until else 0


def carry_out(run_id: int, *, seconds: float | None = None, processes: int | None = None) -> bool:
    """Carry a waiting run out; after `seconds` hand it back, to go on from its cursor.

    False if it does not wait, its wiki is busy, or another live fetch of its wiki is running.
    """
    holder = new_holder("fetch")
    if not _started(run_id, holder):
        return False
    run = FetchRun.objects.select_related("wiki").get(pk=run_id)
    heart = FetchHeartbeat(run, holder)
    try:
        try:
            _work(run, holder, _batches(run, holder, heart, processes), seconds)
        finally:
            heart.end()
    except FetchLeaseLost:
        log.info("fetch_lease_lost", run=run.pk)
    except WikiBusy as busy:
        set_back(run, holder, busy)
    except (DumpError, WikiError) as error:
        if settle(run, FETCH_RUN, "fail", holder=holder, error=str(error), finished_at=Now()):
            _drop_upload(run)
    except KeyboardInterrupt:
        settle(run, FETCH_RUN, "cancel", holder=holder, finished_at=Now())
        raise
    except (InterfaceError, OperationalError):
        raise  # a database outage: the lease expires, and the sweeper lets the run go on
    except Exception:
        reason = "The fetch stopped on an error of this program; its log says more. Resume it."
        settle(run, FETCH_RUN, "fail", holder=holder, error=reason, finished_at=Now())
        raise
    return True


def _started(run_id: int, holder: str) -> bool:
    free = startable(FetchRun.objects.filter(pk=run_id))
    began = {"began_at": Now(), "began_cursor": F("cursor"), "error": ""}
    try:
        with transaction.atomic():
            return take(free, FETCH_RUN, "start", seconds=LEASE_SECONDS, holder=holder, **began)
    except IntegrityError:  # one_live_fetch_a_wiki: requests to a wiki are made in series
        return False


def cancel(run: FetchRun) -> None:
    """Stop a run; what was recorded is kept, the batch under way is not. Raises Conflict when it is over."""
    FETCH_RUN.require(run, "cancel", **FREE, error="", finished_at=Now())


def pause(run: FetchRun) -> None:
    """Let a run rest until it is resumed; the batch under way is then asked for again. Conflict when it is over."""
    FETCH_RUN.require(run, "pause", **FREE, error="")


def resume(run: FetchRun) -> None:
    """Let a paused, failed or cancelled run go on from where it stopped. Raises Conflict in another state."""
    FETCH_RUN.require(run, "resume", error="", attempts=0, waited=0, finished_at=None)


def known_pages(run: FetchRun) -> int:
    """How many pages of a run's queue are kept here from an earlier fetch."""
    known = Article.objects.filter(wiki=run.wiki)
    return sum(known.filter(pageid__in=part).count() for part in in_batches(run.queue, 500))


def _work(run: FetchRun, holder: str, batches: Iterator[Batch], seconds: float | None) -> None:
    until = None
    for batch in batches:
        _record(run, holder, batch)
        if seconds is not None and until is None:
            # From the first batch on: a file is first read up to the cursor again, and each slice must make progress.
            until = time.monotonic() + seconds
        if until is not None and time.monotonic() >= until:
            settle(run, FETCH_RUN, "expire", holder=holder)
            return
    if settle(run, FETCH_RUN, "finish", holder=holder, titles={}, finished_at=Now()):
        learn_sizes_on_commit("wikifetch")
        _drop_upload(run)


def _drop_upload(run: FetchRun) -> None:
    """Remove the file of a run that was read, or that cannot be: read again, it would fail again."""
    if run.options.get("uploaded"):
        with suppress(DumpError):  # no file of ours
            for file in files_of(run):
                file.path.unlink(missing_ok=True)


def files_of(run: FetchRun) -> list[DumpFile]:
    """The files that a run reads; an upload moves with DATA_DIR. Raises DumpError for an upload outside its folder."""
    noted = map(Path, run.options["paths"])
    if run.options.get("uploaded"):
        return [DumpFile(path_of_upload(path), run.label, newfetch.MAX_UNPACKED) for path in noted]
    return [DumpFile(path, path.name) for path in noted]


def _batches(
    run: FetchRun, holder: str, heart: FetchHeartbeat, processes: int | None
) -> Iterator[Batch]:
    assert run.wiki is not None
    if run.source == FetchRun.Source.XML:
        files = DumpFiles(files_of(run), processes, heart.along)
        if "names" not in run.options:
            names = files.with_redirects(names_of(run.wiki)).spellings()
            run.options |= {"names": names}
            _held(run, holder, options=run.options)
        yield from filebatches.file_batches(files, run)
        return
    client = livebatches.client_for(run.options["base"], run.contact, heart.renew, heart.traffic)
    if not run.queue_frozen:
        for frozen in freezing.freeze_queue(client, run):
            _keep_queue(run, holder, frozen)
            if not frozen.is_whole:
                # Nothing to record, but 50,000 titles or 500 categories take longer than a task may.
                yield Batch(run.cursor)
        if run.options.get("dry_run"):
            settle(run, FETCH_RUN, "pause", holder=holder)
            return
    yield from livebatches.live_batches(client, run, heart)


def _held(run: FetchRun, holder: str, **fields: Any) -> None:
    """Write to the run as its holder; raises FetchLeaseLost when it was cancelled or swept meanwhile."""
    held = FetchRun.objects.filter(pk=run.pk, lease_holder=holder, state=FetchState.RUNNING)
    if not held.update(lease_until=in_seconds(LEASE_SECONDS), attempts=0, **fields):
        raise FetchLeaseLost


@transaction.atomic
def _keep_queue(run: FetchRun, holder: str, frozen: freezing.FrozenQueue) -> None:
    options = run.options | {"names": frozen.names} | frozen.progress
    queue = list(dict.fromkeys([*run.queue, *frozen.pages]))
    titles = run.titles | {str(pageid): title for pageid, title in frozen.pages.items() if title}
    columns = {"queue": queue, "queue_frozen": frozen.is_whole, "titles": titles}
    _held(run, holder, **columns, options=options, waited=0)
    run.refresh_from_db()
    _keep_problems(run, frozen.problems)


@transaction.atomic
def _record(run: FetchRun, holder: str, batch: Batch) -> None:
    """A batch's rows, the counts and the cursor: all of it or nothing."""
    assert run.wiki is not None
    part = batch.part
    recorded = record_part(run.wiki, part)
    for page, error in recorded.refused:
        log.error("page_not_recorded", run=run.pk, page=page.title, exc_info=error)
    refused = [
        (page.title, f"The database refused this page: {error}"[:500])
        for page, error in recorded.refused
    ]
    _keep_problems(run, [*part.problems, *refused])
    counts = {
        "tags_found": recorded.tags + _live_tags_on(run, part.unchanged),
        "tags_new": recorded.new,
        "unchanged": len(part.unchanged),
    }
    more: dict[str, Any] = {name: F(name) + count for name, count in counts.items() if count}
    # Only for progress: else a wiki that is busy for ever would be waited for so.
    if batch.cursor > run.cursor or part.traced or part.htmls:
        more["waited"] = 0
    if run.source == FetchRun.Source.XML and part.pages:
        tagged = [page.pageid for page, _ in part.pages]
        more["queue"] = run.queue = list(dict.fromkeys([*run.queue, *tagged]))
    pages = batch.cursor if batch.pages_read is None else batch.pages_read
    # Last, since it undoes everything above where the lease was lost meanwhile.
    _held(run, holder, cursor=batch.cursor, pages=pages, **more)
    run.cursor = batch.cursor
    run.waited = more.get("waited", run.waited)


def _live_tags_on(run: FetchRun, pageids: Sequence[int]) -> int:
    if not pageids:
        return 0
    live = Tag.objects.filter(article__wiki=run.wiki, state=TagState.LIVE)
    return live.filter(article__pageid__in=pageids).count()


def _keep_problems(run: FetchRun, problems: Sequence[tuple[str, str]]) -> None:
    if not problems:
        return
    rows = [
        FetchProblem(run=run, page=page[:300], problem=problem)
        for page, problem in _missing_once(run, problems)
    ]
    before = _problems_before(run, {row.page for row in rows})
    for row in rows:
        row.seen_before = (row.page, row.problem) in before
    # Each has its own room: what is known must not crowd out what is new.
    for seen_before in (False, True):
        room = max(0, MAX_PROBLEMS - run.problems.filter(seen_before=seen_before).count())
        kept = [row for row in rows if row.seen_before == seen_before][:room]
        FetchProblem.objects.bulk_create(kept, ignore_conflicts=True)


def _problems_before(run: FetchRun, pages: Collection[str]) -> set[tuple[str, str]]:
    """Page and problem, as earlier fetches of this wiki had them with these pages."""
    earlier = FetchProblem.objects.filter(run__wiki=run.wiki_id, run__lt=run.pk).order_by()
    found: set[tuple[str, str]] = set()
    for part in in_batches(list(pages), 500):
        found |= set(earlier.filter(page__in=part).values_list("page", "problem").distinct())
    return found


def _missing_once(run: FetchRun, problems: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The problems, but of each page that the wiki does not have only the first that reports this."""
    says_so = Q(problem__endswith=NO_SUCH_TITLE) | Q(problem__endswith=NO_SUCH_PAGE)
    listed = run.problems.filter(says_so).values_list("page", flat=True)
    missing = {spellings(page)[1] for page in listed}
    for page, problem in problems:
        if problem.endswith((NO_SUCH_TITLE, NO_SUCH_PAGE)):
            title = spellings(page[:300])[1]
            if title in missing:
                continue
            missing.add(title)
        yield page, problem

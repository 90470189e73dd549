"""Fetching: from what was asked for to rows, batch by batch, resumable after any stop.

A run first freezes its queue (page ids), then works through it; rows, counts and cursor of a batch are
written in one transaction, so that a killed run goes on where it stopped and counts nothing twice.
A file is its own queue: its cursor is the number of pages read.
"""

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Now

from accounts.models import Person
from leases.claim import new_holder, settle, take
from leases.clock import in_seconds
from leases.refusal import Conflict, Refusal
from wikifetch import sources
from wikifetch.dump import DumpError, read_dump
from wikifetch.heartbeat import LEASE_SECONDS, Heartbeat, LeaseLost
from wikifetch.manners import WikiError
from wikifetch.models import FetchProblem, FetchRun, TagKind
from wikifetch.recording import record_page, record_talk
from wikifetch.sources import Batch
from wikifetch.states import FETCH_RUN, FetchState

log = structlog.get_logger(__name__)

MAX_PROBLEMS = 1_000
MAX_TITLES = 20_000
MAX_UNPACKED = 4 * 1024**3  # of an upload; a file named on the command line has no limit


# ------------------------------------------------------------ asking for a fetch


def ask_for_file(
    path: Path, *, by: Person | None, label: str = "", uploaded: bool = False
) -> FetchRun:
    """A run over a MediaWiki export on this machine. Raises Refusal when it is none."""
    options = {"path": str(path.resolve()), "uploaded": uploaded}
    try:
        dump = read_dump(path, name=label, max_bytes=MAX_UNPACKED if uploaded else None)
        wiki = sources.wiki_of(dump, default_wiki())
    except DumpError as error:
        raise Refusal(str(error)) from error
    return FetchRun.objects.create(
        source=FetchRun.Source.XML,
        label=(label or path.name)[:300],
        wiki=wiki,
        options=options,
        queue_frozen=True,
        started_by=by,
    )


def ask_for_titles(titles: Iterable[str], *, by: Person | None, wiki: str = "") -> FetchRun:
    """A run over articles by title, from the live API. Raises Refusal without titles, contact or leave."""
    wanted = clean_titles(titles)
    if not wanted:
        raise Refusal("There is no title. Write one article's title on each line.")
    if len(wanted) > MAX_TITLES:
        raise Refusal(f"These are {len(wanted)} titles; a fetch takes up to {MAX_TITLES}.")
    label = wanted[0] if len(wanted) == 1 else f"{len(wanted)} titles"
    return _ask_live(wiki, FetchRun.Source.TITLES, label, {"titles": wanted}, by)


def ask_for_kind(
    kind: str, *, by: Person | None, limit: int | None = None, wiki: str = ""
) -> FetchRun:
    """A run over the articles that carry a kind of tag, from the live API. Raises Refusal."""
    if kind not in TagKind.values:
        raise Refusal(f"{kind!r} is no kind of tag; there are {', '.join(TagKind.values)}.")
    if limit is not None and limit < 1:
        raise Refusal("The limit must be at least 1.")
    label = kind if limit is None else f"{kind}, at most {limit} pages"
    return _ask_live(wiki, FetchRun.Source.KIND, label, {"kind": kind, "limit": limit}, by)


def clean_titles(lines: Iterable[str]) -> list[str]:
    """Titles without blanks, control characters and link brackets, each once, in order."""
    titles: dict[str, None] = {}
    for line in lines:
        visible = "".join(c if c.isprintable() else " " for c in line)
        title = " ".join(visible.replace("_", " ").split()).removeprefix("[[").removesuffix("]]")
        if title:
            titles.setdefault(title)
    return list(titles)


def default_wiki() -> str:
    return settings.WIKI_ALLOWED[0]


def _ask_live(
    base: str, source: str, label: str, options: dict[str, Any], by: Person | None
) -> FetchRun:
    try:
        client = sources.client_for(base or default_wiki())
    except WikiError as error:
        raise Refusal(error.message) from error
    wiki = sources.wiki_at(f"{client.base}/wiki/", api_url=client.api_url)
    options |= {"base": client.base}
    return FetchRun.objects.create(
        source=source, label=label[:300], wiki=wiki, options=options, started_by=by
    )


# ------------------------------------------------------------ carrying one out


def fetch_xml(path: Path, *, by: Person | None = None) -> FetchRun:
    """Read a MediaWiki export into rows, now. Raises Refusal when the file cannot be read to its end."""
    return finished(ask_for_file(path, by=by))


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
            if not take(run, FETCH_RUN, "start", seconds=LEASE_SECONDS, holder=holder):
                return False
    except IntegrityError:  # one_live_fetch_a_wiki: requests to a wiki are made in series
        return False
    try:
        _work(run, holder, None if seconds is None else time.monotonic() + seconds)
    except LeaseLost:
        log.info("fetch_lease_lost", run=run.pk)
    except (DumpError, WikiError) as error:
        settle(run, FETCH_RUN, "fail", holder=holder, error=str(error), finished_at=Now())
    except KeyboardInterrupt:
        settle(run, FETCH_RUN, "cancel", holder=holder, finished_at=Now())
        raise
    except Exception:
        told = "The fetch stopped on an error of this program; its log says more. Resume it."
        settle(run, FETCH_RUN, "fail", holder=holder, error=told, finished_at=Now())
        raise
    return True


def cancel(run: FetchRun) -> None:
    """Stop a run after its present batch; what was fetched is kept. Raises Conflict when it is over."""
    FETCH_RUN.require(run, "cancel", lease_holder="", lease_until=None, finished_at=Now())


def resume(run: FetchRun) -> None:
    """Let a failed or cancelled run go on from where it stopped. Raises Conflict in another state."""
    FETCH_RUN.require(run, "resume", error="", attempts=0, finished_at=None)


def _work(run: FetchRun, holder: str, until: float | None) -> None:
    for batch in _batches(run, holder, Heartbeat(run, holder)):
        _record(run, holder, batch)
        if until is not None and time.monotonic() > until:
            settle(run, FETCH_RUN, "expire", holder=holder)
            return
    if settle(run, FETCH_RUN, "finish", holder=holder, finished_at=Now()) and run.options.get(
        "uploaded"
    ):
        Path(run.options["path"]).unlink(missing_ok=True)


def _batches(run: FetchRun, holder: str, heart: Heartbeat) -> Iterator[Batch]:
    assert run.wiki is not None
    if run.source == FetchRun.Source.XML:
        path = Path(run.options["path"])
        bound = MAX_UNPACKED if run.options.get("uploaded") else None
        dump = read_dump(path, name=run.label, max_bytes=bound)
        yield from sources.file_batches(dump, run.wiki, run.cursor, heart)
        yield from sources.talk_batches(read_dump(path), run.wiki, run.cursor, heart)
        return
    client = sources.client_for(run.options["base"], heart.clock())
    if not run.queue_frozen:
        frozen = sources.freeze(client, run)
        _keep_queue(run, holder, frozen)
    yield from sources.live_batches(client, run)


def _held(run: FetchRun, holder: str, **fields: Any) -> None:
    """Write to the run as its holder; raises LeaseLost when it was cancelled or swept meanwhile."""
    held = FetchRun.objects.filter(pk=run.pk, lease_holder=holder, state=FetchState.RUNNING)
    if not held.update(lease_until=in_seconds(LEASE_SECONDS), attempts=0, **fields):
        raise LeaseLost
    run.refresh_from_db()


@transaction.atomic
def _keep_queue(run: FetchRun, holder: str, frozen: sources.Frozen) -> None:
    options = run.options | {"names": frozen.names}
    _held(run, holder, queue=frozen.pageids, queue_frozen=True, options=options)
    _tell(run, frozen.problems)


@transaction.atomic
def _record(run: FetchRun, holder: str, batch: Batch) -> None:
    """A batch's rows, the counts and the cursor: all of it or nothing."""
    assert run.wiki is not None
    _held(run, holder, cursor=batch.done, pages=batch.done)
    found = new = 0
    for page, history in batch.pages:
        try:
            recorded = record_page(run.wiki, page, history)
        except DatabaseError as error:
            log.exception("page_not_recorded", run=run.pk, page=page.title)
            batch.problems.append((page.title, f"The database refused this page: {error}"[:500]))
            continue
        found += recorded.found
        new += recorded.new
    for title, revision in batch.talk:
        record_talk(run.wiki, title, revision)
    _tell(run, batch.problems)
    _held(run, holder, tags_found=F("tags_found") + found, tags_new=F("tags_new") + new)


def _tell(run: FetchRun, problems: list[tuple[str, str]]) -> None:
    room = max(0, MAX_PROBLEMS - run.problems.count())
    rows = [FetchProblem(run=run, page=page[:300], problem=said) for page, said in problems[:room]]
    FetchProblem.objects.bulk_create(rows, ignore_conflicts=True)

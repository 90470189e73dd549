"""How far a fetch is, how fast it goes, and how long it will take."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from wikifetch.models import Article, FetchRun, Revision
from wikifetch.states import FetchState
from wikifetch.waiting import seconds_left, waiting_line

# A rate over less than this says nothing yet.
_ENOUGH = timedelta(seconds=5)


@dataclass(frozen=True)
class FetchProgress:
    """`done` of `total` pages (None: a file, whose length is not known), pages a minute, and seconds left.

    `waiting` is a sentence on its busy wiki, "" if it does not wait for one.
    """

    done: int
    total: int | None
    per_minute: float | None
    seconds_left: float | None
    traced: int
    to_trace: int
    htmls: int = 0
    to_render: int = 0
    waiting: str = ""


def progress_of_fetch(run: FetchRun, now: datetime | None = None) -> FetchProgress:
    """Of a run as its row is now; rate and time left only while it runs, since it was last started."""
    total = len(run.queue) if run.source != FetchRun.Source.XML else None
    rate = _rate(run, now or timezone.now())
    left = (total - run.cursor) / rate if total is not None and rate else None
    traced, to_trace = _traced(run)
    done = run.cursor if total is not None else run.pages
    wait = seconds_left(run)
    waiting = waiting_line(run, wait) if wait else ""
    counts = (traced, to_trace, *_htmls(run))
    return FetchProgress(done, total, rate and rate * 60, left, *counts, waiting)


def _rate(run: FetchRun, now: datetime) -> float | None:
    """Pages a second."""
    if run.state != FetchState.RUNNING or run.began_at is None or now - run.began_at < _ENOUGH:
        return None
    return (run.cursor - run.began_cursor) / (now - run.began_at).total_seconds() or None


def _traced(run: FetchRun) -> tuple[int, int]:
    """Of the last pages taken, how many had their history read, and how many need it: a batch takes minutes."""
    tagged = Article.objects.filter(wiki=run.wiki, pageid__in=_last(run), tags__isnull=False)
    tagged = tagged.distinct()
    return tagged.filter(traced_revid__isnull=False).count(), tagged.count()


def _htmls(run: FetchRun) -> tuple[int, int]:
    """Of their revisions with tags, for how many the wiki was asked for its HTML, and of how many."""
    if not settings.WIKI_HTML:
        return 0, 0
    read = Revision.objects.filter(article__wiki=run.wiki, article__pageid__in=_last(run))
    read = read.filter(sightings__isnull=False).exclude(wikitext="").distinct()
    return read.filter(html__isnull=False).count(), read.count()


def _last(run: FetchRun) -> list[int]:
    """The pages of the batch that a live fetch is at."""
    if run.state != FetchState.RUNNING or run.source == FetchRun.Source.XML:
        return []
    return run.queue[max(0, run.cursor - 50) : run.cursor]


def progress_line(progress: FetchProgress) -> str:
    of = f" of {progress.total}" if progress.total is not None else ""
    parts = [f"{progress.done}{of} pages"]
    if progress.traced < progress.to_trace:
        parts.append(f"histories {progress.traced} of {progress.to_trace}")
    if progress.htmls < progress.to_render:
        parts.append(f"HTML {progress.htmls} of {progress.to_render}")
    if progress.per_minute:
        parts.append(f"{progress.per_minute:.0f} a minute")
    if progress.seconds_left:
        parts.append(f"{duration(progress.seconds_left)} left")
    parts += [progress.waiting] if progress.waiting else []
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """Whole minutes or hours, as a person says them."""
    minutes = max(1, round(seconds / 60))
    if minutes < 90:
        return f"about {minutes} min"
    return f"about {minutes / 60:.0f} h"

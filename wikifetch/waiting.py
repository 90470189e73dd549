"""Waiting for a busy wiki: the run gives its worker back, and no run asks this wiki before the time that it said.

That time is kept with the wiki, by the database's clock; the sweeper then wakes the runs (decision 0019).
"""

from math import ceil

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from leases.claim import settle
from leases.clock import in_seconds, now
from wikifetch.models import FetchRun, Wiki
from wikifetch.source.manners import WikiBusy
from wikifetch.states import FETCH_RUN, FetchState

# Seconds: the shortest wait of a run, and the longest where the wiki does not say how long.
_SHORTEST, _LONGEST_UNASKED = 10, 300


def startable(runs: QuerySet[FetchRun]) -> QuerySet[FetchRun]:
    """Those of the runs that ask no wiki which is busy now."""
    # A condition on the run's own row must stay outside of a join: an UPDATE tests it again once it has the row.
    busy = Wiki.objects.filter(pk=OuterRef("wiki"), busy_until__gt=Now())
    return runs.filter(Q(source=FetchRun.Source.XML) | ~Exists(busy))


def set_back(run: FetchRun, holder: str, busy: WikiBusy) -> None:
    """Let the run wait, without a worker, as long as its busy wiki wants; fail it where that is too long in all."""
    run.refresh_from_db(fields=["waited"])
    waited = run.waited + ceil(busy.waited)
    pause = pause_after(busy.seconds, waited)
    if waited + pause > settings.WIKI_MAX_WAIT:
        error = (
            f"{busy.why}: after {waited} s of waiting it would take {pause} s more. "
            f"What was fetched is kept; resume the fetch later.{busy.said}"
        )
        settle(run, FETCH_RUN, "fail", holder=holder, error=error, finished_at=Now())
        return
    with transaction.atomic():
        Wiki.objects.filter(fetch_runs=run).update(busy_until=in_seconds(pause))
        columns = {"error": busy.message, "waited": waited + pause, "attempts": 0}
        settle(run, FETCH_RUN, "wait", holder=holder, **columns)


def pause_after(wanted: float | None, waited: int) -> int:
    """Seconds to wait now: what the wiki wants; where it does not say or says little, as long again as was waited."""
    if wanted is not None and wanted > _SHORTEST:
        return ceil(wanted)
    return max(_SHORTEST, min(waited, _LONGEST_UNASKED))


def seconds_left(run: FetchRun) -> int:
    """How long the run still waits for its busy wiki, by the database's clock; 0 where it does not wait for that."""
    if run.state != FetchState.WAITING or run.source == FetchRun.Source.XML:
        return 0
    until = Wiki.objects.filter(fetch_runs=run.pk).values_list("busy_until", flat=True).first()
    return max(0, ceil((until - now()).total_seconds())) if until else 0


def waiting_line(run: FetchRun, seconds: int) -> str:
    """Why the run waits for so many seconds, as one sentence."""
    why = run.error or "The wiki is busy."
    return f"Waiting {seconds} s: {why[0].lower()}{why[1:]}"

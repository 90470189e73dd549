"""Background work of wikifetch: carrying out fetches. Thin; the rows are the truth (see fetch)."""

from celery import shared_task

from leases.claim import sweep
from leases.enqueue import send_on_commit
from wikifetch import fetch
from wikifetch.models import FetchRun
from wikifetch.states import FETCH_RUN, FetchState
from wikifetch.waiting import startable

# A task's share of a run, well under the time limit; the run then goes on in the next task.
SLICE_SECONDS = 300
MAX_ATTEMPTS = 5


@shared_task
def carry_out_fetch(run_id: int) -> None:
    # A worker's process is a daemon, which may begin no others.
    if not fetch.carry_out(run_id, seconds=SLICE_SECONDS, processes=1):
        return
    if startable(FetchRun.objects.filter(pk=run_id, state=FetchState.WAITING)).exists():
        send_on_commit(carry_out_fetch, run_id)


@shared_task
def sweep_fetches() -> None:
    """Take fetches back from workers that died, give up those that kill every worker, wake the others."""
    runs = FetchRun.objects.all()
    sweep(runs, FETCH_RUN, "expire")
    hopeless = runs.filter(state=FetchState.WAITING, attempts__gte=MAX_ATTEMPTS)
    FETCH_RUN.move(hopeless, "fail", error=f"Given up after {MAX_ATTEMPTS} workers died over it.")
    waiting = startable(runs.filter(state=FetchState.WAITING))
    for run_id in waiting.values_list("pk", flat=True):
        send_on_commit(carry_out_fetch, run_id)

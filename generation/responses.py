"""Responses counted, cancelled and asked again. Workers change the others' states (runqueue.py)."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count

from generation.models import Response, Run
from generation.states import RESPONSE, ResponseState, RunState

OPEN = (ResponseState.PENDING, ResponseState.RUNNING)


@dataclass(frozen=True)
class RunProgress:
    """How many responses of a run are in which state."""

    waiting: int
    running: int
    done: int
    failed: int
    cancelled: int

    @property
    def total(self) -> int:
        return self.waiting + self.running + self.done + self.failed + self.cancelled


def progress(run: Run) -> RunProgress:
    return progress_of([run])[run.pk]


def progress_of(runs: Iterable[Run]) -> dict[int, RunProgress]:
    """The progress of several runs by their keys, in one query."""
    keys = [run.pk for run in runs]
    counts = dict.fromkeys(((key, state) for key in keys for state in ResponseState.values), 0)
    rows = Response.objects.filter(run__in=keys).order_by().values_list("run", "state")
    counts |= {(key, state): number for key, state, number in rows.annotate(Count("pk"))}
    return {
        key: RunProgress(
            waiting=counts[key, ResponseState.PENDING],
            running=counts[key, ResponseState.RUNNING],
            done=counts[key, ResponseState.DONE],
            failed=counts[key, ResponseState.FAILED],
            cancelled=counts[key, ResponseState.CANCELLED],
        )
        for key in keys
    }


# ---------------------------------------------------------------- cancelled, resumed


def cancel_waiting(run: Run) -> int:
    """Cancel the waiting responses of a cancelled run; replies to calls in progress are still stored."""
    rows = Response.objects.filter(run=run, run__state=RunState.CANCELLED)
    return RESPONSE.move(rows, "cancel", not_before=None)


def resume(run: Run) -> int:
    """Let the responses that failed or were cancelled wait again; returns how many."""
    rows = Response.objects.filter(run=run)
    return RESPONSE.move(rows, "resume", attempts=0, error="", not_before=None)


def ask_failed_again(run: Run) -> int:
    """Let the responses that failed wait again, and no others; returns how many."""
    rows = Response.objects.filter(run=run)
    return RESPONSE.move(rows, "ask_again", attempts=0, error="", not_before=None)

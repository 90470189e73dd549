"""Responses counted, with their scores and rejected replies; cancelled, or waiting again after they failed.

Workers change their states otherwise, also where a form is asked for again (asking/runqueue.py).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Count, Q

from generation.models import OptionScore, RejectedReply, Response, Run
from generation.prompts import controlled
from generation.states import RESPONSE, ResponseState, RunState

OPEN = (ResponseState.PENDING, ResponseState.RUNNING)
# Of responses with an asked form.
SKIPPED, ASKED_AGAIN = Q(askings__isnull=False, finding=controlled.SKIPPED), Q(askings__gt=1)


@dataclass(frozen=True)
class RunProgress:
    """How many responses of a run are in which state.

    Of all, `skipped` gave no answer of the asked form, and `asked_again` were asked for it more than once.
    """

    waiting: int
    running: int
    done: int
    failed: int
    cancelled: int
    skipped: int
    asked_again: int

    @property
    def total(self) -> int:
        return self.waiting + self.running + self.done + self.failed + self.cancelled


def progress(run: Run) -> RunProgress:
    return progress_of([run])[run.pk]


def progress_of(runs: Iterable[Run]) -> dict[int, RunProgress]:
    """The progress of several runs by their keys, in two queries."""
    keys = [run.pk for run in runs]
    counts = dict.fromkeys(((key, state) for key in keys for state in ResponseState.values), 0)
    whole = Response.objects.filter(run__in=keys).order_by()
    # All rows, not their keys: so PostgreSQL counts in the index by run and state.
    counts |= {
        (key, state): number
        for key, state, number in whole.values_list("run", "state").annotate(n=Count("*"))
    }
    with_form = whole.filter(askings__isnull=False).values_list("run")
    skipped, again = Count("pk", filter=SKIPPED), Count("pk", filter=ASKED_AGAIN)
    asked = {key: both for key, *both in with_form.annotate(s=skipped, a=again)}
    return {
        key: RunProgress(
            waiting=counts[key, ResponseState.PENDING],
            running=counts[key, ResponseState.RUNNING],
            done=counts[key, ResponseState.DONE],
            failed=counts[key, ResponseState.FAILED],
            cancelled=counts[key, ResponseState.CANCELLED],
            skipped=asked.get(key, (0, 0))[0],
            asked_again=asked.get(key, (0, 0))[1],
        )
        for key in keys
    }


def scores_of(keys: Collection[int]) -> dict[int, dict[str, float | None]]:
    """The probability of each option by response, for those of these keys whose options were scored."""
    found: dict[int, dict[str, float | None]] = defaultdict(dict)
    rows = OptionScore.objects.filter(response__in=keys).order_by("pk")
    for key, option, mass in rows.values_list("response", "option", "mass"):
        found[key][option] = mass
    return dict(found)


def rejected_of(keys: Collection[int]) -> dict[int, list[str]]:
    """The texts without the asked form by response, for those of these keys that have some."""
    texts: dict[int, list[str]] = defaultdict(list)
    rows = RejectedReply.objects.filter(response__in=keys).order_by("response", "n")
    for key, text in rows.values_list("response", "text"):
        texts[key].append(text)
    return dict(texts)


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

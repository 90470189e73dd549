"""The responses of runs as rows that wait for a service: claimed, stored, set back and swept."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q
from django.db.models.functions import Now

from generation import costs, runs
from generation.models import (
    Attempt,
    FirstReply,
    LanguageModel,
    OptionScore,
    RejectedReply,
    Response,
    Run,
)
from generation.prompts.controlled import SKIPPED, Wanted
from generation.queues import DUE, Call, Line, Queue, Settled, fields_of, set_back, sweep
from generation.states import RESPONSE, ResponseState, RunState
from leases import bulk, claim, clock

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class RunQueue(Queue):
    """The responses that wait to be asked: of one run, or of all that are running."""

    run: Run | None = None

    rows = Response
    running = ResponseState.RUNNING
    service_of = "model__service"
    advice = "Resume the run to ask again."

    def lines(self, service: str | None = None) -> list[Line]:
        due = Response.objects.filter(
            DUE, run=OuterRef("run"), model=OuterRef("languagemodel"), state=ResponseState.PENDING
        )
        asked = Run.models_asked.through._default_manager.filter(
            Q(Exists(due), run__state=RunState.RUNNING)
            | Q(Exists(due.filter(is_trial=True)), run__state=RunState.TRYING),
            Q(run=self.run) if self.run else Q(),
        )
        if service is not None:
            asked = asked.filter(languagemodel__service=service)
        columns = ("languagemodel__service", "run", "languagemodel", "run__cost_cap")
        rows = asked.order_by("run", "languagemodel").values_list(*columns)
        return [
            Line(self, name, run, (run, model))
            for name, run, model, cap in rows
            if cap is None or not _waits_for_room(run, model)
        ]

    def claim(self, line: Line, holder: str, seconds: float, most: int) -> list[Call]:
        run, model = line.key
        # Read each time: its prices may have changed.
        asked = LanguageModel.objects.get(pk=model)
        # Those that were asked before come last: whatever stopped their worker does not stop the others.
        started, tried = (
            Run.objects.filter(state=RunState.RUNNING),
            Run.objects.filter(state=RunState.TRYING),
        )
        rows = Response.objects.filter(
            DUE, Q(run__in=started) | Q(is_trial=True, run__in=tried), run=run, model=model
        ).order_by("attempts", "order")
        with transaction.atomic():
            most, reserve = (most, 0.0) if costs.is_free(asked) else self._room(run, asked, most)
            taken = claim.claim_many(
                rows,
                RESPONSE,
                "start",
                most=most,
                seconds=seconds,
                holder=holder,
                columns=(
                    "attempts",
                    "cost",
                    "rendered",
                    "follow_up",
                    "wanted",
                    "askings",
                    "scored",
                ),
                **({"cost": F("cost") + reserve} if reserve else {}),
            )
            _spend({run: reserve * len(taken)})
        two_turns = [pk for pk, _, _, _, follow_up, *_ in taken if follow_up is not None]
        first = _first_replies(two_turns) if two_turns else {}
        return [
            Call(
                line,
                pk,
                attempts,
                asked,
                cost=cost,
                reserved=reserve,
                scored=tuple(scored or ()),
                **_turn(text, follow_up, first.get(pk)),
                wanted=Wanted(**wanted) if wanted else None,
                asking=askings or 0,
            )
            for pk, attempts, cost, text, follow_up, wanted, askings, scored in taken
        ]

    def _room(self, key: int, model: LanguageModel, most: int) -> tuple[int, float]:
        """(calls that may be claimed, what each may cost) under the cap, which is held until they are.

        A run that does not go on without this model is paused where its next call has no room.
        """
        run = Run.objects.select_for_update(of=("self",)).get(pk=key)
        if run.cost_cap is None:
            return most, 0.0
        reserve = runs.most_of_call(run, model)
        room = costs.calls_within(run.cost_cap - run.cost, reserve)
        if room < 1 and not _goes_on_without(model, run):
            runs.pause_by_worker(
                key,
                f"The cap on its cost is reached: {run.cost:.4f} of {run.cost_cap:.4f} is spent, and the next call may "
                f"cost {reserve:.4f}. Raise the cap to go on.",
            )
        return min(most, max(room, 0)), reserve

    @transaction.atomic
    def settle(self, holder: str, settled: Sequence[Settled]) -> None:
        present = clock.now()

        def answered(one: Settled) -> dict[str, Any]:
            return {**_answered(one, present), **paid(one)}

        def back(one: Settled) -> dict[str, Any]:
            reply = one.fault.raw if one.fault else None
            return {**set_back(one, present), "request": one.request, "reply": reply, **paid(one)}

        def unasked(one: Settled) -> dict[str, Any]:
            return {**set_back(one, present), **paid(one)}

        def going_on(one: Settled) -> dict[str, Any]:
            return {"error": "", "not_before": None, "attempts": 0, **_asked(one), **paid(one)}

        def paid(one: Settled) -> dict[str, Any]:
            return {"cost": one.call.cost + spent[one.call.pk]}

        spent = {one.call.pk: costs.of_call(one) for one in settled}
        settled = [replace(one, verb=_verb(one)) for one in settled]
        kept: set[int] = set()

        def settle_as(verb: str, columns: Callable[[Settled], dict[str, Any]]) -> None:
            rows = fields_of(settled, verb, columns)
            kept.update(claim.settle_each(Response, RESPONSE, verb, rows, holder=holder))

        settle_as("finish", answered)
        settle_as("skip", answered)
        settle_as("go_on", going_on)
        settle_as("repeat", going_on)
        settle_as("retry", back)
        settle_as("fail", back)
        settle_as("release", unasked)
        if lost := {one.call.pk for one in settled} - kept:
            log.warning("leases_lost", responses=sorted(lost))
        mine = [one for one in settled if one.call.pk in kept]
        _keep_replies(mine, present)
        bulk.insert([row for one in mine if one.verb == "finish" for row in _scores(one)])
        _log(mine, present)
        more: dict[int, float] = defaultdict(float)
        for one in mine:
            more[one.call.line.key[0]] += spent[one.call.pk] - one.call.reserved
        _spend(more)

    def calls(self, key: int, status: int) -> int:
        return Attempt.objects.filter(response=key, status=status).count()

    def pause(self, line: Line, reason: str) -> None:
        runs.pause_by_worker(line.key[0], reason)

    def stopped(self, keys: Collection[int]) -> set[int]:
        rows = Response.objects.filter(pk__in=keys).exclude(
            run__state__in=(RunState.RUNNING, RunState.TRYING)
        )
        return set(rows.order_by().values_list("pk", flat=True))

    def finish(self, groups: Collection[Any]) -> None:
        runs.finish(Run.everything.filter(pk__in=groups))

    def sweep(self) -> int:
        running = Response.objects.filter(state=ResponseState.RUNNING, lease_until__lt=Now())
        taken_back = sweep(running, RESPONSE, self.advice)
        runs.cancel_late()
        runs.finish(Run.everything.all())
        return taken_back


def _first_replies(keys: Sequence[int]) -> dict[int, str]:
    rows = FirstReply.objects.filter(response__in=keys)
    return dict(rows.values_list("response", "text"))


def _turn(rendered: str, follow_up: list[str] | None, reply: str | None) -> dict[str, Any]:
    """What is sent now: the first text, or after the first reply the second."""
    if follow_up is None or reply is None:
        return {"text": rendered, "goes_on": follow_up is not None}
    return {"text": reply.join(follow_up), "before": (rendered, reply)}


def _verb(one: Settled) -> str:
    """What becomes of a call's response: an answer that was declined or withheld is the finding, in each turn."""
    call = one.call
    if one.reply is None or one.reply.finding:
        return one.verb
    if call.goes_on:
        return "go_on"
    return call.wanted.verb(one.reply.text, call.asking) if call.wanted else one.verb


def _keep_replies(settled: Sequence[Settled], present: datetime) -> None:
    """Store the replies that are not a response: those of first turns, and those off the asked form."""
    first, off = [], []
    for one in settled:
        if one.verb == "go_on":
            first.append(FirstReply(**_kept(one, present)))
        elif one.verb in ("repeat", "skip"):
            off.append(RejectedReply(n=one.call.asking + 1, **_kept(one, present)))
    bulk.insert(first)
    bulk.insert(off)


def _kept(one: Settled, present: datetime) -> dict[str, Any]:
    """The columns of a reply that is kept apart from its response."""
    assert one.reply is not None
    return {
        "response_id": one.call.pk,
        "request": dict(one.reply.request),
        "reply": one.reply.raw,
        "answered_at": present,
        **one.reply.columns,
    }


def _scores(one: Settled) -> list[OptionScore]:
    scores = one.reply.scores if one.reply else {}
    return [
        OptionScore(response_id=one.call.pk, option=option, mass=mass)
        for option, mass in scores.items()
    ]


def _waits_for_room(run_key: int, model_key: int) -> bool:
    """Whether the model's next call has no room under the cap, and the run goes on without it."""
    run, model = Run.objects.get(pk=run_key), LanguageModel.objects.get(pk=model_key)
    return not _has_room(model, run) and _goes_on_without(model, run)


def _has_room(model: LanguageModel, run: Run) -> bool:
    if run.cost_cap is None or costs.is_free(model):
        return True
    return costs.calls_within(run.cost_cap - run.cost, runs.most_of_call(run, model)) >= 1


def _goes_on_without(model: LanguageModel, run: Run) -> bool:
    """Whether calls in flight may leave room, or another model has room for the responses that wait for it."""
    if runs.has_calls_in_flight(run.pk):
        return True
    waiting = Response.objects.filter(
        run=run, model=OuterRef("pk"), state=ResponseState.PENDING
    ).order_by()
    if run.state == RunState.TRYING:
        waiting = waiting.filter(is_trial=True)
    others = run.models_asked.exclude(pk=model.pk).filter(Exists(waiting))
    return any(_has_room(other, run) for other in others)


def _spend(more: Mapping[int, float]) -> None:
    """Add to the costs of runs, in an order in which no two workers wait for each other."""
    for run in sorted(run for run, cost in more.items() if cost):
        Run.objects.filter(pk=run).update(cost=F("cost") + more[run])


def _answered(one: Settled, present: datetime) -> dict[str, Any]:
    assert one.reply is not None
    wanted, asking = one.call.wanted, one.call.asking
    # What is of the last reply alone is in its row.
    of_reply = dict.fromkeys(("text", "reasoning", "finish_reason"), "")
    skipped = {**of_reply, "finding": SKIPPED, "error": wanted.reason(asking)} if wanted else {}
    return {
        "error": "",
        "finding": one.reply.finding,
        **one.reply.columns,
        **_asked(one),
        **(skipped if one.verb == "skip" else {}),
        "request": dict(one.reply.request),
        "reply": one.reply.raw,
        "answered_at": present,
        "not_before": None,
    }


def _asked(one: Settled) -> dict[str, Any]:
    """How often a reply was looked at for its form: None where none is asked, or another turn comes first."""
    is_looked_at = one.call.wanted and not one.call.goes_on
    return {"askings": one.call.asking + 1 if is_looked_at else None}


def _log(settled: Sequence[Settled], present: datetime) -> None:
    """A row for each call; those that were released unasked made none."""
    made = [one for one in settled if one.reply or one.fault]
    keys = [one.call.pk for one in made]
    rows = Attempt.objects.filter(response__in=keys).order_by().values_list("response")
    # The UPDATE before holds the responses, so that no two calls get the same number.
    last = dict(rows.annotate(Max("n")))
    attempts = []
    for one in made:
        call = one.reply or one.fault
        assert call is not None
        attempts.append(
            Attempt(
                response_id=one.call.pk,
                n=last.get(one.call.pk, 0) + 1,
                started_at=present - timedelta(milliseconds=call.latency_ms or 0),
                latency_ms=call.latency_ms,
                status=call.status,
                error=one.fault.sentence if one.fault else "",
            )
        )
    bulk.insert(attempts)

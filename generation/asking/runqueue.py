"""The responses of runs as rows that wait for a service: claimed, stored, set back and swept."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q
from django.db.models.functions import Now

from generation import caps, costs, prompt_versions, runs
from generation.call_queues import (
    DUE,
    Call,
    CallQueue,
    QueueLine,
    Settled,
    fields_of,
    set_back,
    sweep,
)
from generation.inference import markup
from generation.models import (
    Attempt,
    FirstReply,
    LanguageModel,
    OptionScore,
    RejectedReply,
    Response,
    Run,
    shown_sha256,
)
from generation.prompts.answers import answer_of
from generation.prompts.controlled import SKIPPED, WantedForm
from generation.prompts.prompting import Prompt
from generation.states import RESPONSE, ResponseState, RunState
from leases import bulk, claim, clock

log = structlog.get_logger(__name__)

CLAIMED = ("attempts", "cost", "prompt", "rendered", "follow_up", "wanted", "askings", "scored")
HELD_BEFORE = (
    "The first reply may have a model's markup or reasoning in it, so no second text was sent with it. Choose under "
    "Markup in the list of models how it is read, and then ask again what failed."
)
# What a response keeps of a reply that is checked.
ANSWER = ("text", "reasoning", "finish_reason")


@dataclass(frozen=True)
class RunQueue(CallQueue):
    """The responses that wait to be asked: of one run, or of all that are running."""

    run: Run | None = None

    rows = Response
    running = ResponseState.RUNNING
    service_of = "model__service"
    advice = "Resume the run to ask again."

    def lines(self, service: str | None = None) -> list[QueueLine]:
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
            QueueLine(self, name, run, (run, model))
            for name, run, model, cap in rows
            if cap is None or not caps.waits_for_room(run, model)
        ]

    def claim(self, line: QueueLine, holder: str, seconds: float, most: int) -> list[Call]:
        run, model = line.key
        # Read each time: its prices may have changed.
        asked = LanguageModel.objects.get(pk=model)
        started = Run.objects.filter(state=RunState.RUNNING)
        tried = Run.objects.filter(state=RunState.TRYING)
        # Those that were asked before come last: whatever stopped their worker does not stop the others.
        rows = Response.objects.filter(
            DUE, Q(run__in=started) | Q(is_trial=True, run__in=tried), run=run, model=model
        ).order_by("attempts", "order")
        with transaction.atomic():
            most, reserve = (most, 0.0) if costs.is_free(asked) else self._room(run, asked, most)
            reserved: dict[str, Any] = {"cost": F("cost") + reserve} if reserve else {}
            taken = claim.claim_many(
                rows,
                RESPONSE,
                "start",
                most=most,
                seconds=seconds,
                holder=holder,
                columns=CLAIMED,
                **reserved,
            )
            _spend({run: reserve * len(taken)})
        two_turns = {pk: name for pk, _, _, name, _, pieces, *_ in taken if pieces is not None}
        first = _first_replies(two_turns) if two_turns else {}
        prompts = prompt_versions.known({*two_turns.values()}) if two_turns else {}
        return [
            Call(
                line,
                pk,
                attempts,
                asked,
                cost=cost,
                reserved=reserve,
                scored=tuple(scored or ()),
                asking=askings or 0,
                **_turn(text, pieces, first.get(pk), prompts.get(name), wanted),
            )
            for pk, attempts, cost, name, text, pieces, wanted, askings, scored in taken
        ]

    def _room(self, key: int, model: LanguageModel, most: int) -> tuple[int, float]:
        """(calls that may be claimed, what each may cost) under the cap, which is held until they are.

        A run that does not go on without this model is paused where its next call has no room.
        """
        run = Run.objects.select_for_update(of=("self",)).get(pk=key)
        if run.cost_cap is None:
            return most, 0.0
        reserve = caps.most_of_call(run, model)
        room = costs.calls_within(run.cost_cap - run.cost, reserve)
        if room < 1 and not caps.goes_on_without(model, run):
            runs.pause_by_worker(
                key,
                f"The cap on its cost is reached: {run.cost:.4f} of {run.cost_cap:.4f} is spent, and the next call may "
                f"cost {reserve:.4f}. Raise the cap to go on.",
            )
        return min(most, max(room, 0)), reserve

    @transaction.atomic
    def settle(self, holder: str, settled: Sequence[Settled]) -> None:
        present = clock.now()
        spent = {row.call.pk: costs.of_call(row) for row in settled}
        settled = [_decided(row) for row in settled]

        def columns(row: Settled) -> dict[str, Any]:
            return {**_columns(row, present), "cost": row.call.cost + spent[row.call.pk]}

        kept: set[int] = set()

        def settle_as(verb: str) -> None:
            rows = fields_of(settled, verb, columns)
            kept.update(claim.settle_each(Response, RESPONSE, verb, rows, holder=holder))

        settle_as("finish")
        settle_as("skip")
        settle_as("go_on")
        settle_as("repeat")
        settle_as("retry")
        settle_as("fail")
        settle_as("release")
        if lost := {row.call.pk for row in settled} - kept:
            log.warning("leases_lost", responses=sorted(lost))
        mine = [row for row in settled if row.call.pk in kept]
        _keep_replies(mine, present)
        finished = (row for row in mine if row.verb == "finish")
        bulk.insert([score for row in finished for score in _scores(row)])
        _log(mine, present)
        more: dict[int, float] = defaultdict(float)
        for row in mine:
            more[row.call.line.key[0]] += spent[row.call.pk] - row.call.reserved
        _spend(more)

    def calls(self, key: int, status: int) -> int:
        return Attempt.objects.filter(response=key, status=status).count()

    def pause(self, line: QueueLine, reason: str) -> None:
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


def _first_replies(keys: Collection[int]) -> dict[int, dict[str, Any]]:
    """The ANSWER of each first reply, by response."""
    rows = FirstReply.objects.filter(response__in=keys).values("response", *ANSWER)
    return {row.pop("response"): row for row in rows}


def _turn(
    rendered: str,
    pieces: list[str] | None,
    first: dict[str, Any] | None,
    prompt: Prompt | None,
    wanted: dict[str, Any] | None,
) -> dict[str, Any]:
    """What is sent now, the first text or after the first reply the second, and the form of its reply.

    That is of the last reply, or of the one that is checked.
    """
    is_check = prompt is not None and bool(prompt.check)
    form = {"wanted": WantedForm(**wanted)} if wanted else {}
    if pieces is None:
        return {"text": rendered, **form}
    if first is None:
        follows = {"reading": prompt.reading} if prompt and is_check else {"goes_on": True}
        return {"text": rendered, **follows, **form}
    reply = first["text"]
    kept = {"checked": first} if is_check else form
    return {"text": reply.join(pieces), "before": (rendered, reply), **kept}


def _decided(row: Settled) -> Settled:
    """With what becomes of its response; it fails where another text would be sent with what may be markup."""
    verb = _verb(row)
    if verb == "go_on" and row.reply and markup.is_held(row.reply.text, row.call.model.able.marks):
        return replace(row, verb="fail", error=HELD_BEFORE)
    return replace(row, verb=verb)


def _verb(row: Settled) -> str:
    """What becomes of a call's response: an answer that was declined or withheld is the finding, in each turn."""
    call = row.call
    if row.reply is None or row.reply.finding:
        return row.verb
    if call.goes_on:
        return "go_on"
    verb = call.wanted.verb(row.reply.text, call.asking) if call.wanted else row.verb
    if verb == "finish" and call.reading is not None:
        answer = answer_of(row.reply.text, call.reading)
        return verb if answer.abstained or answer.unread else "go_on"
    return verb


def _keep_replies(settled: Sequence[Settled], present: datetime) -> None:
    """Store the replies that are not a response: those of first turns, and those off the asked form."""
    first, off = [], []
    for row in settled:
        if row.verb == "go_on":
            first.append(FirstReply(**_kept(row, present)))
        elif row.verb in ("repeat", "skip"):
            off.append(RejectedReply(n=row.call.asking + 1, **_kept(row, present)))
    bulk.insert(first)
    bulk.insert(off)


def _kept(row: Settled, present: datetime) -> dict[str, Any]:
    """The columns of a reply that is kept apart from its response."""
    assert row.reply is not None
    return {
        "response_id": row.call.pk,
        "request": dict(row.reply.request),
        "reply": row.reply.raw,
        "answered_at": present,
        **row.reply.columns,
    }


def _scores(row: Settled) -> list[OptionScore]:
    scores = row.reply.scores if row.reply else {}
    return [
        OptionScore(response_id=row.call.pk, option=option, mass=mass)
        for option, mass in scores.items()
    ]


def _spend(more: Mapping[int, float]) -> None:
    """Add to the costs of runs, in an order in which no two workers wait for each other."""
    for run in sorted(run for run, cost in more.items() if cost):
        Run.objects.filter(pk=run).update(cost=F("cost") + more[run])


def _columns(row: Settled, present: datetime) -> dict[str, Any]:
    """What is stored of a call in its response, but for the cost."""
    if row.verb in ("finish", "skip"):
        return _answered(row, present)
    if row.verb in ("go_on", "repeat"):
        return {"error": "", "not_before": None, "attempts": 0, **_asked(row)}
    if row.verb == "release":
        return set_back(row, present)
    kept = row.fault or row.reply
    reply = kept.raw if kept else None
    return {**set_back(row, present), "request": row.request, "reply": reply}


def _answered(row: Settled, present: datetime) -> dict[str, Any]:
    assert row.reply is not None
    wanted, asking = row.call.wanted, row.call.asking
    # These of the last reply are in its RejectedReply.
    of_reply = dict.fromkeys(("text", "reasoning", "finish_reason"), "")
    skipped = {**of_reply, "finding": SKIPPED, "error": wanted.reason(asking)} if wanted else {}
    checked = row.call.checked
    said = [row.reply.text, *([checked["text"]] if checked else [])]
    held = any(markup.is_held(text, row.call.model.able.marks) for text in said)
    columns = {
        "held": row.verb != "skip" and held,
        "error": "",
        "finding": row.reply.finding,
        **row.reply.columns,
        **_asked(row),
        **(skipped if row.verb == "skip" else checked or {}),
        "check_reply": row.reply.text if checked else None,
        "request": dict(row.reply.request),
        "reply": row.reply.raw,
        "answered_at": present,
        "not_before": None,
    }
    if row.reply.finding:  # which may be that of a check: it goes by its own word
        columns["finish_reason"] = row.reply.finish_reason
    return {**columns, "text_sha256": shown_sha256(columns["text"], columns["finding"])}


def _asked(row: Settled) -> dict[str, Any]:
    """How often a reply was looked at for its form: None where none is asked, or another turn comes first."""
    if row.call.checked:
        return {"askings": row.call.asking or None}
    is_looked_at = row.call.wanted and not row.call.goes_on
    return {"askings": row.call.asking + 1 if is_looked_at else None}


def _log(settled: Sequence[Settled], present: datetime) -> None:
    """A row for each call; those that were released unasked made none."""
    made = [row for row in settled if row.reply or row.fault]
    keys = [row.call.pk for row in made]
    rows = Attempt.objects.filter(response__in=keys).order_by().values_list("response")
    # The UPDATE before holds the responses, so that no two calls get the same number.
    last = dict(rows.annotate(Max("n")))
    attempts = []
    for row in made:
        call = row.reply or row.fault
        assert call is not None
        attempts.append(
            Attempt(
                response_id=row.call.pk,
                n=last.get(row.call.pk, 0) + 1,
                started_at=present - timedelta(milliseconds=call.latency_ms or 0),
                latency_ms=call.latency_ms,
                status=call.status,
                error=row.fault.sentence if row.fault else "",
            )
        )
    bulk.insert(attempts)

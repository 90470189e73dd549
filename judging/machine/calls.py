"""Machine verdicts as rows that wait for a service: claimed, asked for, read from the reply and stored."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q
from django.db.models.functions import Now

from generation import prompt_versions
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
from generation.models import LONG, Response
from generation.prompts.prompting import Prompt
from judging.machine import control
from judging.machine.prompt import Read, Spellings, render, settled_by, spellings
from judging.machine.scope import COUNTS, by_version
from judging.models import Judge, JudgeCall, MachineVerdict, Rubric
from judging.presenting import gold_shown
from judging.rules import rubric
from judging.states import MACHINE, MachineState
from leases import bulk, claim, clock

log = structlog.get_logger(__name__)

SEEN = (
    "judge__model",
    "judge__prompt",
    "rubric",
    "item__response__instance__contradiction",
)
UNSEEN = [f"item__response__{name}" for name in LONG]


@dataclass(frozen=True)
class JudgeQueue(CallQueue):
    """The machine verdicts that wait: of one judge, or of all."""

    judge: Judge | None = None

    rows = MachineVerdict
    running = MachineState.RUNNING
    service_of = "judge__model__service"
    advice = "Resume the judge model to ask again."

    def lines(self, service: str | None = None) -> list[QueueLine]:
        due = MachineVerdict.objects.filter(DUE, judge=OuterRef("pk"), state=MachineState.WAITING)
        judges = Judge.objects.filter(
            Q(pk=self.judge.pk) if self.judge else Q(),
            Exists(due),
            model__isnull=False,
            is_cancelled=False,
        )
        if service is not None:
            judges = judges.filter(model__service=service)
        rows = judges.order_by("pk").values_list("model__service", "pk")
        return [QueueLine(self, name, judge, (judge,)) for name, judge in rows]

    def claim(self, line: QueueLine, holder: str, seconds: float, most: int) -> list[Call]:
        (judge,) = line.key
        waiting = MachineVerdict.objects.filter(
            DUE, judge=judge, judge__in=Judge.objects.filter(is_cancelled=False)
        ).order_by("attempts", "pk")
        taken = claim.claim_many(
            waiting,
            MACHINE,
            "start",
            most=most,
            seconds=seconds,
            holder=holder,
            columns=("attempts",),
        )
        read = MachineVerdict.objects.select_related(*SEEN).defer(*UNSEEN)
        rows = by_version(read).annotate(counts=COUNTS).in_bulk([pk for pk, _ in taken])
        prompts = prompt_versions.known({row.item.response.prompt for row in rows.values()})
        # Set back while a round by another version of the rubric was opened.
        outdated = {pk: {"attempts": n, "error": ""} for pk, n in taken if not rows[pk].counts}
        claim.settle_each(MachineVerdict, MACHINE, "drop", outdated, holder=holder)
        asked = [(pk, n) for pk, n in taken if pk not in outdated]
        return [_call(line, rows[pk], attempts, prompts) for pk, attempts in asked]

    @transaction.atomic
    def settle(self, holder: str, settled: Sequence[Settled]) -> None:
        present = clock.now()
        answered = [row for row in settled if row.reply]
        judged_by = _judged_by(row.call.pk for row in answered)
        read = {
            row.call.pk: settled_by(
                row.reply.text,
                *judged_by[row.call.pk],
                is_held=markup.is_held(row.reply.text, row.call.model.able.marks),
            )
            for row in answered
            if row.reply
        }

        def verdict(row: Settled) -> dict[str, Any]:
            values = read[row.call.pk][1]
            return {**values, "judged_at": present, "error": "", "not_before": None}

        def back(row: Settled) -> dict[str, Any]:
            return set_back(row, present)

        judged = {row.call.pk: verdict(row) for row in answered if read[row.call.pk][0] == "judge"}
        kept = claim.settle_each(MachineVerdict, MACHINE, "judge", judged, holder=holder)
        left = {row.call.pk: verdict(row) for row in answered if read[row.call.pk][0] == "leave"}
        kept |= claim.settle_each(MachineVerdict, MACHINE, "leave", left, holder=holder)
        again = fields_of(settled, "retry", back)
        kept |= claim.settle_each(MachineVerdict, MACHINE, "retry", again, holder=holder)
        failed = fields_of(settled, "fail", back)
        kept |= claim.settle_each(MachineVerdict, MACHINE, "fail", failed, holder=holder)
        released = fields_of(settled, "release", back)
        kept |= claim.settle_each(MachineVerdict, MACHINE, "release", released, holder=holder)
        if lost := {row.call.pk for row in settled} - kept:
            log.warning("leases_lost", machine_verdicts=sorted(lost))
        _log([row for row in settled if row.call.pk in kept], present, read)

    def calls(self, key: int, status: int) -> int:
        return JudgeCall.objects.filter(machine_verdict=key, status=status).count()

    def pause(self, line: QueueLine, reason: str) -> None:
        control.cancel(Judge.objects.get(pk=line.key[0]), reason)

    def stopped(self, keys: Collection[int]) -> set[int]:
        rows = MachineVerdict.objects.filter(pk__in=keys, judge__is_cancelled=True)
        return set(rows.order_by().values_list("pk", flat=True))

    def sweep(self) -> int:
        running = MachineVerdict.objects.filter(state=MachineState.RUNNING, lease_until__lt=Now())
        taken_back = sweep(running, MACHINE, self.advice)
        control.cancel_late()
        return taken_back


def _call(
    line: QueueLine, row: MachineVerdict, attempts: int, prompts: Mapping[str, Prompt]
) -> Call:
    """What the judge model is sent: what people see of the response, and no model's name."""
    assert row.judge.model is not None
    assert row.judge.prompt is not None
    response = row.item.response
    text = render(
        row.judge.prompt.template,
        question=response.instance.question,
        gold=_gold(row, prompts),
        response=_said(response) or response.get_finding_display(),
    )
    return Call(line, row.pk, attempts, row.judge.model, text)


def _said(response: Response) -> str:
    """Its text, with its check and the reply to that below."""
    if not response.check_sent:
        return response.text
    return f"{response.text}\n\nIt was then asked: {response.check_sent}\nIt replied: {response.check_reply}"


def _gold(row: MachineVerdict, prompts: Mapping[str, Prompt]) -> list[str]:
    """The gold answers that people are shown; where the rubric has none for this, those kept with the response."""
    response = row.item.response
    try:
        criteria = rubric.parse(row.rubric.body).prompts[response.prompt]
        shown = gold_shown(response, criteria, prompts.get(response.prompt))
        return [gold.text for gold in shown]
    except (rubric.RubricError, KeyError):
        # An imported study may have an older rubric, or a question without one of its answers.
        return [str(gold) for gold in response.gold]


def _judged_by(keys: Iterable[int]) -> dict[int, tuple[str, Spellings]]:
    """The response that each of these machine verdicts is about, and how its rubric's verdicts may be spelled."""
    rows = MachineVerdict.objects.filter(pk__in=list(keys)).order_by()
    read = rows.values_list("pk", "item__response__text", "rubric")
    known = {
        row.pk: spellings(row.scale) for row in Rubric.objects.filter(pk__in=rows.values("rubric"))
    }
    return {pk: (text, known[rubric_id]) for pk, text, rubric_id in read}


def _log(settled: Sequence[Settled], present: datetime, read: Mapping[int, Read]) -> None:
    """A row for each call; those that were released unasked made none."""
    made = [row for row in settled if row.reply or row.fault]
    keys = [row.call.pk for row in made]
    rows = JudgeCall.objects.filter(machine_verdict__in=keys).order_by()
    # The UPDATE before holds the verdicts, so that no two calls get the same number.
    last = dict(rows.values_list("machine_verdict").annotate(Max("n")))
    calls = []
    for row in made:
        columns: dict[str, Any] = {"error": row.fault.sentence} if row.fault else {}
        if row.reply:
            columns |= read[row.call.pk][2]
            columns |= {
                "request": dict(row.reply.request),
                "reasoning": row.reply.reasoning,
                "finish_reason": row.reply.finish_reason,
            }
        call = row.reply or row.fault
        assert call is not None
        columns |= {"status": call.status, "latency_ms": call.latency_ms, "at": present}
        n = last.get(row.call.pk, 0) + 1
        calls.append(JudgeCall(machine_verdict_id=row.call.pk, n=n, **columns))
    bulk.insert(calls)

"""The queue of machine verdicts: claimed, asked for, read from the reply and stored, or set back after a fault."""

from dataclasses import dataclass

import structlog
from django.db import transaction
from django.db.models import Count, Max, QuerySet
from django.db.models.functions import Now

from generation import chat, dispatch
from generation.client import ServiceEntry
from generation.faults import ServiceFault
from generation.models import LanguageModel
from judging.machine.prompt import find_prompt, render, settled_by
from judging.models import Judge, JudgeCall, MachineVerdict
from judging.presenting import gold_shown
from judging.rules import rubric
from judging.states import MACHINE, MachineState
from leases import claim

log = structlog.get_logger(__name__)

RESUME = "Resume the judge model to ask again."


@dataclass(frozen=True)
class Queue:
    """The machine verdicts that wait: of one judge, or of all."""

    judge: Judge | None = None

    def waiting(self) -> QuerySet[MachineVerdict]:
        """Those that may be asked for now."""
        rows = MachineVerdict.objects.filter(state=MachineState.WAITING)
        return dispatch.due(rows.filter(judge=self.judge) if self.judge else rows)

    def claim(self, service: ServiceEntry, holder: str) -> MachineVerdict | None:
        """Hold the next one of this service for as long as a call may take; None when none waits."""
        rows = self.waiting().filter(judge__model__service=service.name)
        ordered = rows.order_by("judge_id", "item__response__instance_id", "pk")
        taken = claim.claim(
            ordered.only("pk", "state"), MACHINE, "start", seconds=service.lease, holder=holder
        )
        related = (
            "judge__model",
            "judge__study__rubric",
            "item__response__instance__contradiction",
        )
        return MachineVerdict.objects.select_related(*related).get(pk=taken.pk) if taken else None

    def request(self, row: MachineVerdict) -> tuple[LanguageModel, str]:
        """The judge model, and what it is sent: what people see of the response, and no model's name."""
        assert row.judge.model is not None
        response = row.item.response
        text = render(
            find_prompt(),
            question=response.instance.question,
            gold=_gold(row),
            response=response.text,
        )
        return row.judge.model, text

    @transaction.atomic
    def store(self, row: MachineVerdict, holder: str, reply: chat.Reply) -> bool:
        """Keep the reply and the verdict in it; False when the lease was lost meanwhile."""
        verb, values, call = settled_by(reply.text)
        fields = {**values, "judged_at": Now(), "error": "", "not_before": None}
        kept = claim.settle(row, MACHINE, verb, holder=holder, **fields)
        return _logged(
            kept,
            row,
            **call,
            request=dict(reply.request),
            finish_reason=reply.finish_reason,
            latency_ms=reply.latency_ms,
            status=reply.status,
        )

    @transaction.atomic
    def set_back(self, row: MachineVerdict, holder: str, fault: ServiceFault) -> bool:
        """Let it wait and be asked for again, or fail it with the reason; False when the lease was lost."""
        verb, fields = dispatch.after_fault(fault, row.attempts, RESUME)
        kept = claim.settle(row, MACHINE, verb, holder=holder, **fields)
        return _logged(
            kept, row, error=fault.sentence, status=fault.status, latency_ms=fault.latency_ms
        )


def judge_next(service_name: str, judge: Judge | None = None) -> bool:
    """Ask the service for its next machine verdict and store the reply; False when there was nothing to do."""
    return dispatch.serve_one(service_name, Queue(judge)) is not None


def waiting_services() -> dict[str, int]:
    """How many machine verdicts may be asked for now, by service."""
    rows = Queue().waiting().order_by().values_list("judge__model__service")
    return dict(rows.annotate(Count("pk")))


def sweep() -> int:
    """Take back what dead workers held; returns how many."""
    running = MachineVerdict.objects.filter(state=MachineState.RUNNING)
    return dispatch.sweep(running, MACHINE, RESUME)


def _gold(row: MachineVerdict) -> list[str]:
    """The gold answers that people are shown; where the rubric has none for this, those kept with the response."""
    response = row.item.response
    try:
        criteria = rubric.parse(row.judge.study.rubric.body).prompts[response.prompt]
        return [gold.text for gold in gold_shown(response, criteria)]
    except (rubric.RubricError, KeyError):
        # An imported study may have an older rubric, or a question without one of its answers.
        return [str(gold) for gold in response.gold]


def _logged(kept: bool, row: MachineVerdict, **call: object) -> bool:
    if not kept:
        log.warning("lease_lost", machine_verdict=row.pk)
        return False
    # The UPDATE before holds the row, so that no two calls get the same number.
    last = row.calls.aggregate(last=Max("n"))["last"] or 0
    JudgeCall.objects.create(machine_verdict=row, n=last + 1, **call)
    return True

"""Judge models: asked about a study's responses, or brought in with their replies from elsewhere.

The one module that changes the state of machine verdicts. They stand apart from people's slots: they are in no
first verdict, settle no response, and close nothing.
"""

from collections.abc import Collection
from dataclasses import dataclass

import structlog
from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from generation import asking, chat, client
from generation.client import ServiceEntry
from generation.faults import ServiceFault
from generation.models import LanguageModel
from generation.responses import MAX_ATTEMPTS, pause_after
from judging import judgeprompt, judgereply, rubric
from judging.models import Judge, JudgeCall, MachineVerdict, Study, StudyItem
from judging.shown import gold_shown
from judging.states import MACHINE, MachineState, StudyState
from leases import claim
from leases.clock import in_seconds
from leases.refusal import Conflict, NotFoundHere, Refusal

log = structlog.get_logger(__name__)

BATCH = 500
LOST = "The worker stopped while it asked."
AGAIN = "Resume it to ask again."


# ---------------------------------------------------------------- begun, cancelled, resumed


@transaction.atomic
def begin(study: Study, model: LanguageModel, prompts: Collection[str] = ()) -> Judge:
    """Let a model judge the study's responses to these prompts (none: to all); the rows wait for a worker.

    The same again adds nothing. Raises Refusal where the study is not yet open or the model cannot be asked.
    """
    Study.objects.select_for_update().get(pk=study.pk)
    if study.state == StudyState.DRAFT:
        raise Conflict("The study is still being set up. Open it first: that fixes its responses.")
    if not model.service:
        raise Refusal(f"{model} was imported with its responses; there is no service to ask.")
    if problem := client.problem(model.service):
        raise Refusal(problem)
    items = _items(study, prompts)
    prompt = judgeprompt.find()
    judge, _ = Judge.objects.get_or_create(
        study=study,
        model=model,
        judge_prompt_hash=prompt.sha256,
        defaults={"pseudonym": free_pseudonym(study, str(model))},
    )
    rows = [MachineVerdict(judge=judge, item=item) for item in items]
    MachineVerdict.objects.bulk_create(rows, batch_size=BATCH, ignore_conflicts=True)
    return judge


def _items(study: Study, prompts: Collection[str]) -> QuerySet[StudyItem]:
    items = study.items.order_by("position")
    known = set(items.order_by().values_list("response__prompt", flat=True).distinct())
    if unknown := set(prompts) - known:
        raise Refusal(f"The study has no response to {', '.join(sorted(unknown))}.")
    if not known:
        raise Refusal("The study has no responses to judge.")
    return items.filter(response__prompt__in=prompts) if prompts else items


def free_pseudonym(study: Study, name: str) -> str:
    """A name for a judge that no other judge of the study has; people's pseudonyms stay theirs."""
    taken = set(study.judges.values_list("pseudonym", flat=True))
    short = name.rsplit("/", 1)[-1][:28]
    number = 1
    while (found := f"{short} (model)" if number == 1 else f"{short} (model {number})") in taken:
        number += 1
    return found


def judges_of(study: Study) -> QuerySet[Judge]:
    """The study's judge models, and those that a file speaks for, by name."""
    given = MachineVerdict.objects.filter(judge=OuterRef("pk"))
    return study.judges.filter(Exists(given)).select_related("model").order_by("pseudonym")


def judge_named(study: Study, judge_id: int) -> Judge:
    found = judges_of(study).filter(pk=judge_id).first()
    if found is None:
        raise NotFoundHere("This study has no such judge model.")
    return found


def cancel(judge: Judge) -> int:
    """Ask nothing more for this judge; returns how many responses stay unjudged."""
    return MACHINE.move(MachineVerdict.objects.filter(judge=judge), "cancel", not_before=None)


def resume(judge: Judge) -> int:
    """Ask again what failed or was cancelled; returns how many."""
    if judge.model is None or not judge.model.service:
        raise Refusal("These verdicts came from a file; there is no service to ask again.")
    rows = MachineVerdict.objects.filter(judge=judge)
    again = MACHINE.move(rows, "resume", attempts=0, error="", not_before=None)
    if not again:
        raise Conflict("Every response has its reply; there is nothing to ask again.")
    return again


@dataclass(frozen=True)
class Progress:
    """How many of a judge model's responses are in which state."""

    waiting: int
    running: int
    judged: int
    unparsed: int
    failed: int
    cancelled: int

    @property
    def total(self) -> int:
        return sum(vars(self).values())

    @property
    def over(self) -> bool:
        return not self.waiting and not self.running

    @property
    def replied(self) -> int:
        return self.judged + self.unparsed


def progress(judge: Judge) -> Progress:
    counts = {str(state): Count("pk", filter=Q(state=state)) for state in MachineState}
    return Progress(**MachineVerdict.objects.filter(judge=judge).aggregate(**counts))


def reasons(judge: Judge) -> list[tuple[str, int]]:
    """Why responses wait after a fault or have failed, the most frequent first; at most ten."""
    rows = MachineVerdict.objects.filter(judge=judge).exclude(error="").order_by()
    return list(rows.values_list("error").annotate(n=Count("pk")).order_by("-n", "error")[:10])


# ---------------------------------------------------------------- asked


def waiting(judge: Judge | None = None) -> QuerySet[MachineVerdict]:
    """What may be asked now, of all judge models or of this one."""
    rows = MachineVerdict.objects.filter(state=MachineState.WAITING)
    rows = rows.filter(Q(not_before=None) | Q(not_before__lte=Now()))
    return rows.filter(judge=judge) if judge else rows


def waiting_services() -> dict[str, int]:
    """How many machine verdicts may be asked for now, by service."""
    found = waiting().order_by().values_list("judge__model__service").annotate(Count("pk"))
    return dict(found)


def judge_next(service_name: str, judge: Judge | None = None) -> bool:
    """Ask the service for its next machine verdict and store the reply as it comes; False: nothing to do."""
    return asking.serve_one(service_name, _Queue(judge)) is not None


@dataclass(frozen=True)
class _Queue:
    """The machine verdicts that wait: of one judge, or of all."""

    judge: Judge | None

    def claim(self, service: ServiceEntry, holder: str) -> MachineVerdict | None:
        rows = waiting(self.judge).filter(judge__model__service=service.name)
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
        assert row.judge.model is not None
        return row.judge.model, text_for(row)

    def store(self, row: MachineVerdict, holder: str, reply: chat.Reply) -> bool:
        return _store(row, holder, reply)

    def set_back(self, row: MachineVerdict, holder: str, fault: ServiceFault) -> bool:
        return _set_back(row, holder, fault)


def text_for(row: MachineVerdict) -> str:
    """What the judge model is sent about a response: what people see of it, and no model's name."""
    response = row.item.response
    return judgeprompt.render(
        judgeprompt.find(),
        question=response.instance.question,
        gold=_gold(row),
        response=response.text,
    )


def _gold(row: MachineVerdict) -> list[str]:
    """The gold answers that people are shown; where the rubric has none for this, those kept with the response."""
    response = row.item.response
    try:
        asked = rubric.parse(row.judge.study.rubric.body).prompts[response.prompt]
        return [gold.text for gold in gold_shown(response, asked)]
    except (rubric.RubricError, KeyError):
        # An imported study may have a rubric of another time, or a question without one of its answers.
        return [str(gold) for gold in response.gold]


def settled_by(reply: str) -> tuple[str, dict[str, str | None], dict[str, str]]:
    """(the move, the verdict's columns, the call's columns) that a reply comes to."""
    parsed = judgereply.parse(reply)
    verb = "judge" if parsed.verdict else "leave"
    call = {"reply": reply, "parsed": parsed.verdict, "spelling": parsed.spelling}
    return verb, {"verdict": parsed.verdict or None}, call


@transaction.atomic
def _store(row: MachineVerdict, holder: str, reply: chat.Reply) -> bool:
    verb, values, call = settled_by(reply.text)
    fields = {**values, "judged_at": Now(), "error": "", "not_before": None}
    if not claim.settle(row, MACHINE, verb, holder=holder, **fields):
        log.warning("lease_lost", machine_verdict=row.pk)
        return False
    _log(
        row,
        **call,
        request=dict(reply.request),
        finish_reason=reply.finish_reason,
        latency_ms=reply.latency_ms,
        status=reply.status,
    )
    return True


@transaction.atomic
def _set_back(row: MachineVerdict, holder: str, fault: ServiceFault) -> bool:
    """Let it wait and be asked again, or fail it with the reason."""
    again = fault.retryable and row.attempts < MAX_ATTEMPTS
    reason = fault.sentence
    if fault.retryable and not again:
        reason = f"{reason} Asked {row.attempts} times. {AGAIN}"
    pause = in_seconds(pause_after(row.attempts, fault.retry_after)) if again else None
    verb = "retry" if again else "fail"
    if not claim.settle(row, MACHINE, verb, holder=holder, error=reason, not_before=pause):
        log.warning("lease_lost", machine_verdict=row.pk)
        return False
    _log(row, error=fault.sentence, status=fault.status, latency_ms=fault.latency_ms)
    return True


def _log(row: MachineVerdict, **fields: object) -> None:
    # The UPDATE before holds the row, so that no two calls count to the same number.
    last = row.calls.aggregate(last=Max("n"))["last"] or 0
    JudgeCall.objects.create(machine_verdict=row, n=last + 1, **fields)


def sweep() -> int:
    """Take back what dead workers held: asked again, or failed where that has happened too often."""
    running = MachineVerdict.objects.filter(state=MachineState.RUNNING)
    spent = running.filter(attempts__gte=MAX_ATTEMPTS)
    lost = f"{LOST} That happened at the last of {MAX_ATTEMPTS} calls. {AGAIN}"
    failed = claim.sweep(spent, MACHINE, "fail", error=lost)
    return failed + claim.sweep(running, MACHINE, "expire", error=LOST)

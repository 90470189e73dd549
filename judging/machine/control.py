"""A study's judge models: started, cancelled, resumed, and how far they are.

Their verdicts are kept apart from people's slots: they are not among the first verdicts, give no response its final
verdict, and close nothing.
"""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import count

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from generation.models import LanguageModel
from generation.runs import check_askable
from judging.machine import judge_prompts
from judging.machine.prompt import not_asked_for
from judging.machine.scope import COUNTED, by_version, of_half, version
from judging.models import Judge, JudgePrompt, MachineVerdict, Study, StudyItem
from judging.rules.rubric import parse
from judging.states import MACHINE, MachineState, StudyState
from leases.planner import learn_sizes_on_commit
from leases.refusal import Conflict, Refusal
from leases.rows import first_of

BATCH = 500
MOST_PSEUDONYM = 36


@transaction.atomic
def begin(
    study: Study,
    model: LanguageModel,
    prompts: Collection[str] = (),
    half: str = "",
    asked_with: JudgePrompt | None = None,
) -> Judge:
    """Let a model judge the study's responses to these prompts on this half of its clusters, once a worker asks it.

    No prompts, or no half, means all. `asked_with` is the version of the judge prompt, None the newest. The same call
    again only adds what is judged by another version of the rubric since. Raises Conflict where the study is not yet
    open, Refusal where the model cannot be asked, or the judge prompt does not name the verdicts of the rubric.
    """
    Study.objects.select_for_update().get(pk=study.pk)
    if study.state == StudyState.DRAFT:
        raise Conflict("The study is still being set up. Open it first: that fixes its responses.")
    if not parse(study.judged_by.body).needs_gold:
        raise Refusal(
            "A judge model is sent the question, the gold answers and the response. The responses of this study are "
            "judged by passages, which it would not see."
        )
    check_askable(model)
    items = _items(study, prompts, half)
    asked_with = asked_with or judge_prompts.versions()[0]
    if missing := not_asked_for(asked_with.template, study.judged_by.scale):
        raise Refusal(
            f"This judge prompt does not ask for {', '.join(missing)}; write one that does."
        )
    pseudonym = free_pseudonym(study, str(model), asked_with.version)
    judge, is_new = Judge.objects.get_or_create(
        study=study, model=model, prompt=asked_with, defaults={"pseudonym": pseudonym}
    )
    if not is_new:
        Judge.objects.filter(pk=judge.pk).update(is_cancelled=False)
    asked = items.annotate(version=version()).values_list("pk", "version")
    rows = [MachineVerdict(judge=judge, item_id=pk, rubric_id=rubric) for pk, rubric in asked]
    MachineVerdict.objects.bulk_create(rows, batch_size=BATCH, ignore_conflicts=True)
    learn_sizes_on_commit("judging")
    return judge


def _items(study: Study, prompts: Collection[str], half: str) -> QuerySet[StudyItem]:
    items = study.items.order_by("position")
    known = set(items.order_by().values_list("response__prompt", flat=True).distinct())
    if unknown := set(prompts) - known:
        raise Refusal(f"The study has no response to {', '.join(sorted(unknown))}.")
    if not known:
        raise Refusal("The study has no responses to judge.")
    if half:
        items = of_half(items, study, half)
        if not items.exists():
            word = study.declaration.cluster_word
            raise Refusal(f"This half has no {word}: the study's responses are all about one.")
    items = items.filter(response__prompt__in=prompts) if prompts else items
    if not items.exists():
        word = study.declaration.cluster_word
        raise Refusal(f"This half has no response to these prompts. Choose others, or all {word}s.")
    return items


def _of_judge(judge: Judge) -> QuerySet[MachineVerdict]:
    return MachineVerdict.objects.filter(judge=judge)


def _counted(verdicts: QuerySet[MachineVerdict]) -> QuerySet[MachineVerdict, int]:
    """The keys of the verdicts that count, asked for or given."""
    return by_version(verdicts).filter(COUNTED).order_by().values_list("pk", flat=True)


def cancel_outdated(verdicts: QuerySet[MachineVerdict]) -> None:
    """Cancel those that wait by a version of the rubric that no longer counts: their replies would not be used."""
    others = verdicts.exclude(pk__in=_counted(verdicts))
    MACHINE.move(others, "cancel", not_before=None, error="")


def free_pseudonym(study: Study, name: str, version: int = 1) -> str:
    """A pseudonym for a judge model that no judge of the study has; it names a later version of the judge prompt."""
    taken = set(study.judges.values_list("pseudonym", flat=True))
    kind = "model" if version == 1 else f"model, prompt v{version}"
    for number in count(1):
        end = f" ({kind})" if number == 1 else f" ({kind} {number})"
        pseudonym = name.rsplit("/", 1)[-1][: MOST_PSEUDONYM - len(end)] + end
        if pseudonym not in taken:
            break
    return pseudonym


def judges_of(study: Study) -> QuerySet[Judge]:
    """The study's judge models, imported ones included, by pseudonym."""
    verdicts = MachineVerdict.objects.filter(judge=OuterRef("pk"))
    judges = study.judges.filter(Exists(verdicts)).select_related("model", "prompt")
    return judges.order_by("pseudonym")


def judge_named(study: Study, judge_id: int) -> Judge:
    rows = judges_of(study).filter(pk=judge_id)
    return first_of(rows, "This study does not have this judge model.")


@transaction.atomic
def cancel(judge: Judge, reason: str = "") -> int:
    """Send this judge no more requests, for the reason; returns how many responses stay unjudged.

    Replies to calls in progress are still stored.
    """
    Judge.objects.filter(pk=judge.pk).update(is_cancelled=True)
    return MACHINE.move(_of_judge(judge), "cancel", not_before=None, error=reason)


def cancel_late() -> None:
    """Cancel what was set back after its judge model was cancelled."""
    rows = MachineVerdict.objects.filter(judge__in=Judge.objects.filter(is_cancelled=True))
    MACHINE.move(rows, "cancel", not_before=None)


@transaction.atomic
def resume(judge: Judge) -> int:
    """Let what failed or was cancelled, and still counts, wait again; returns how many."""
    if judge.model is None or not judge.model.service:
        raise Refusal("These verdicts came from a file; there is no service to ask again.")
    rows = _of_judge(judge)
    rows = rows.filter(pk__in=_counted(rows))
    again = MACHINE.move(rows, "resume", attempts=0, error="", not_before=None)
    cancelled = Judge.objects.filter(pk=judge.pk, is_cancelled=True)
    if not (cancelled.update(is_cancelled=False) or again):
        raise Conflict("Every response has its reply; there is nothing to ask again.")
    return again


@dataclass(frozen=True)
class MachineProgress:
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


NONE_ASKED = MachineProgress(0, 0, 0, 0, 0, 0)


def progress(judge: Judge) -> MachineProgress:
    """The progress over its verdicts that count, asked for or given."""
    return progress_of(judge.study).get(judge.pk, NONE_ASKED)


def progress_of(study: Study) -> dict[int, MachineProgress]:
    """By the id of the judge model: its progress over the verdicts that count."""
    states = {str(state): Count("pk", filter=Q(state=state)) for state in MachineState}
    asked = by_version(MachineVerdict.objects.filter(judge__study=study)).filter(COUNTED)
    rows = asked.order_by().values_list("judge").annotate(**states)
    return {judge: MachineProgress(**dict(zip(states, n, strict=True))) for judge, *n in rows}


def outdated(study: Study) -> dict[int, int]:
    """By the id of the judge model: on how many responses it has only replies by versions that do not count.

    Where that version is asked for, or has replied, there is nothing more to ask.
    """
    replied = MachineVerdict.objects.filter(
        judge__study=study, state__in=[MachineState.JUDGED, MachineState.UNPARSED]
    )
    asked = MachineVerdict.objects.filter(
        judge=OuterRef("judge"), item=OuterRef("item"), rubric=OuterRef("version")
    )
    rows = by_version(replied).filter(~COUNTED).filter(~Exists(asked)).order_by()
    return dict(rows.values_list("judge").annotate(n=Count("item", distinct=True)))


def reasons(judge: Judge) -> list[tuple[str, int]]:
    """Why responses of this judge model wait after a fault or have failed; as reasons_of."""
    return reasons_of(judge.study).get(judge.pk, [])


def reasons_of(study: Study) -> dict[int, list[tuple[str, int]]]:
    """By the id of the judge model: why responses wait or have failed, the most frequent first; at most ten."""
    rows = MachineVerdict.objects.filter(judge__study=study).exclude(error="").order_by()
    counted = rows.values_list("judge", "error").annotate(n=Count("pk")).order_by("-n", "error")
    found: dict[int, list[tuple[str, int]]] = {}
    for judge, error, n in counted:
        found.setdefault(judge, []).append((error, n))
    return {judge: of_judge[:10] for judge, of_judge in found.items()}

"""Further rounds of a closed study: some responses judged again, or a model added; and finishing a closed round.

A round has its own rubric version, slots and resolutions. A response is in the latest round that judges it. Which
verdicts are final is declared before. Those of a round that counts replace earlier ones on its responses, even where it
ends without one. Those of another round count only on responses without a final verdict.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from accounts.audit import AuditKind, record
from accounts.models import Person, RoleGrant
from datasets.drawing import lot
from generation import prompt_versions
from generation.elsewhere.undoing import hold_runs
from generation.models import Response
from judging import planning, pool, studies, warmup
from judging.blinding import READERS
from judging.machine import control
from judging.models import (
    Discussion,
    JudgingSlot,
    MachineVerdict,
    Reopening,
    Resolution,
    Round,
    Rubric,
    Study,
    StudyItem,
)
from judging.rules import rubric
from judging.rules.assignment import round_seed
from judging.selections import Selection, check_once
from judging.settling import HANDED_IN, NOT_JUDGED, discussed, unresolved
from judging.states import SLOT, STUDY, StudyState
from leases.refusal import Conflict, Refusal
from pages.counting import how_many

REASON_LIMIT = 2_000
NO_VERDICT = "none"


@dataclass(frozen=True)
class JudgedAgain:
    """Which responses are judged again: to these prompts, with these final verdicts, of these numbers (`position`).

    Empty means all; NO_VERDICT among the verdicts takes responses without a final one.
    """

    prompts: Collection[str] = ()
    verdicts: Collection[str] = ()
    numbers: Collection[int] = ()

    def items(self, study: Study) -> QuerySet[StudyItem]:
        """Raises Refusal for a number that the study does not have, and where none matches."""
        items = study.items.all()
        if self.numbers:
            known = set(items.filter(position__in=self.numbers).values_list("position", flat=True))
            if unknown := sorted(set(self.numbers) - known):
                raise Refusal(f"The study has no response number {unknown[0]}.")
            items = items.filter(position__in=self.numbers)
        if self.prompts:
            items = items.filter(response__prompt__in=self.prompts)
        if self.verdicts:
            without = Q(resolution=None) if NO_VERDICT in self.verdicts else Q()
            given = Q(resolution__verdict__in=[key for key in self.verdicts if key != NO_VERDICT])
            items = items.filter(given | without if without else given)
        if not items.exists():
            raise Refusal("No response matches. Choose other prompts, verdicts or numbers.")
        return items


@dataclass(frozen=True)
class AddedResponses:
    """Responses that the study gets, and how many of a hundred of its own are judged again with them, as anchors."""

    selection: Selection
    anchor_percent: int


@dataclass(frozen=True)
class RoundPlan:
    """A round to open: why, by which rubric version, by whom, and whether its verdicts replace earlier ones."""

    reason: str
    rubric: Rubric
    counts: bool
    judges: Sequence[Person]


@transaction.atomic
def judge_again(study: Study, again: JudgedAgain, plan: RoundPlan, *, by: Person) -> Round:
    """Open a round over responses of a closed study; raises Refusal, or Conflict where it is not closed."""
    opened = _open(study, plan, by)
    return _fill(opened, again.items(study), plan)


@transaction.atomic
def add_responses(study: Study, added: AddedResponses, plan: RoundPlan, *, by: Person) -> Round:
    """Open a round over further responses and anchors, which its judges cannot tell apart; raises as judge_again."""
    opened = _open(study, plan, by)
    anchors, rows = _mixed(study, added, plan, opened.n)
    hold_runs(row.response.run_id for row in rows)
    made = StudyItem.objects.bulk_create(rows)
    keys = [item.pk for item in (*made, *anchors)]
    return _fill(opened, StudyItem.objects.filter(pk__in=keys), plan)


def _mixed(
    study: Study, added: AddedResponses, plan: RoundPlan, n: int
) -> tuple[list[StudyItem], list[StudyItem]]:
    """The anchors of round `n`, and the items of its new responses, which are not stored."""
    anchors = _anchors(study, plan.rubric, n, added.anchor_percent)
    responses = _new_responses(study, added.selection)
    last = study.items.aggregate(last=Max("position"))["last"]
    return anchors, studies.items_of(study, studies.shuffled(study, responses), last + 1)


def _new_responses(study: Study, selection: Selection) -> list[Response]:
    """The finished responses of the selection that the study does not have; raises Refusal where it has all."""
    declaration = study.declaration
    if selection.declaration().fixed != declaration.fixed:
        raise Refusal(
            f"This study is over records of {declaration}. Choose runs that ask about them."
        )
    judged = list(studies.counted(study))
    known = {response.pk for response in judged}
    responses = [response for response in selection.chosen() if response.pk not in known]
    if not responses:
        raise Refusal("The study has all of these responses. Choose other runs or models.")
    check_once(declaration, [*judged, *responses])
    return responses


def _anchors(study: Study, version: Rubric, n: int, percent: int) -> list[StudyItem]:
    """What round `n` judges again next to new responses: drawn by lots among those with a final verdict by its rubric.

    So what changes is the judges' reading, not the rubric. Raises Refusal where there are none.
    """
    possible = study.items.filter(resolution__round__rubric=version)
    record = "response__instance__contradiction"
    possible = possible.select_related(record).defer(f"{record}__fields")
    seed = round_seed(study.seed, n)
    drawn = sorted(possible, key=lambda item: lot(seed, "anchor", str(item.position)))
    if not drawn:
        raise Refusal(
            f"No response of this study has a final verdict by {version}, so none can be an anchor. Choose the "
            "version that most of its verdicts were given by."
        )
    return drawn[: ceil(len(drawn) * percent / 100)]


def next_number(study: Study) -> int:
    return int(study.rounds.aggregate(last=Max("n"))["last"] or 0) + 1


def would_judge_again(study: Study, again: JudgedAgain, plan: RoundPlan) -> planning.DryRun:
    """What opening such a round would make; refused as opening is. Nothing is stored."""
    check_closed(study)
    items = again.items(study)
    _check(study, Response.objects.filter(study_items__in=items), plan)
    places = planning.by_place(plan.rubric.judged(items))
    return planning.dry_run(study, places, plan.judges, plan.rubric, next_number(study))


def would_add_responses(study: Study, added: AddedResponses, plan: RoundPlan) -> planning.DryRun:
    """The same of a round over further responses and anchors."""
    check_closed(study)
    n = next_number(study)
    mixed = [item for part in _mixed(study, added, plan, n) for item in part]
    known = rubric.parse(plan.rubric.body)
    places = {str(i.position): i for i in mixed if known.is_judged(i.response.prompt)}
    keys = [item.response_id for item in mixed]
    _check(study, Response.objects.filter(pk__in=keys), plan)
    return planning.dry_run(study, places, plan.judges, plan.rubric, n)


def _open(study: Study, plan: RoundPlan, by: Person) -> Round:
    check_closed(study)
    STUDY.require(study, "reopen", closed_at=None)
    n = next_number(study)
    study.rounds.filter(is_latest=True).update(is_latest=False)
    record(AuditKind.STUDY, by, f"study {study.slug}: round {n} opened")
    return Round.objects.create(
        study=study,
        n=n,
        rubric=plan.rubric,
        reason=given_reason(plan.reason),
        counts=plan.counts,
        could_read=_could_read(study, plan.judges),
        opened_by=by,
    )


def _fill(opened: Round, items: QuerySet[StudyItem], plan: RoundPlan) -> Round:
    """Take the items into the round, and give its judges their slots."""
    study = opened.study
    _check(study, Response.objects.filter(study_items__in=list(items)), plan)
    keys = list(plan.rubric.judged(items).values_list("pk", flat=True))
    taken = StudyItem.objects.filter(pk__in=keys)
    if plan.counts:
        Resolution.objects.filter(final_for__in=taken).update(final_for=None)
    taken.update(round=opened, is_settled=False)
    control.cancel_outdated(MachineVerdict.objects.filter(item__in=taken))
    Study.objects.filter(pk=study.pk).update(rubric=plan.rubric)
    study.rubric = plan.rubric
    studies.seat(opened, plan.judges)
    return opened


# ---------------------------------------------------------------- what is refused


def check_closed(study: Study) -> None:
    """Raise Refusal or Conflict where no further round can be opened."""
    if study.is_imported:
        raise Refusal(
            "This study's verdicts come from a file. Make a new study over its responses."
        )
    study.require_judged()
    if study.state != StudyState.CLOSED:
        raise Conflict("This study is not closed. Close it before you open a further round.")


def given_reason(reason: str) -> str:
    """The reason without outer blanks; raises Refusal where there is none, or too much."""
    reason = reason.replace("\x00", "").strip()
    if not reason:
        raise Refusal("Write why. It is kept with the study and is in its report.")
    if len(reason) > REASON_LIMIT:
        raise Refusal(f"The reason is longer than {REASON_LIMIT} characters. Shorten it.")
    return reason


def _check(study: Study, responses: QuerySet[Response], plan: RoundPlan) -> None:
    given_reason(plan.reason)
    if plan.rubric.name != study.judged_by.name:
        raise Refusal(
            f"This study is judged by the rubric {study.judged_by.name}. Choose a version of it."
        )
    studies.check_ready(plan.rubric, responses)
    warmup.check_version(study, plan.rubric)
    studies.check_judges(study, plan.judges)
    for person in plan.judges:
        if study.items.filter(resolutions__resolved_by=person).exists():
            raise Refusal(
                f"{person} has resolved responses of this study, and so read verdicts on it. Choose another judge."
            )


def could_read(study: Study) -> Q:
    """Of people: whether a role, or having judged in the study, lets them read its verdicts once it is closed."""
    grants = RoleGrant.objects.filter(person=OuterRef("pk"), role__in=READERS)
    judged = JudgingSlot.objects.filter(HANDED_IN, round__study=study)
    return Q(Exists(grants)) | Q(Exists(judged.filter(judge__person=OuterRef("pk"))))


def _could_read(study: Study, judges: Iterable[Person]) -> int:
    return Person.objects.filter(could_read(study), pk__in=[judge.pk for judge in judges]).count()


def replaced(study: Study) -> list[str]:
    """A sentence for each prompt of the study that has a newer version."""
    used = set(study.items.order_by().values_list("response__prompt", flat=True).distinct())
    return [
        f"Prompt {prompt.label} has a newer version, {newest.label}. The responses here answered version "
        f"{prompt.version}; they are judged by the criteria for it, and counted as its own."
        for prompt, newest in prompt_versions.newer(used)
    ]


# ---------------------------------------------------------------- finishing a closed round


@transaction.atomic
def reopen(study: Study, reason: str, *, by: Person) -> Reopening:
    """Let the judges of a closed study go on where it was closed before they came to it. Verdicts stay as they are.

    Raises Conflict where it is not closed or its judges have begun to discuss, Refusal without a reason, or where every
    item was judged or skipped.
    """
    reason = given_reason(reason)
    check_closed(Study.objects.select_for_update().get(pk=study.pk))
    if is_discussed(study):
        raise Conflict(
            "Judges of this round have begun to discuss, and so read each other's verdicts. Open a further round to "
            f"judge what is missing.{_open_disagreements(study)}"
        )
    STUDY.require(study, "reopen", closed_at=None)
    active = Person.objects.filter(judging_as__study=study, judging_as__removed_at=None)
    warmup.check_not_seen(study, active)
    latest = study.rounds.get(is_latest=True)
    if not _give_again(study, latest):
        raise Refusal(
            "Every item of the latest round was judged or skipped, so there is nothing to go on with. Open a further "
            f"round to judge responses again.{_open_disagreements(study)}"
        )
    Round.objects.filter(pk=latest.pk).update(closed_at=None)
    record(AuditKind.STUDY, by, f"study {study.slug}: reopened")
    return Reopening.objects.create(
        round=latest, reason=reason, could_read=_could_read(study, active), by=by
    )


def _open_disagreements(study: Study) -> str:
    """What settles them where judging on does not; empty where there are none."""
    left = unresolved(study).count() + discussed(study).count()
    if not left:
        return ""
    return (
        f" {how_many(left, 'response')} {'has' if left == 1 else 'have'} an open disagreement: a third person, who "
        "does not judge in this study, can resolve it while the study is closed."
    )


def is_discussed(study: Study) -> bool:
    """Whether judges of its latest round have read each other's verdicts in a discussion."""
    return Discussion.objects.filter(round__study=study, round__is_latest=True).exists()


def _give_again(study: Study, latest: Round) -> int:
    """Give what nobody judged to the same judges again, or free it for others; returns how many slots."""
    missed = JudgingSlot.objects.filter(NOT_JUDGED, round=latest)
    first = JudgingSlot.objects.filter(round=latest, item=OuterRef("item"), judge=OuterRef("judge"))
    own = missed.filter(Q(repeat=1) | Exists(first.filter(repeat=1)), judge__removed_at=None)
    mine = own.exclude(judge=None)
    given = 0 if study.pairing == Study.Pairing.POOL else SLOT.move(mine, "give_again")
    return given + SLOT.move(missed.filter(repeat=1), "free_again", **pool.FREE_AGAIN)

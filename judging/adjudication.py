"""The third person's decisions on responses on which the judges disagree."""

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from accounts.models import Person
from judging.blinding import judged_run_ids, require_records
from judging.found_unfit import propose_exclusions
from judging.models import Resolution, Study, StudyItem
from judging.rules import rubric
from judging.rules.resolution import CAUSES, THIRD_PERSON, note_problem
from judging.settling import (
    IS_DISCUSSED,
    finished,
    first_verdicts,
    mark_settled,
    resolution,
    unresolved,
)
from judging.states import StudyState
from leases.refusal import Conflict, NotFoundHere, Refusal
from leases.rows import first_of

NOTE_LIMIT = 10_000
NOTHING = "There is nothing for you to resolve here."


def studies_for(person: Person) -> QuerySet[Study]:
    """The studies in which `person` may resolve: opened ones in which they do not judge.

    Studies that share a run with an open study in which they judge are left out too: they would read other people's
    verdicts on responses that they still have to judge.
    """
    judged = Study.objects.exclude(rubric=None).exclude(state=StudyState.DRAFT)
    opened = judged.exclude(judges__person=person)
    return opened.exclude(items__response__run__in=judged_run_ids(person))


def study_for(person: Person, study_id: int) -> Study:
    """The study of that id, if `person` may resolve in it; NotFoundHere otherwise. Asks as require_records."""
    study = first_of(studies_for(person).filter(pk=study_id).select_related("rubric"), NOTHING)
    require_records(person, study, "judging")
    return study


def item_for(person: Person, item_id: int) -> StudyItem:
    """The item of that id, where all its slots are closed and the person may decide it; NotFoundHere otherwise."""
    items = StudyItem.objects.filter(pk=item_id, study__in=studies_for(person))
    items = items.exclude(IS_DISCUSSED)
    related = ("study", "round__rubric", "response__instance__contradiction__collection")
    item = finished(items).select_related("resolution", *related).first()
    if item is None or not _may_decide(item, person):
        raise NotFoundHere(NOTHING)
    require_records(person, item.study, "judging")
    return item


def _may_decide(item: StudyItem, person: Person) -> bool:
    """Whether the item has no decision in its round, or one by this person, who may change it."""
    stored = decision_on(item)
    return stored is None or (stored.how == THIRD_PERSON and stored.resolved_by_id == person.pk)


def decision_on(item: StudyItem) -> Resolution | None:
    """The resolution of its round."""
    return item.resolutions.filter(round=item.round_id).first()


@transaction.atomic
def decide(item: StudyItem, *, by: Person, verdict: str, cause: str, note: str = "") -> Resolution:
    """Store the third person's verdict. Raises Refusal with what is missing, Conflict if another person was faster."""
    problem = decision_problem(item, verdict, cause, note)
    if problem:
        raise Refusal(problem)
    values = {"verdict": verdict, "cause": cause, "note": note.strip()}
    _check_round(item)
    own = item.resolutions.filter(round=item.round_id, how=THIRD_PERSON, resolved_by=by)
    if own.exclude(**values).update(**values, at=Now()) or own.exists():
        return own.get()
    try:
        with transaction.atomic():
            new = resolution(item, how=THIRD_PERSON, resolved_by=by, **values)
            new.save()
    except IntegrityError as error:
        raise Conflict("Another person has just resolved this response.") from error
    mark_settled([item.pk])
    propose_exclusions(item.study, item.rubric)
    return new


def _check_round(item: StudyItem) -> None:
    """Raise Conflict where a further round has taken the item since it was read, or its judges discuss it now.

    The opening of a round and a signature wait until this transaction ends.
    """
    Study.objects.select_for_update().get(pk=item.study_id)
    now = StudyItem.objects.filter(pk=item.pk)
    if now.exclude(round=item.round_id).exists():
        raise Conflict("A further round judges this response again. It is resolved there.")
    if now.filter(IS_DISCUSSED).exists():
        raise Conflict(
            "The judge who had left this response is back, so its two judges discuss it now."
        )


def decision_problem(item: StudyItem, verdict: str, cause: str, note: str) -> str | None:
    """Why a decision cannot be stored; None when it can."""
    criteria = rubric.parse(item.rubric.body).prompts[item.response.prompt]
    if problem := criteria.problem(verdict):
        return problem
    if cause not in CAUSES:
        return "Choose why the judges disagree."
    if len(note) > NOTE_LIMIT:
        return f"The note is longer than {NOTE_LIMIT} characters. Shorten it."
    return note_problem(verdict, first_verdicts(item), note)


def next_unresolved(person: Person, study: Study) -> StudyItem | None:
    """The next response of the study that waits for a decision."""
    return unresolved(study_for(person, study.pk)).first()


def decided_by(person: Person, study: Study) -> list[Resolution]:
    """This person's decisions in the study that can be changed, latest first."""
    own = Resolution.objects.filter(item__study=study, resolved_by=person, how=THIRD_PERSON)
    related = ("item__response__instance__contradiction", "round")
    rows = own.filter(round=F("item__round")).select_related(*related).order_by("-at")
    return list(rows.defer("item__response__instance__contradiction__fields"))

"""The third person's decisions on responses over which the judges came apart."""

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts.models import Person
from judging import rubric, visibility
from judging.blindness import hidden_run_ids, judges_of
from judging.models import Resolution, Study, StudyItem
from judging.resolution import CAUSES, THIRD_PERSON, note_problem
from judging.settling import finished, first_verdicts, unresolved
from judging.states import StudyState
from leases.refusal import Conflict, NotFoundHere, Refusal

NOTE_LIMIT = 10_000


def studies_for(person: Person) -> QuerySet[Study]:
    """The studies in which `person` may resolve: opened ones in which they do not judge.

    Nor those that share a run with an open study in which they do: they would read other people's verdicts
    on responses that they have yet to judge themselves.
    """
    opened = Study.objects.exclude(state=StudyState.DRAFT).exclude(judges__person=person)
    return opened.exclude(items__response__run__in=hidden_run_ids(person))


def study_for(person: Person, study_id: int) -> Study:
    """The study of that id, if `person` may resolve in it; NotFoundHere otherwise."""
    found = studies_for(person).filter(pk=study_id).select_related("rubric").first()
    if found is None or not visibility.may_resolve(person.pk, judges_of(found)):
        raise NotFoundHere("There is nothing for you to resolve here.")
    return found


def item_for(person: Person, item_id: int) -> StudyItem:
    """The item of that id, once all its slots are closed and if it is the person's to decide."""
    items = StudyItem.objects.filter(pk=item_id, study__in=studies_for(person))
    related = ("study__rubric", "response__instance__contradiction")
    item = finished(items).select_related("resolution", *related).first()
    if item is None or not _is_theirs(item, person):
        raise NotFoundHere("There is nothing for you to resolve here.")
    return item


def _is_theirs(item: StudyItem, person: Person) -> bool:
    """Undecided, or decided by this very person, who may think again."""
    kept = getattr(item, "resolution", None)
    return kept is None or (kept.how == THIRD_PERSON and kept.resolved_by_id == person.pk)


@transaction.atomic
def decide(item: StudyItem, *, by: Person, verdict: str, cause: str, note: str = "") -> Resolution:
    """Store the third person's verdict. Raises Refusal with what is missing, Conflict if another was faster."""
    problem = decision_problem(item, verdict, cause, note)
    if problem:
        raise Refusal(problem)
    values = {"verdict": verdict, "cause": cause, "note": note.strip()}
    kept = Resolution.objects.filter(item=item, how=THIRD_PERSON, resolved_by=by)
    if kept.exclude(**values).update(**values, at=Now()) or kept.exists():
        return kept.get()
    try:
        with transaction.atomic():
            return Resolution.objects.create(item=item, how=THIRD_PERSON, resolved_by=by, **values)
    except IntegrityError as error:
        raise Conflict("Somebody else has just resolved this response.") from error


def decision_problem(item: StudyItem, verdict: str, cause: str, note: str) -> str | None:
    """What keeps a decision from being stored; None when it may be."""
    known = rubric.parse(item.study.rubric.body)
    if verdict not in known.prompts[item.response.prompt].allowed:
        return "Choose a verdict."
    if cause not in CAUSES:
        return "Choose why the judges came apart."
    if len(note) > NOTE_LIMIT:
        return f"The note is longer than {NOTE_LIMIT} characters. Shorten it."
    return note_problem(verdict, first_verdicts(item), note)


def disagreements_for(person: Person) -> list[StudyItem]:
    """All responses that wait for a third person and may be decided by this one, study by study."""
    return [item for study in studies_for(person) for item in unresolved(study)]


def next_unresolved(person: Person, study: Study) -> StudyItem | None:
    """The next response of the study that waits for a decision."""
    return unresolved(study_for(person, study.pk)).first()


def decided_by(person: Person, study: Study) -> list[StudyItem]:
    """What this person has decided in the study, latest first."""
    theirs = study.items.filter(resolution__resolved_by=person, resolution__how=THIRD_PERSON)
    related = ("resolution", "response__instance__contradiction")
    return list(theirs.select_related(*related).order_by("-resolution__at"))

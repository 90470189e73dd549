"""What open studies hide from their own judges: their runs, responses, results and reports.

Other rooms ask here (or are asked through generation.guards); the rule itself is visibility.py's.
"""

from django.db.models import Exists, OuterRef

from accounts.models import Person
from generation.models import Run
from judging import visibility
from judging.models import Judge, JudgingSlot, Study, StudyItem
from judging.states import StudyState
from leases.refusal import NotAllowed


def open_studies_judged_by(person: Person) -> list[int]:
    """The ids of the open studies in which `person` has a slot: mostly none, found without reading any item."""
    theirs = JudgingSlot.objects.filter(judge=OuterRef("pk"))
    seats = Judge.objects.filter(Exists(theirs), person=person, study__state=StudyState.OPEN)
    return list(seats.values_list("study_id", flat=True))


def hides_run(person: Person, run: Run) -> bool:
    """Whether `run` is hidden from `person` now; generation.guards asks."""
    judged = open_studies_judged_by(person)
    return bool(judged) and StudyItem.objects.filter(study__in=judged, response__run=run).exists()


def hidden_run_ids(person: Person) -> set[int]:
    """The runs whose pages and responses `person` may not see now."""
    judged = open_studies_judged_by(person)
    if not judged:
        return set()
    items = StudyItem.objects.filter(study__in=judged).order_by()
    return set(items.values_list("response__run_id", flat=True).distinct())


def hidden_question_ids(person: Person) -> set[int]:
    """The questions whose responses the person judges in open studies: nobody tells them what others found.

    Every seat counts, also one that has no response yet.
    """
    studies = Study.objects.filter(state=StudyState.OPEN, judges__person=person)
    items = StudyItem.objects.filter(study__in=list(studies.values_list("pk", flat=True)))
    return set(items.order_by().values_list("response__instance_id", flat=True).distinct())


def judges_of(study: Study) -> set[int]:
    """The ids of the people who judge in a study."""
    people = Judge.objects.filter(study=study, person__isnull=False)
    return {int(pk) for pk in people.values_list("person_id", flat=True) if pk is not None}


def results_problem(person: Person, study: Study) -> str | None:
    """Why `person` may not see this study's responses, verdicts or numbers now; None when they may.

    Hidden, too, is a closed study that shares a run with an open one that the person judges.
    """
    judging_now = judges_of(study) if study.state == StudyState.OPEN else set()
    if problem := visibility.result_problem(person.pk, judging_now):
        return problem
    hidden = hidden_run_ids(person)
    shared = bool(hidden) and study.items.filter(response__run__in=hidden).exists()
    return visibility.result_problem(person.pk, {person.pk} if shared else ())


def require_results(person: Person, study: Study) -> None:
    """Raise NotAllowed with the reason while the study's results are hidden from `person`."""
    if problem := results_problem(person, study):
        raise NotAllowed(problem)

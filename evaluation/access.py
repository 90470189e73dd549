"""Which reports a person may read: blindness decides (judging/blinding.py, annotation/blinding/)."""

from accounts.models import Person
from annotation.blinding.gate import check_annotations
from annotation.models import Annotation
from datasets.blinding import check_shown
from datasets.models import Contradiction
from datasets.records import newest
from evaluation.annotators.campaign import campaigns_of
from evaluation.models import ReportSnapshot
from judging.blinding import require_results
from judging.models import Study
from leases.refusal import NotFoundHere


def study_for(person: Person, study_id: int) -> Study:
    """The study, if its results are not hidden from this person; raises NotFoundHere or NotAllowed."""
    study = Study.objects.select_related("rubric").filter(pk=study_id).first()
    if study is None:
        raise NotFoundHere("There is no such study.")
    _require_all(person, study)
    return study


def snapshot_for(person: Person, snapshot_id: int) -> ReportSnapshot:
    """The frozen report of a study; as hidden as the live one, because its numbers are the same."""
    snapshots = ReportSnapshot.objects.select_related("study__rubric", "created_by")
    snapshot = snapshots.filter(pk=snapshot_id).first()
    if snapshot is None:
        raise NotFoundHere("There is no such frozen report.")
    _require_all(person, snapshot.study)
    return snapshot


def _require_all(person: Person, study: Study) -> None:
    """A report counts whole collections and compares annotations: where the person may not see some, it asks first."""
    require_results(person, study)
    collections = study.items.order_by().values("response__instance__contradiction__collection")
    check_shown(person, Contradiction.objects.filter(newest(), collection__in=collections))
    campaigns = campaigns_of(study).order_by()
    entered = Annotation.objects.filter(first_assignment__campaign__in=campaigns)
    check_annotations(person, entered)

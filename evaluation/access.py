"""Which reports a person may read: blindness decides (judging/blinding.py)."""

from accounts.models import Person
from evaluation.models import ReportSnapshot
from judging.blinding import require_results
from judging.models import Study
from leases.refusal import NotFoundHere


def study_for(person: Person, study_id: int) -> Study:
    """The study, if its results are not hidden from this person; raises NotFoundHere or NotAllowed."""
    study = Study.objects.select_related("rubric").filter(pk=study_id).first()
    if study is None:
        raise NotFoundHere("There is no such study. Its report may have had another address.")
    require_results(person, study)
    return study


def snapshot_for(person: Person, snapshot_id: int) -> ReportSnapshot:
    """The frozen report of a study; as hidden as the live one, because its numbers are the same."""
    snapshots = ReportSnapshot.objects.select_related("study__rubric", "created_by")
    snapshot = snapshots.filter(pk=snapshot_id).first()
    if snapshot is None:
        raise NotFoundHere("There is no such frozen report.")
    require_results(person, snapshot.study)
    return snapshot

"""Records that the judges of a closed study found unfit are proposed for exclusion, where its rubric declares it."""

from datasets.excluding.exclusions import propose_found
from datasets.models import Instance
from judging.models import Rubric, Study
from judging.states import StudyState

REASON = "Judges of the study “{study}” gave a text of this record the verdict “{verdict}”."


def propose_exclusions(study: Study, version: Rubric | None) -> None:
    """Propose the records on whose given texts the verdict stands that the version names, for who made the study.

    Only once the study is closed: before, nobody may learn a verdict. No record is proposed twice.
    """
    verdict = version.body.get("excludes") if version else None
    if version is None or verdict is None:
        return
    # Read again: it may have been closed since.
    closed = Study.objects.filter(pk=study.pk, state=StudyState.CLOSED, created_by__isnull=False)
    for now in closed.select_related("created_by"):
        # No model was asked: there is a prompt's hash, and no text that was sent.
        given = now.items.filter(resolution__verdict=verdict, response__rendered="")
        given = given.exclude(response__prompt_hash="").order_by()
        rows = Instance.objects.filter(pk__in=given.values("response__instance"))
        found = rows.select_related("contradiction__collection")
        reason = REASON.format(study=now, verdict=version.scale[verdict].label)
        assert now.created_by is not None, "Filtered above."
        propose_found(found, reason, now.created_by)

"""Records that the judges of a closed study found unfit are proposed for exclusion, where its rubric declares it."""

from datasets.exclusions import propose
from datasets.models import Instance
from judging.models import Rubric, Study
from judging.states import StudyState

REASON = "Judges of the study “{study}” gave a text of this record the verdict “{verdict}”."


def propose_exclusions(study: Study, version: Rubric | None) -> None:
    """Propose the records on whose given texts the verdict stands that the version names.

    Only once the study is closed: before, nobody may learn a verdict. No record is proposed twice.
    """
    verdict = version.body.get("excludes") if version else None
    if version is None or verdict is None:
        return
    # Read again: it may have been closed since.
    for closed in Study.objects.filter(pk=study.pk, state=StudyState.CLOSED):
        # No model was asked: there is a prompt's hash, and no text that was sent.
        given = closed.items.filter(resolution__verdict=verdict, response__rendered="")
        given = given.exclude(response__prompt_hash="").order_by()
        rows = Instance.objects.filter(pk__in=given.values("response__instance"))
        propose(rows, REASON.format(study=closed, verdict=version.scale[verdict].label))

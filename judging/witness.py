"""What studies had found of a question when somebody proposed to exclude it, or agreed."""

from collections.abc import Iterator

from django.db.models import Count

from accounts.models import Person
from datasets.models import Instance
from datasets.witnesses import Known
from judging.blindness import results_problem
from judging.models import JudgingSlot, Study, StudyItem
from judging.states import SlotState

GIVEN = (SlotState.JUDGED, SlotState.LOCKED)


def studies_known(person: Person, instance: Instance) -> Iterator[Known]:
    """Each study that judges responses to the question: how far it was, and what the person had to do with it."""
    items = StudyItem.objects.filter(response__instance=instance)
    counts = {
        study: (count, final)
        for study, count, final in items.order_by()
        .values_list("study")
        .annotate(count=Count("pk"), final=Count("resolution"))
    }
    for study in Study.objects.filter(pk__in=counts).order_by("pk"):
        count, final = counts[study.pk]
        responses = f"{count} response{'' if count == 1 else 's'} to this question"
        yield Known(
            what=f"Study “{study}” ({study.get_state_display().lower()}): {responses}, {final} with a final verdict",
            open=results_problem(person, study) is None,
            part=_part(person, study, instance),
        )


def _part(person: Person, study: Study, instance: Instance) -> str:
    judged = JudgingSlot.objects.filter(
        judge__person=person,
        state__in=GIVEN,
        round__study=study,
        item__response__instance=instance,
    )
    resolved = study.items.filter(response__instance=instance, resolution__resolved_by=person)
    done = [
        words
        for words, rows in (("judged in it", judged), ("resolved in it", resolved))
        if rows.exists()
    ]
    return " and ".join(done)

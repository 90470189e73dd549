"""Which responses to a question there were when somebody proposed to exclude it, or agreed."""

from collections.abc import Iterator

from django.db.models import Count

from accounts.models import Person
from datasets.models import Instance
from datasets.witnesses import Known
from generation.guards import may_see
from generation.models import Run
from generation.states import ResponseState


def runs_known(person: Person, instance: Instance) -> Iterator[Known]:
    """Each run that had responses to the question."""
    done = Run.objects.filter(responses__instance=instance, responses__state=ResponseState.DONE)
    for run in done.annotate(answers=Count("responses")).order_by("pk"):
        count = run.answers
        yield Known(
            what=f"Run “{run}”: {count} response{'' if count == 1 else 's'} to this question",
            open=may_see(person, run),
        )

"""Who may see a run now. Every page and API of runs asks here; rooms above say what they hide."""

from collections.abc import Iterable, Sequence

from django.db.models import QuerySet

from accounts.models import Person
from datasets.blinding import check_shown, keep_shown
from datasets.models import Contradiction
from generation.models import Run
from leases.extension import ExtensionPoint
from leases.refusal import NotFoundHere

# Which of the runs are hidden from the person with their responses, whatever their roles: their ids.
hides_runs: ExtensionPoint[[Person, Sequence[Run]], set[int]] = ExtensionPoint(
    "generation.access.hides_runs"
)


def may_see(person: Person, run: Run) -> bool:
    return bool(visible_to(person, [run]))


def visible_to(person: Person, runs: Iterable[Run]) -> list[Run]:
    """Those of the runs that the person may see, in their order."""
    asked = list(runs)
    hidden = set().union(*hides_runs(person, asked))
    return [run for run in asked if run.pk not in hidden]


def run_for(person: Person, key: int) -> Run:
    """The run with this key; raises NotFoundHere where it does not exist, or is hidden from the person now.

    For a run over records that are hidden from them it asks first (datasets/blinding.py).
    """
    run = Run.objects.select_related("collection", "created_by", "release").filter(pk=key).first()
    if run is None or not may_see(person, run):
        raise NotFoundHere(
            f"There is no run {key}, or it is hidden from you while you judge its responses."
        )
    check_shown(person, _records_of(run))
    return run


def keep_run(person: Person, run: Run, opened: str) -> None:
    """Record that the person is shown all responses of the run, with the questions."""
    keep_shown(person, _records_of(run), opened)


def keep_questions(person: Person, instances: Iterable[int], opened: str) -> None:
    """The same for the responses to the questions with these keys."""
    keep_shown(person, Contradiction.objects.filter(instances__in={*instances}), opened)


def _records_of(run: Run) -> QuerySet[Contradiction]:
    return Contradiction.objects.filter(instances__responses__run=run)

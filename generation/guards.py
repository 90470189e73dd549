"""Who may not see a run just now. Rooms above add their reasons; every page and API of runs asks here."""

from collections.abc import Callable, Iterable

from accounts.models import Person
from generation.models import Run
from leases.refusal import NotFoundHere

# Each says whether this run, its responses included, is hidden from this person, whatever their roles.
hidden_run_guards: list[Callable[[Person, Run], bool]] = []


def may_see(person: Person, run: Run) -> bool:
    return not any(hides(person, run) for hides in hidden_run_guards)


def seen_by(person: Person, runs: Iterable[Run]) -> list[Run]:
    """The runs among these that the person may see, in their order."""
    return [run for run in runs if may_see(person, run)]


def run_for(person: Person, key: int) -> Run:
    """The run with this key; raises NotFoundHere where there is none, or none that the person may see now."""
    run = Run.objects.select_related("collection", "created_by").filter(pk=key).first()
    if run is None or not may_see(person, run):
        raise NotFoundHere(
            f"There is no run {key}, or it is hidden from you while you judge its responses."
        )
    return run

"""What the rooms above know of a question and a person, which this one may not ask them for.

Whoever has seen how models fared on a question excludes it less innocently than somebody who has not. So an
exclusion records what each of the two could see; and whoever still judges responses to the question learns
nothing of its exclusion.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from accounts.models import Person
from datasets.models import Instance


@dataclass(frozen=True)
class Known:
    """One thing that was there of a question's responses, and whether the person could see it.

    `open`: a page of this program showed it to them then. `part`: what they had done in it, e.g. "judged in it".
    """

    what: str
    open: bool
    part: str = ""


# Each tells what there was of this question's responses for this person.
witnesses: list[Callable[[Person, Instance], Iterable[Known]]] = []
# Each gives the ids of the questions whose exclusion is hidden from this person now, whatever their roles.
guards: list[Callable[[Person], set[int]]] = []


def known_to(person: Person, instance: Instance) -> list[dict[str, Any]]:
    """What every room has to say, as data to keep."""
    return [asdict(known) for witness in witnesses for known in witness(person, instance)]


def hidden_from(person: Person) -> set[int]:
    """The ids of the questions of whose exclusion the person may learn nothing now."""
    return set().union(*(guard(person) for guard in guards))

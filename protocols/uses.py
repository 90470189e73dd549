"""What uses the versions of protocols: the rooms above say it, but for what is hidden from who asks."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from accounts.models import Person
from leases.extension import ExtensionPoint

# As many names as a sentence lists.
MOST_NAMED = 5


@dataclass(frozen=True)
class Use:
    """A row that uses a version, as "run" and its name, with the address of its page."""

    kind: str
    name: str
    address: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


# The uses that the person may know of the protocols with these keys, each with its protocol's key.
uses: ExtensionPoint[[Person, Collection[int]], Iterable[tuple[int, Use]]] = ExtensionPoint(
    "protocols.uses.uses"
)


def uses_of(protocols: Collection[int], person: Person) -> dict[int, list[Use]]:
    """Those of all rooms, by the protocol's key, but for runs that are hidden from the person."""
    found: dict[int, list[Use]] = defaultdict(list)
    for of_room in uses(person, protocols):
        for key, use in of_room:
            found[key].append(use)
    return found


def in_words(found: list[Use]) -> str:
    """ "collection mills, run Settings and 3 more"."""
    named = ", ".join(map(str, found[:MOST_NAMED]))
    more = len(found) - MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named

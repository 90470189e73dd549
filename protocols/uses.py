"""What uses the versions of protocols: the rooms above say it. Pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

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


# The uses of the protocols with these keys, each with its protocol's key.
uses: ExtensionPoint[[Collection[int]], Iterable[tuple[int, Use]]] = ExtensionPoint(
    "protocols.uses.uses"
)


def uses_of(protocols: Collection[int]) -> dict[int, list[Use]]:
    """Those of all rooms, by the protocol's key."""
    found: dict[int, list[Use]] = defaultdict(list)
    for of_room in uses(protocols):
        for key, use in of_room:
            found[key].append(use)
    return found


def in_words(found: list[Use]) -> str:
    """ "collection mills, run Settings and 3 more"."""
    named = ", ".join(map(str, found[:MOST_NAMED]))
    more = len(found) - MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named

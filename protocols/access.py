"""Who may read what a protocol says of prompts and of the authors of texts; rooms above say from whom it is hidden."""

from collections.abc import Collection

from accounts.models import Person
from accounts.roles import Role
from leases.extension import ExtensionPoint
from leases.refusal import NotAllowed
from protocols.uses import Use, uses_of

READERS = (Role.ADMIN, Role.RESEARCHER)

# Whether protocols are closed to the person now, whatever their roles.
hides_protocols: ExtensionPoint[[Person], bool] = ExtensionPoint("protocols.access.hides_protocols")


def check_protocols_shown(person: Person) -> None:
    """Raises NotAllowed."""
    if any(hides_protocols(person)):
        raise NotAllowed(
            "You judge or resolve responses in a study that is still open. What protocols say of prompts and authors "
            "stays hidden from you until the study is closed."
        )


def uses_shown(person: Person, keys: Collection[int]) -> dict[int, list[Use]]:
    """What uses the protocols with these keys. Runs, studies and reports name what is hidden from who judges."""
    found = uses_of(keys)
    if not any(hides_protocols(person)):
        return found
    return {key: [use for use in of if use.kind == "collection"] for key, of in found.items()}

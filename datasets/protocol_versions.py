"""Which version of its protocol a collection has, and moving it to a later one."""

from django.db import transaction

from accounts.audit import AuditKind, record
from accounts.models import Person
from datasets.models import Collection
from datasets.records import locked
from leases.refusal import Conflict
from protocols.installed import later_versions, use
from protocols.models import Protocol


def may_move_to(collection: Collection) -> list[Protocol]:
    """The later versions with the same fields, file and item."""
    return later_versions(collection.protocol) if collection.protocol else []


@transaction.atomic
def move(collection: Collection, version: int, by: Person) -> Protocol:
    """Let new prompts, rubrics and scores be those of that version; runs and opened studies stay as they are.

    Raises Conflict for a version that has other records, or that there is not.
    """
    locked(collection)
    now = Collection.objects.select_related("protocol").get(pk=collection.pk)
    to = next((row for row in may_move_to(now) if row.version == version), None)
    if to is None:
        raise Conflict(
            f"{now.name} has records of {now.declaration}. It can be moved to a later version that has the same "
            f"fields, file and item; version {version} is none."
        )
    use(to)
    Collection.objects.filter(pk=now.pk).update(protocol=to)
    record(
        AuditKind.IMPORT,
        by,
        f"collection {now.name} moved from {now.protocol} to version {version}",
    )
    return to

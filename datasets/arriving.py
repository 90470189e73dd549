"""An import's records on their way: written in short transactions, and seen when all of them are there.

Until then they are in a collection of their own that no page lists. One long transaction would stop everyone, as
SQLite has one writer.
"""

import time
import uuid
from collections.abc import Sequence
from contextlib import suppress

from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import F, Max, QuerySet
from django.db.models.functions import Now

from accounts.audit import Kind, record
from accounts.models import Person
from datasets.models import Collection, Contradiction, Instance
from datasets.records import BATCH, Draft, add_contradictions, locked
from leases.clock import in_seconds
from leases.refusal import Conflict

# Seconds; renewed with each batch. The rows of an import that was killed are removed after it.
HOLD = 600.0
# Seconds between two batches on SQLite: another process that waits to write looks every 0.1 s.
GAP = 0.11
LATE = "The import stopped for too long, and its rows were removed. Import the file again."
MEANWHILE = "A collection of that name was made in the meantime. Import the file again."


def bring(
    drafts: Sequence[Draft], *, name: str, source: str = "", by: Person | None = None
) -> tuple[Collection, set[str]]:
    """Add the records that the collection `name` lacks, all or none; makes it if there is none.

    `drafts` are checked ones (records.py). Returns the collection and the identities of the added records.
    """
    remove_abandoned()
    held = Collection.objects.filter(name=name).first()
    lacking = _lacking(held, drafts)
    if held and not lacking:
        return held, set()
    waiting = Collection.everything.create(
        name=f"~{uuid.uuid4().hex}", source=source[:300], created_by=by, arriving_until=in_seconds(HOLD)
    )  # fmt: skip
    try:
        for start in range(0, len(lacking), BATCH):
            if start and connection.vendor == "sqlite":
                time.sleep(GAP)
            with transaction.atomic():
                _hold(waiting)
                add_contradictions(collection=waiting, drafts=lacking[start : start + BATCH])
        return _shown(waiting, name, by)
    except BaseException:
        with suppress(DatabaseError):  # remove_abandoned finds what a failing database leaves
            _remove(waiting)
        raise


def remove_abandoned() -> int:
    """Remove the rows of imports that were killed; returns of how many."""
    late = list(Collection.everything.filter(arriving_until__lt=Now()))
    for waiting in late:
        _remove(waiting)
    return len(late)


def _lacking(held: Collection | None, drafts: Sequence[Draft]) -> list[Draft]:
    """The first draft of each record that the collection does not hold, in order."""
    first: dict[str, Draft] = {}
    for draft in drafts:
        first.setdefault(draft.identity, draft)
    if held:
        for identity in _identities(held).iterator(chunk_size=BATCH):
            first.pop(identity, None)
    return list(first.values())


def _hold(waiting: Collection) -> None:
    """Renew the hold, in the transaction that it protects. Raises Conflict where it has run out."""
    mine = Collection.everything.filter(pk=waiting.pk, arriving_until__gte=Now())
    if not mine.update(arriving_until=in_seconds(HOLD)):
        raise Conflict(LATE)


@transaction.atomic
def _shown(waiting: Collection, name: str, by: Person | None) -> tuple[Collection, set[str]]:
    """Let the records be seen, in the collection `name`."""
    _hold(waiting)
    record(Kind.IMPORT, by, f"collection {name}")
    target = Collection.objects.filter(name=name).first()
    if target:
        locked(target)
        # Another import or an annotation may have added some in the meantime.
        _delete(waiting.contradictions.filter(external_id__in=_identities(target)))
    added = set(_identities(waiting))
    if target:
        last = target.contradictions.aggregate(last=Max("position"))["last"]
        first = 0 if last is None else last + 1
        waiting.contradictions.update(collection=target, position=F("position") + first)
        waiting.delete()
        return target, added
    waiting.name, waiting.arriving_until = name, None
    try:
        with transaction.atomic():
            waiting.save(update_fields=["name", "arriving_until"])
    except IntegrityError:
        raise Conflict(MEANWHILE) from None
    return waiting, added


def _identities(collection: Collection) -> QuerySet[Contradiction, str]:
    return collection.contradictions.order_by().values_list("external_id", flat=True)


def _remove(waiting: Collection) -> None:
    """In short transactions too. Leaves a collection that is seen already."""
    rows = Contradiction.objects.filter(
        collection=waiting.pk, collection__arriving_until__isnull=False
    )
    while keys := list(rows.order_by("-pk").values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            _delete(rows.filter(pk__in=keys))
    Collection.everything.filter(pk=waiting.pk, arriving_until__isnull=False).delete()


def _delete(rows: QuerySet[Contradiction]) -> None:
    Instance.objects.filter(contradiction__in=rows).delete()
    rows.delete()

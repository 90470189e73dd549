"""An import's records on their way: written in short transactions, and seen when all of them are there.

Until then they are in a collection of their own that no page lists. One long transaction would stop everyone, as
SQLite has one writer.
"""

import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import chain
from typing import Any, NamedTuple, TypeVar
from typing import Protocol as Shape

import structlog
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import Count, F, Max, QuerySet
from django.db.models.functions import Now

from accounts.audit import AuditKind, record
from accounts.models import Person
from datasets.declared.writing import FileNoted
from datasets.models import Collection, Contradiction, Instance, WithheldRecord
from datasets.records import BATCH, Draft, add_contradictions, locked
from leases.clock import in_seconds
from leases.extension import ExtensionPoint
from leases.planner import learn_sizes_on_commit
from leases.refusal import Conflict
from protocols.installed import use
from protocols.models import Protocol

log = structlog.get_logger(__name__)

# Seconds; renewed with each batch. The rows of an import that was killed are removed after it.
HOLD = 600.0
# Seconds between two batches on SQLite: another process that waits to write looks every 0.1 s.
GAP = 0.11
LONG = 4 * 1024 * 1024  # characters of a batch
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
LATE = "The import stopped for too long, and its rows were removed. Import the file again."
# Removes what else was written with the collection, in short transactions.
came_along: ExtensionPoint[[Collection], None] = ExtensionPoint(
    "datasets.importers.arriving.came_along"
)
MEANWHILE = "A collection of that name was made in the meantime. Import the file again."
REMOVED = "The collection was removed in the meantime, with records that this file has too. Import the file again."


class Arrived(NamedTuple):
    """What an import has added: this many records, at these positions of the collection, which it made if `is_new`.

    Nobody else's records ever have these positions while they are there: new ones are added behind the last.
    """

    collection: Collection
    added: int
    first: int = 0
    last: int = -1
    is_new: bool = False


# Called in the transaction in which the records are seen.
Ended = Callable[[Arrived], None]


def no_more(arrived: Arrived) -> None:
    """Nothing else is stored with the records."""


class HasLength(Shape):
    @property
    def length(self) -> int: ...


Lengthy = TypeVar("Lengthy", bound=HasLength)


class DeclaredBy(NamedTuple):
    """The protocol of the records that arrive, and what is noted of their file once they are read."""

    protocol: Protocol
    noted: FileNoted


def bring(
    drafts: Iterable[Draft],
    *,
    name: str,
    source: str = "",
    by: Person | None = None,
    declared: DeclaredBy | None = None,
    ended: Ended = no_more,
) -> Arrived:
    """Add the records that the collection `name` lacks, all or none; makes it if there is none.

    `drafts` are checked ones (records.py), each record once; they are taken a batch at a time. `declared` is None for
    WikiContradict's. Raises Conflict for a collection with records of another protocol.
    """
    remove_abandoned()
    held = Collection.objects.filter(name=name).first()
    if held:
        _check_protocol(held, declared)
    batches = in_batches(lacking(held, drafts))
    first = next(batches, None)
    if held and first is None:
        _check_canary(held, declared)
        ended(nothing := Arrived(held, 0))
        return nothing
    with arrival(source=source, by=by) as arriving:
        for batch in chain([first or []], batches):
            with arriving.step():
                add_contradictions(collection=arriving.collection, drafts=batch)
        with arriving.step():
            record(AuditKind.IMPORT, by, f"collection {name}")
            ended(arrived := _shown(arriving, name, declared, held))
            return arrived


def would_add(drafts: Iterable[Draft], *, name: str, declared: DeclaredBy | None = None) -> int:
    """How many records `bring` would add now; it stores nothing, and raises the same."""
    held = Collection.objects.filter(name=name).first()
    if held:
        _check_protocol(held, declared)
    added = sum(1 for _ in lacking(held, drafts))
    if held:
        _check_canary(held, declared)
    return added


class ArrivingImport:
    """An import on its way, with the collection that nobody sees yet."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self._begun = False

    @contextmanager
    def step(self) -> Iterator[None]:
        """A transaction of the import, which others wait for. Raises Conflict where the hold has run out."""
        if self._begun and connection.vendor == "sqlite":
            time.sleep(GAP)
        self._begun = True
        with transaction.atomic():
            _hold(self.collection)
            yield

    def show(self, name: str, **columns: Any) -> None:
        """Let the collection be seen, in the last step. Raises Conflict where the name is taken."""
        for column, value in {"name": name, **columns, "arriving_until": None}.items():
            setattr(self.collection, column, value)
        try:
            with transaction.atomic():
                self.collection.save()
        except IntegrityError:
            raise Conflict(MEANWHILE) from None


@contextmanager
def arrival(*, source: str = "", by: Person | None = None) -> Iterator[ArrivingImport]:
    """A collection to write an import to, in steps; removed with all that came along unless the last step shows it."""
    waiting = Collection.everything.create(
        name=f"~{uuid.uuid4().hex}", source=source[:300], created_by=by, arriving_until=in_seconds(HOLD)
    )  # fmt: skip
    try:
        yield ArrivingImport(waiting)
    except BaseException:
        with suppress(DatabaseError):  # remove_abandoned finds what a failing database leaves
            _remove(waiting)
        raise
    learn_sizes_on_commit()


def remove_abandoned() -> int:
    """Remove the rows of imports that were killed or undone; returns of how many.

    Rows that something uses after all stay, where nobody sees them, and are in no other import's way.
    """
    late = Collection.everything.filter(arriving_until__lt=Now())
    return sum(_removed(waiting) for waiting in late if _given_up(waiting))


def _removed(waiting: Collection) -> bool:
    try:
        _remove(waiting)
    except IntegrityError as error:
        if waiting.arriving_until != LONG_AGO:  # not at every sweep
            log.warning("rows_not_removed", collection=waiting.pk, error=str(error.args[0]))
        return False
    return True


def _given_up(waiting: Collection) -> bool:
    """End the hold for good, where it has run out; False where the import has renewed it in the last moment.

    The renewal may not be committed yet. This statement waits for it, and looks again; a renewal after it is refused.
    """
    late = Collection.everything.filter(pk=waiting.pk, arriving_until__lt=Now())
    return bool(late.update(arriving_until=LONG_AGO))


def lacking(held: Collection | None, drafts: Iterable[Draft]) -> Iterator[Draft]:
    """The drafts of records that the collection does not hold, in order."""
    if held is None:
        yield from drafts
        return
    for batch in in_batches(drafts):
        wanted = [draft.identity for draft in batch]
        known = set(_identities(held).filter(external_id__in=wanted))
        yield from (draft for draft in batch if draft.identity not in known)


def in_batches(rows: Iterable[Lengthy]) -> Iterator[list[Lengthy]]:
    """At most BATCH at a time, and fewer where their texts are long."""
    batch: list[Lengthy] = []
    length = 0
    for row in rows:
        batch.append(row)
        length += row.length
        if len(batch) >= BATCH or length > LONG:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


def _hold(waiting: Collection) -> None:
    """Renew the hold, in the transaction that it protects. Raises Conflict where it has run out."""
    mine = Collection.everything.filter(pk=waiting.pk, arriving_until__gte=Now())
    if not mine.update(arriving_until=in_seconds(HOLD)):
        raise Conflict(LATE)


def _check_protocol(held: Collection, declared: DeclaredBy | None) -> None:
    if held.protocol_id != (declared.protocol.pk if declared else None):
        raise Conflict(
            f"The collection {held.name} has records of {held.declaration}, which this file's are not. Choose another "
            "collection, or give a new name."
        )


def _check_canary(held: Collection, declared: DeclaredBy | None) -> None:
    """Raise Conflict where the file, which is read, has another canary."""
    if declared and (key := held.declaration.file.canary):
        given = declared.noted.kept[key]
        if given != held.canary:
            raise Conflict(
                f"The file's {key} is “{given[:200]}”, and that of {held.name} is “{held.canary[:200]}”: it is of "
                "another source. Give a new collection."
            )


def _declared_columns(declared: DeclaredBy) -> dict[str, Any]:
    """Those of a collection whose records are declared. Raises Conflict where the protocol is another text now."""
    use(declared.protocol)
    return {"protocol": declared.protocol, "file_kept": _kept(declared.noted, {})}


def _kept(noted: FileNoted, before: dict[str, Any]) -> dict[str, Any]:
    """What is kept of files: of the first, or of the first with each value of the slice by which they are parted."""
    kept = {"end": noted.end, "kept": noted.kept}
    return {noted.value: kept, **before} if noted.value else before or kept


def _shown(
    arriving: ArrivingImport, name: str, declared: DeclaredBy | None, held: Collection | None
) -> Arrived:
    """Let the records be seen, in the collection `name`.

    Raises Conflict where it is no longer `held`, whose records were left out: an undo may have removed them.
    """
    waiting = arriving.collection
    target = Collection.objects.filter(name=name).first()
    if held and target != held:
        raise Conflict(REMOVED)
    if target:
        _check_protocol(target, declared)
        locked(target)
        if declared:
            target.refresh_from_db(fields=["file_kept"])
            _check_canary(target, declared)
            target.file_kept = _kept(declared.noted, target.file_kept or {})
            target.save(update_fields=["file_kept"])
        # Another import or an annotation may have added some in the meantime.
        _delete(waiting.contradictions.filter(external_id__in=_identities(target)))
    if target is None:
        arriving.show(name, **(_declared_columns(declared) if declared else {}))
        return whole(waiting)
    brought, before = whole(waiting), target.contradictions.aggregate(last=Max("position"))["last"]
    first = 0 if before is None else before + 1
    waiting.contradictions.update(collection=target, position=F("position") + first)
    waiting.delete()
    return Arrived(target, brought.added, first, first + brought.last)


def whole(collection: Collection) -> Arrived:
    """All that a collection has, which an import made."""
    found = collection.contradictions.aggregate(added=Count("pk"), last=Max("position"))
    last = -1 if found["last"] is None else found["last"]
    return Arrived(collection, found["added"], last=last, is_new=True)


def _identities(collection: Collection) -> QuerySet[Contradiction, str]:
    return collection.contradictions.order_by().values_list("external_id", flat=True)


def _remove(waiting: Collection) -> None:
    """In short transactions too. Leaves a collection that is seen already."""
    came_along(waiting)
    rows = Contradiction.objects.filter(
        collection=waiting.pk, collection__arriving_until__isnull=False
    )
    while keys := list(rows.order_by().values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            _remove_records(keys)
    Collection.everything.filter(pk=waiting.pk, arriving_until__isnull=False).delete()


def _remove_records(keys: list[int]) -> None:
    """Without reading them, as `delete` does, which takes ten times as long; their keys are checked by the database."""
    WithheldRecord.objects.filter(contradiction__in=keys).delete()
    Contradiction.objects.filter(same_tag_as__in=keys).update(same_tag_as=None)
    for rows in (
        Instance.objects.filter(contradiction__in=keys),
        Contradiction.objects.filter(pk__in=keys),
    ):
        rows._raw_delete(rows.db)


def delete_in_steps(rows: QuerySet[Any, Any]) -> None:
    """Delete the rows in transactions of BATCH."""
    while keys := list(rows.order_by("-pk").values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            rows.filter(pk__in=keys).delete()


def _delete(rows: QuerySet[Contradiction]) -> None:
    Instance.objects.filter(contradiction__in=rows).delete()
    rows.delete()

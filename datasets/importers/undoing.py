"""Undoing an import of records: one transaction moves them to where nobody sees them, and a sweep removes them."""

import uuid
from collections.abc import Iterator
from contextlib import suppress

from django.db import transaction
from django.db.models import PROTECT, ForeignObjectRel, ManyToManyRel, ProtectedError

from datasets.models import (
    Collection,
    Contradiction,
    FreezeJob,
    Instance,
    ReleaseExclusion,
    ReleaseRow,
)
from datasets.states import FreezeState
from leases.clock import in_seconds
from leases.refusal import Conflict
from pages.counting import how_many


def hide(*, key: int, first: int, last: int, is_new: bool) -> None:
    """Let nobody see the records at these positions of the collection any more, nor the collection if it is left empty
    and `is_new`. remove_abandoned (arriving.py) removes them, as it does those of an import that was killed.

    In the caller's transaction. Raises Conflict that names the uses.
    """
    collection = Collection.objects.select_for_update().filter(pk=key).first()
    if collection is None:
        return  # and its records with it
    rows = collection.contradictions.filter(position__range=(first, last))
    if found := list(dict.fromkeys(uses(key, first, last))):
        raise Conflict(
            f"Nothing was undone, because records of this import are used: {', '.join(found)}. Undo those first, or "
            "keep the records."
        )
    name = f"~{uuid.uuid4().hex}"
    rows.update(collection=Collection.everything.create(name=name, arriving_until=in_seconds(-1)))
    if is_new:
        # Unless it has other records, or somebody works with it.
        with suppress(ProtectedError), transaction.atomic():
            collection.delete()


def uses(collection: int, first: int, last: int) -> Iterator[str]:
    """What names these records or their questions, with counts or names: whatever its key protects from removal.

    And versions of the collection that are being frozen, which have no key to records yet.
    """
    under_way = [FreezeState.WAITING, FreezeState.RUNNING]
    if n := FreezeJob.objects.filter(collection=collection, state__in=under_way).count():
        yield how_many(n, "freeze under way", "freezes under way")
    for model, path in ((Contradiction, ""), (Instance, "contradiction__")):
        for relation in model._meta.get_fields(include_hidden=True):
            if not isinstance(relation, ForeignObjectRel) or relation.related_model is Instance:
                continue
            if isinstance(relation, ManyToManyRel) or relation.on_delete is PROTECT:
                yield from _used(relation, path, collection, first, last)


def _used(
    relation: ForeignObjectRel, path: str, collection: int, first: int, last: int
) -> Iterator[str]:
    model, to = relation.related_model, f"{relation.field.name}__{path}"
    rows = model._base_manager.filter(
        **{f"{to}collection": collection, f"{to}position__range": (first, last)}
    )
    if model in (ReleaseRow, ReleaseExclusion):
        versions = rows.order_by().values_list("release__version", flat=True).distinct()
        yield from (f"release {version}" for version in sorted(versions))
    elif n := rows.order_by().values("pk").distinct().count():
        names = model._meta
        if model is Contradiction:
            yield how_many(n, "later version")
        else:
            yield how_many(n, str(names.verbose_name), str(names.verbose_name_plural))

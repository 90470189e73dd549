"""A complete form becomes a collection of its own, with what it says of itself and the links between its records."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from django.db.models import QuerySet

from accounts.audit import AuditKind, record
from accounts.models import Person
from datasets.declared.writing import FileNoted
from datasets.importers.arriving import (
    Arrived,
    Ended,
    arrival,
    in_batches,
    lacking,
    no_more,
    remove_abandoned,
    whole,
)
from datasets.importers.complete_records import Head
from datasets.models import Collection, Contradiction
from datasets.records import BATCH, Draft, add_contradictions
from leases.extension import ExtensionPoint
from leases.refusal import Conflict
from protocols.installed import use
from protocols.models import Protocol

# Looks at the records of a complete form, which may say what revisions they are from, in the transaction of each batch.
came_whole: ExtensionPoint[[QuerySet[Contradiction]], None] = ExtensionPoint(
    "datasets.importers.whole_collections.came_whole"
)


class WholeFile(NamedTuple):
    """A complete form: its head, the protocol that it names, and what is noted once its records are read."""

    head: Head
    protocol: Protocol | None
    noted: FileNoted

    @property
    def columns(self) -> dict[str, Any]:
        """Those of the collection that it becomes. Raises Conflict where the protocol is another text now."""
        if self.protocol is None:
            return dict(self.head.about)
        use(self.protocol)
        return {**self.head.about, "protocol": self.protocol, "file_kept": self.head.file}


def bring_whole(
    drafts: Iterable[Draft],
    file: WholeFile,
    *,
    name: str,
    source: str = "",
    by: Person | None = None,
    ended: Ended = no_more,
) -> Arrived:
    """Make the collection, unless one of that name has all of the records.

    Raises Conflict where it lacks some: the file does not say which of its records a version supersedes.
    """
    remove_abandoned()
    if held := _held(drafts, name):
        ended(nothing := Arrived(held, 0))
        return nothing
    with arrival(source=source, by=by) as arriving:
        for batch in in_batches(drafts):
            with arriving.step():
                written = add_contradictions(collection=arriving.collection, drafts=batch)
                came_whole(Contradiction.objects.filter(pk__in=[key for key, _ in written]))
        links = iter(file.noted.named.items())
        while some := dict(islice(links, BATCH)):
            with arriving.step():
                _link(arriving.collection, some)
        with arriving.step():
            record(AuditKind.IMPORT, by, f"collection {name}")
            arriving.show(name, **file.columns)
            ended(arrived := whole(arriving.collection))
            return arrived


def would_make(drafts: Iterable[Draft], name: str) -> int:
    """How many records `bring_whole` would add now; it stores nothing, and raises the same."""
    return 0 if _held(drafts, name) else sum(1 for _ in drafts)


def _held(drafts: Iterable[Draft], name: str) -> Collection | None:
    """The collection of that name, which has all of the records. Raises Conflict where it lacks some."""
    held = Collection.objects.filter(name=name).first()
    if held and next(lacking(held, drafts), None) is not None:
        raise Conflict(
            f"The collection {name} is there, and lacks records of this file. A complete form makes a collection "
            "of its own: give a new name."
        )
    return held


def _link(collection: Collection, named: Mapping[str, str]) -> None:
    """Let the records name the others of their tags; both by their ids."""
    rows = collection.contradictions.filter(external_id__in={*named, *named.values()}).order_by()
    keys = dict(rows.values_list("external_id", "pk"))
    linked = [
        Contradiction(pk=keys[one], same_tag_as_id=keys[other]) for one, other in named.items()
    ]
    Contradiction.objects.bulk_update(linked, ["same_tag_as"])

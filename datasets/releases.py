"""Releases: frozen versions of a collection that a paper can cite."""

import re
from collections.abc import Iterator

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from accounts.audit import AuditKind, record
from accounts.models import Person
from datasets.excluding.exclusions import in_force
from datasets.exporters import hashed
from datasets.exporters.export_files import sha256_of
from datasets.models import Collection, Contradiction, Release, ReleaseExclusion, ReleaseRow
from datasets.records import BATCH, current, locked
from datasets.streaming import StreamedRow, streamed
from leases.refusal import Conflict, Refusal
from leases.rows import first_of

VERSION = re.compile(r"\A[0-9A-Za-z][0-9A-Za-z._-]{0,39}\Z")


@transaction.atomic
def freeze(
    *, collection: Collection, version: str, notes: str = "", by: Person | None = None
) -> Release:
    """Release the collection: its newest rows, in order, with the hash of their JSON export.

    Excluded questions are left out; the release records which, and why. A contradiction that has lost all of its
    questions stays, as a record without any; a record of a protocol is left out with its question.

    Raises Conflict if that version exists, Refusal if the collection is empty or the version is no valid name.
    """
    locked(collection)
    _check_version(collection, version)
    keys = list(current(collection).values_list("pk", flat=True))
    if not keys:
        raise Refusal("The collection is empty; there is nothing to release.")
    excluded = dict(in_force(collection).values_list("instance_id", "reason"))
    release = Release.objects.create(
        collection=collection,
        version=version,
        notes=notes,
        sha256=sha256_of(hashed(collection), streamed(current(collection), without=list(excluded))),
        app_version=settings.VERSION,
        created_by=by,
    )
    rows = [
        ReleaseRow(release=release, contradiction_id=key, position=n) for n, key in enumerate(keys)
    ]
    ReleaseRow.objects.bulk_create(rows, batch_size=BATCH)
    ReleaseExclusion.objects.bulk_create(
        ReleaseExclusion(release=release, instance_id=key, reason=reason)
        for key, reason in excluded.items()
    )
    record(AuditKind.FREEZE, by, f"release {version} of {collection.name}")
    return release


def _check_version(collection: Collection, version: str) -> None:
    if not VERSION.match(version):
        raise Refusal(
            "A version has up to 40 letters, digits, . _ - and starts with a letter or digit."
        )
    if collection.releases.filter(version=version).exists():
        raise Conflict(
            f"Version {version} of {collection.name} exists and never changes; choose another."
        )


def released_rows(release: Release) -> Iterator[StreamedRow]:
    """The release's rows with its questions, a batch in memory at a time, for its files."""
    left_out = release.left_out.order_by().values_list("instance_id", flat=True)
    return streamed(released(release), without=list(left_out))


def released(release: Release) -> QuerySet[Contradiction]:
    """The release's rows in its order, also if the collection has changed since."""
    # A new version keeps its position, so the collection's order is the release's order.
    keys = release.rows.values("contradiction")
    return Contradiction.objects.filter(pk__in=keys).order_by("position")


def release_of(collection: Collection, version: str) -> Release:
    """The collection's release of that version. Raises NotFoundHere."""
    rows = collection.releases.filter(version=version)
    return first_of(rows, f"{collection.name} has no release {version!r}.")

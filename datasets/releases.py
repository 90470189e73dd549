"""Freezing what a collection holds, so that a paper can cite it."""

import re

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from accounts.models import Person
from datasets.exporters import EXPORTERS
from datasets.exporting import sha256_of
from datasets.models import Collection, Contradiction, Release, ReleaseRow
from datasets.records import BATCH, current, locked, streamed
from leases.refusal import Conflict, NotFoundHere, Refusal

# The hash of a release is that of this format's file.
HASHED = "wikicontradict-json"
VERSION = re.compile(r"\A[0-9A-Za-z][0-9A-Za-z._-]{0,39}\Z")


@transaction.atomic
def freeze(
    *, collection: Collection, version: str, notes: str = "", by: Person | None = None
) -> Release:
    """Release the collection as it stands: its newest rows, in order, with the hash of their JSON export.

    Raises Conflict where that version exists, Refusal where there is nothing to release or the version is no name.
    """
    if not VERSION.match(version):
        raise Refusal(
            "A version has up to 40 letters, digits, . _ - and starts with a letter or digit."
        )
    locked(collection)
    if collection.releases.filter(version=version).exists():
        raise Conflict(
            f"Version {version} of {collection.name} exists and never changes; choose another."
        )
    keys = list(current(collection).values_list("pk", flat=True))
    if not keys:
        raise Refusal("The collection is empty; there is nothing to release.")
    release = Release.objects.create(
        collection=collection,
        version=version,
        notes=notes,
        sha256=sha256_of(EXPORTERS[HASHED], streamed(current(collection))),
        app_version=settings.VERSION,
        created_by=by,
    )
    rows = [
        ReleaseRow(release=release, contradiction_id=key, position=n) for n, key in enumerate(keys)
    ]
    ReleaseRow.objects.bulk_create(rows, batch_size=BATCH)
    return release


def released(release: Release) -> QuerySet[Contradiction]:
    """The release's rows in its order, whatever the collection has become since."""
    # Positions are kept over versions, so the collection's order is the order in which they were frozen.
    keys = release.rows.values("contradiction")
    return Contradiction.objects.filter(pk__in=keys).order_by("position")


def release_of(collection: Collection, version: str) -> Release:
    """The collection's release of that version. Raises NotFoundHere."""
    release = collection.releases.filter(version=version).first()
    if release is None:
        raise NotFoundHere(f"{collection.name} has no release {version!r}.")
    return release

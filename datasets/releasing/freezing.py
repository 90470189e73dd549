"""Freezing a release, and reading its rows."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.audit import AuditKind, record
from accounts.models import Person
from datasets.counts import current_instances
from datasets.exclusions import in_force
from datasets.exporters import Exporter, FileFormat, exporters_of, hashed
from datasets.exporters.complete_json import CompleteJson
from datasets.models import (
    Collection,
    Contradiction,
    Erratum,
    Instance,
    Release,
    ReleaseExclusion,
    ReleaseFile,
    ReleaseRow,
)
from datasets.records import current, locked
from datasets.releasing.bundle.writing import Bundle, stored_bundle
from datasets.releasing.stored_files import StoredFile, store
from datasets.releasing.withholding import given_out
from datasets.streaming import StreamedRow, streamed
from leases.bulk import insert_values
from leases.refusal import Conflict, Refusal
from leases.rows import first_of

Rows = Iterator[StreamedRow]
VERSION = re.compile(r"\A[0-9A-Za-z][0-9A-Za-z._-]{0,39}\Z")


@dataclass(frozen=True)
class _Content:
    """What a release would hold now: the keys of its records in order, and the excluded questions with the reasons."""

    keys: list[int]
    excluded: dict[int, str]


def freeze(
    *,
    collection: Collection,
    version: str,
    notes: str = "",
    doi: str = "",
    by: Person | None = None,
    along: Callable[[Rows], Rows] = iter,
    recorded: Callable[[], None] = lambda: None,
) -> Release:
    """Release the collection: its newest rows, in order, as files that never change.

    Records whose text is withheld are left out, and excluded questions; the release records which of these, and why. A
    contradiction that has lost all of its questions stays, as a record without any; a record of a protocol is left out
    with its question.

    The files are written first, while others go on working; the rows that name them appear together. A process killed
    before leaves files that no release names. `along` passes on the rows of each reading, and `recorded` is called last
    in the transaction; what they raise stops the freeze.
    Raises Conflict if that version exists or the collection changed meanwhile, Refusal if nothing is left to release or
    the version is no valid name, ExportFailed if there is no room.
    """
    check_version(collection, version)
    content = _content(collection)
    _check_content(collection, content)
    # The bundle says when it was frozen, so the moment is chosen here and not when the row is saved.
    release = Release(
        collection=collection,
        version=version,
        notes=notes,
        doi=doi,
        about=collection.about,
        head=CompleteJson(collection).head,
        app_version=settings.VERSION,
        created_by=by,
        created_at=timezone.now(),
    )

    def rows() -> Rows:
        return along(streamed(given_out(current(collection)), without=list(content.excluded)))

    files = [_written(release, exporter, rows()) for exporter in exporters_of(collection).values()]
    [release.sha256] = [file.sha256 for file in files if file.format == hashed(collection).name]
    files.append(_bundled(release, content, rows, files))
    return _recorded(release, content, files, recorded)


def _content(collection: Collection) -> _Content:
    return _Content(
        list(given_out(current(collection)).values_list("pk", flat=True)),
        dict(
            in_force(collection)
            .filter(instance__contradiction__withheld=None)
            .order_by("pk")
            .values_list("instance_id", "reason")
        ),
    )


def _check_content(collection: Collection, content: _Content) -> None:
    if not content.keys:
        raise Refusal("The collection is empty; there is nothing to release.")
    if content.excluded and len(content.excluded) == _questions(collection).count():
        raise Refusal("Every question of the collection is excluded; there is nothing to release.")


def _questions(collection: Collection) -> QuerySet[Instance]:
    return current_instances(collection).filter(contradiction__withheld=None)


def _written(release: Release, exporter: Exporter, rows: Rows) -> ReleaseFile:
    """The file of this format, stored; its row is not saved yet."""
    stored = store(text.encode("utf-8") for text in exporter.chunks(rows))
    return named_file(release.collection, release.version, exporter, stored)


def _bundled(
    release: Release, content: _Content, rows: Callable[[], Rows], files: list[ReleaseFile]
) -> ReleaseFile:
    stored = stored_bundle(release, rows, files, len(content.excluded))
    return named_file(release.collection, release.version, Bundle(), stored)


def named_file(
    collection: Collection, version: str, of: FileFormat, stored: StoredFile
) -> ReleaseFile:
    """The stored file by the name of its format; its row is not saved yet."""
    return ReleaseFile(
        format=of.name,
        name=f"{collection.name}-{version}{of.suffix}",
        bytes=stored.bytes,
        sha256=stored.sha256,
    )


@transaction.atomic
def _recorded(
    release: Release, content: _Content, files: list[ReleaseFile], recorded: Callable[[], None]
) -> Release:
    collection = release.collection
    locked(collection)
    check_version(collection, release.version)
    if _content(collection) != content:
        raise Conflict(
            "The collection changed while it was frozen, so nothing was released. Freeze it again."
        )
    release.save()
    rows = [
        {"release_id": release.pk, "contradiction_id": key, "position": n}
        for n, key in enumerate(content.keys)
    ]
    # Without an object each: nobody else writes meanwhile on SQLite.
    insert_values(ReleaseRow, rows)
    ReleaseExclusion.objects.bulk_create(
        ReleaseExclusion(release=release, instance_id=key, reason=reason)
        for key, reason in content.excluded.items()
    )
    for file in files:
        file.release = release
        file.save()
    record(AuditKind.FREEZE, release.created_by, f"release {release.version} of {collection.name}")
    recorded()
    return release


def check_version(collection: Collection, version: str) -> None:
    """Raises Refusal for what is no version, Conflict for one that exists."""
    if not VERSION.match(version):
        raise Refusal(
            "A version has up to 40 letters, digits, . _ - and starts with a letter or digit."
        )
    if collection.releases.filter(version=version).exists():
        raise Conflict(
            f"Version {version} of {collection.name} exists and never changes; choose another."
        )


def released_rows(release: Release) -> Rows:
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


def file_of(release: Release, format: str) -> ReleaseFile:
    """The release's file of that format. Raises NotFoundHere."""
    rows = release.files.filter(format=format)
    return first_of(rows, f"{release} has no file {format!r}.")


@transaction.atomic
def amend(release: Release, *, doi: str, erratum: str, by: Person) -> None:
    """Set the DOI, and add an erratum where there is a text; the release itself stays as it is."""
    locked(release.collection)
    text = erratum.strip()
    is_new = bool(text) and not release.errata.filter(text=text).exists()
    if doi == release.doi and not is_new:
        return
    release.doi = doi
    release.save(update_fields=["doi"])
    if is_new:
        Erratum.objects.create(release=release, text=text, added_by=by)
    record(AuditKind.DESCRIBE, by, f"DOI or erratum of {release}")

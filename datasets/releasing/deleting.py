"""Deleting the files of a withheld release; its rows and hashes stay, and say what there was."""

from collections.abc import Collection

from django.db import transaction
from django.db.models.functions import Now

from accounts.audit import AuditKind, record
from accounts.models import Person
from datasets.models import Release, ReleaseFile
from datasets.records import locked
from datasets.releasing.stored_files import path_of
from datasets.releasing.withholding import why_withheld
from leases.extension import ExtensionPoint
from leases.refusal import Conflict

# Where else files with these hashes lie, such as in backups.
kept_elsewhere: ExtensionPoint[[Collection[str]], list[str]] = ExtensionPoint(
    "datasets.releasing.deleting.kept_elsewhere"
)


def copies_of(release: Release) -> list[str]:
    """Where else its files lie, as far as it is known here."""
    hashes = set(release.files.values_list("sha256", flat=True))
    return [place for places in kept_elsewhere(hashes) for place in places]


@transaction.atomic
def delete_files(release: Release, *, by: Person) -> bool:
    """Delete the stored files of a withheld release; False where they were already. Raises Conflict for any other."""
    locked(release.collection)
    release.refresh_from_db()
    if not why_withheld(release):
        raise Conflict("The files of this release are given out, and are not deleted.")
    if release.files_deleted_at:
        return False
    served = Release.objects.exclude(rows__contradiction__withheld__isnull=False)
    hashes = set(release.files.values_list("sha256", flat=True))
    others = ReleaseFile.objects.filter(release__in=served, sha256__in=hashes)
    # Files first: if this is cut off, it can be pressed again.
    for sha256 in hashes - set(others.values_list("sha256", flat=True)):
        path_of(sha256).unlink(missing_ok=True)
    release.files_deleted_at, release.files_deleted_by = Now(), by
    release.save(update_fields=["files_deleted_at", "files_deleted_by"])
    release.refresh_from_db()
    record(
        AuditKind.PUBLISH,
        by,
        f"files of release {release.version} of {release.collection.name} deleted",
    )
    return True

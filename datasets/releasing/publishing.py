"""Releases that are read without signing in: at a chosen address, or at one that nobody can guess."""

import hashlib
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from accounts.audit import AuditKind, record
from accounts.models import Person
from datasets.models import Collection, Contradiction, Publication, PublishedName, Release
from datasets.records import locked
from datasets.releasing.freezing import released
from datasets.releasing.withholding import why_withheld
from leases.extension import ExtensionPoint
from leases.refusal import Conflict, NotFoundHere, Refusal

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}\Z")
REASON_LIMIT = 1000
GONE = "There is no published release at this address."


@dataclass(frozen=True)
class OpenUse:
    """Work on records of a release that goes on, by people who are not to read them yet; `page` may be empty."""

    words: str
    page: str = ""


# The work on these records that goes on.
open_uses: ExtensionPoint[[QuerySet[Contradiction]], Iterable[OpenUse]] = ExtensionPoint(
    "datasets.releasing.publishing.open_uses"
)


def uses_of(release: Release) -> list[OpenUse]:
    return [use for found in open_uses(released(release)) for use in found]


def digest_of(uses: Iterable[OpenUse], *more: str) -> str:
    """Of what a person was told: a tick for less than there is now counts for nothing."""
    said = [*(use.words for use in uses), *filter(None, more)]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]


def published_now(release: Release) -> Publication | None:
    return release.publications.filter(withdrawn_at=None).first()


@transaction.atomic
def publish(release: Release, *, by: Person, name: str = "") -> tuple[Publication, bool]:
    """Give the release an address, with `name` or a random one in it; returns whether it was done now.

    A second click finds the first one's. Raises Refusal for what is no name, Conflict for a name of another collection
    and for a release whose files cannot be given out.
    """
    locked(release.collection)
    if already := published_now(release):
        return already, False
    if reason := why_withheld(release):
        raise Conflict(f"{reason} Publish a release without that text.")
    if name:
        _claim(name, release.collection)
    made = Publication.objects.create(
        release=release,
        token=name or secrets.token_urlsafe(24),
        version=release.version,
        is_named=bool(name),
        published_by=by,
    )
    record(AuditKind.PUBLISH, by, f"release {release.version} of {release.collection.name}")
    made.refresh_from_db()
    return made, True


def _claim(name: str, collection: Collection) -> None:
    """Let the name be the collection's for good: who cites an old address must not be led to other data."""
    if not NAME.match(name):
        raise Refusal(
            "A name has up to 60 lower-case letters, digits, . _ - and starts with a letter or digit."
        )
    # Of two at the same moment the second waits for the first.
    held, _ = PublishedName.objects.get_or_create(name=name, defaults={"collection": collection})
    if held.collection_id != collection.pk:
        raise Conflict(
            f"The name {name} is in the address of another collection's release. Choose another."
        )


@transaction.atomic
def withdraw(release: Release, *, reason: str, by: Person) -> bool:
    """Take the address away for good, with a reason that it shows; False where somebody has done it already.

    Raises Refusal without a reason, Conflict for a release that was never published.
    """
    locked(release.collection)
    row = published_now(release)
    if row is None:
        if release.publications.exists():
            return False
        raise Conflict("This release is not published.")
    row.reason = checked_reason(reason)
    row.withdrawn_by, row.withdrawn_at = by, Now()
    row.save(update_fields=["reason", "withdrawn_by", "withdrawn_at"])
    record(
        AuditKind.PUBLISH, by, f"release {release.version} of {release.collection.name}, withdrawn"
    )
    return True


def checked_reason(text: str) -> str:
    """The reason for a withdrawal. Raises Refusal for none, and for one that is too long."""
    text = text.replace("\x00", "").strip()
    if not text:
        raise Refusal("Give a reason: whoever follows the address reads it.")
    if len(text) > REASON_LIMIT:
        raise Refusal(f"The reason is longer than {REASON_LIMIT} characters. Shorten it.")
    return text


def publication_at(token: str, version: str) -> Publication:
    """What is or was published at the address, the current before withdrawn ones. Raises NotFoundHere."""
    rows = Publication.objects.filter(token=token, version=version)
    rows = rows.select_related("release__collection__protocol")
    found = rows.filter(withdrawn_at=None).first() or rows.first()
    if found is None:
        raise NotFoundHere(GONE)
    return found


def publications_at(token: str) -> list[Publication]:
    """What is or was published below the address: of each version the current one, the latest first.

    Raises NotFoundHere.
    """
    rows = Publication.objects.filter(token=token).select_related("release__collection__protocol")
    # Of one that was withdrawn and is published again, the current row comes last.
    found = {
        row.release_id: row
        for row in rows.order_by("release", F("withdrawn_at").asc(nulls_last=True))
    }
    if not found:
        raise NotFoundHere(GONE)
    return [found[key] for key in sorted(found, reverse=True)]


def newer_than(release: Release) -> Publication | None:
    """The latest release of the collection that is published by a name; a random address is given to nobody."""
    later = Publication.objects.filter(
        release__collection=release.collection,
        release__pk__gt=release.pk,
        withdrawn_at=None,
        is_named=True,
    )
    return later.order_by("-release").first()

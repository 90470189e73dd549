"""The versions of the annotators' guideline. The files in guidelines/ are the first; admins edit it in the app.

A version never changes. New campaigns get the current one, and each draft keeps the one that it began with.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from accounts.audit import AuditKind, record
from accounts.models import Person
from annotation.guideline_text import PARTS, body_of
from annotation.models import Campaign, Guideline
from annotation.states import CampaignState
from leases.refusal import Conflict, StaleVersion

FOLDER = Path(__file__).parent / "guidelines"


def body_of_files() -> str:
    return body_of({name: (FOLDER / f"{name}.md").read_text(encoding="utf-8") for name in PARTS})


@transaction.atomic
def current_guideline() -> Guideline:
    """The version that was saved last. Until an admin has saved one it is the content of the files."""
    saved = Guideline.objects.exclude(author=None)
    if saved.exists():
        return Guideline.objects.order_by("-current_since", "-pk")[0]
    return _made_current(body_of_files(), None)


@transaction.atomic
def save_guideline(texts: Mapping[str, str], *, base: str, by: Person) -> Guideline:
    """Make the version with these parts the current one; an earlier version of the same text is used again.

    Raises StaleVersion if `base`, the version that the texts were made from, is not the current one any more.
    """
    current_guideline()  # so that there is one to lock
    # Of two people who save at a time the second is refused.
    list(Guideline.objects.select_for_update().order_by("pk").values_list("pk"))
    current = current_guideline()
    body = body_of(texts)
    if body == current.body:  # a second click, or nothing changed
        return current
    if current.version != base:
        raise StaleVersion(
            f"Version {current.version} was saved since you began. Your text is below and is not saved yet."
        )
    guideline = _made_current(body, by)
    record(AuditKind.GUIDELINE, by, f"Version {guideline.version} saved")
    return guideline


def _made_current(body: str, author: Person | None) -> Guideline:
    try:
        guideline, is_new = _numbered(body, author)
    except IntegrityError:  # another version took the number meanwhile
        guideline, is_new = _numbered(body, author)
    if author and not is_new:
        Guideline.objects.filter(pk=guideline.pk).update(current_since=Now())
    return guideline


def _numbered(body: str, author: Person | None) -> tuple[Guideline, bool]:
    """The version of this text, and whether it was made now."""
    sha256 = hashlib.sha256(body.encode("utf-8")).hexdigest()
    version = str(Guideline.objects.count() + 1)
    return Guideline.objects.get_or_create(
        sha256=sha256, defaults={"version": version, "body": body, "author": author}
    )


@transaction.atomic
def use_current_guideline(campaign: Campaign, by: Person) -> Guideline:
    """Give the campaign's new drafts the current version; others keep theirs. Conflict for a closed campaign."""
    guideline = current_guideline()
    open_ones = Campaign.objects.filter(pk=campaign.pk, state=CampaignState.OPEN)
    if not open_ones.update(guideline=guideline):
        raise Conflict("The campaign is closed. Reopen it first.")
    record(AuditKind.GUIDELINE, by, f"{campaign.name}: version {guideline.version}")
    return guideline

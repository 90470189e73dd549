"""Tokens of people: made, listed, revoked, ended."""

from collections.abc import Collection

from django.db import transaction
from django.db.models import QuerySet

from accounts.audit import AuditKind, record
from accounts.models import ApiToken, Person
from accounts.tokens.bearer import IS_EXPIRED
from accounts.tokens.scopes import Scope, scopes_of
from accounts.tokens.token_text import hashed, new_text
from leases.clock import in_seconds
from leases.refusal import NotFoundHere, Refusal

DAY = 24 * 3600
USUAL_DAYS, MOST_DAYS = 90, 365
MOST_TOKENS = 50
# An expired one is listed for so long, so that its owner sees why a program stopped.
LISTED_FOR = 30 * DAY


@transaction.atomic
def make(person: Person, *, name: str, scopes: Collection[Scope], days: int = USUAL_DAYS) -> str:
    """The text of a new token, of which only the hash is stored. Raises Refusal."""
    beyond = [scope for scope in scopes if scope not in scopes_of(person.roles)]
    if not scopes or beyond:
        raise Refusal("Choose at least one scope, and none beyond your roles.")
    if not 1 <= days <= MOST_DAYS:
        raise Refusal(f"A token is valid for 1 to {MOST_DAYS} days.")
    if ApiToken.objects.filter(person=person).count() >= MOST_TOKENS:
        raise Refusal(f"You have {MOST_TOKENS} tokens. Revoke one that no program uses.")
    text = new_text()
    ApiToken.objects.create(
        person=person,
        name=name,
        scopes=[str(scope) for scope in Scope if scope in scopes],
        token_hash=hashed(text),
        expires_at=in_seconds(days * DAY),
    )
    chosen = ", ".join(scope for scope in Scope if scope in scopes)
    record(AuditKind.TOKEN, person, f"{name}: made for {days} days: {chosen}")
    return text


def listed(person: Person) -> QuerySet[ApiToken]:
    """Newest first, with those that have expired of late; each says whether it `is_expired`."""
    own = ApiToken.objects.filter(person=person)
    return own.annotate(is_expired=IS_EXPIRED).order_by("-pk")


@transaction.atomic
def revoke(person: Person, key: int, *, by: Person) -> None:
    """Raises NotFoundHere for one that has ended already."""
    own = ApiToken.objects.filter(person=person, pk=key)
    name = own.values_list("name", flat=True).first()
    if not own.delete()[0]:
        raise NotFoundHere("This token has been revoked already.")
    record(AuditKind.TOKEN, by, f"{name}: revoked", person=None if by == person else person)


def end_all(person: Person) -> None:
    """What ends a person's access ends their tokens; the audit log has what it was."""
    ApiToken.objects.filter(person=person).delete()


def sweep() -> int:
    return ApiToken.objects.filter(expires_at__lt=in_seconds(-LISTED_FOR)).delete()[0]

"""The audit log: who did what to the installation, and when.

An entry never holds a secret, and never what a stranger typed as a name, which may be a password. People are keys, so
those who are forgotten stay in it under their pseudonym. A trigger refuses changes (migrations/0001).
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice

from django.conf import settings
from django.db.models import QuerySet, Subquery
from django.http import HttpRequest

from accounts.models import AuditEvent, Person
from leases.clock import in_seconds

AuditKind = AuditEvent.Kind
BATCH = 1_000
# For so long, and so many, a person sees what others did with their work; joining takes less than the last one.
TOLD_FOR = timedelta(days=30)
MOST_TOLD = 10
JOINING = timedelta(minutes=1)
# A key of request.META, for what a person signed in with besides or instead of a password.
SIGNED_IN_WITH = "accounts.signed_in_with"


def record(
    kind: AuditKind, by: Person | None, about: str = "", *, person: Person | None = None
) -> None:
    """Write an entry; call it in the transaction of what it records.

    by: None for the command line and for somebody who is not signed in. about: what it was done to, such as a
    collection's name; no name of a person. person: whom it was done to. The demonstration's invented people, who can
    be removed, do nothing that is recorded.
    """
    if not any(someone and someone.is_demonstration for someone in (by, person)):
        AuditEvent.objects.create(kind=kind, by=by, about=about[:200], person=person)


def record_sign_in(sender: object, request: HttpRequest, user: Person, **signal: object) -> None:
    """Receiver of user_logged_in."""
    record(AuditKind.SIGN_IN, user, request.META.get(SIGNED_IN_WITH, ""))


def expire() -> int:
    """Delete the entries older than AUDIT_DAYS in short transactions; returns how many."""
    old = AuditEvent.objects.filter(
        at__lt=in_seconds(-timedelta(days=settings.AUDIT_DAYS).total_seconds())
    )
    deleted = 0
    while keys := list(old.order_by("at", "pk").values_list("pk", flat=True)[:BATCH]):
        deleted += AuditEvent.objects.filter(pk__in=keys).delete()[0]
    return deleted


# ------------------------------------------------------------ reading


def told(person: Person) -> list[AuditEvent]:
    """What others did lately with the person's work, roles and access; not the roles that came with joining."""
    rows = AuditEvent.objects.filter(person=person, kind__in=(AuditKind.WORK, AuditKind.ROLE))
    rows = rows.filter(
        at__gt=in_seconds(-TOLD_FOR.total_seconds()), at__gte=person.joined_at + JOINING
    )
    return list(rows.exclude(by=person).select_related("by").order_by("-at", "-pk")[:MOST_TOLD])


@dataclass(frozen=True)
class Narrowing:
    """What a list of entries is narrowed to; None and "" narrow nothing. `until` is the last day, in UTC."""

    kind: str = ""
    person: Person | None = None
    since: date | None = None
    until: date | None = None


def entries(
    to: Narrowing, *, before: AuditEvent | None = None, batch: int = BATCH
) -> Iterator[AuditEvent]:
    """The latest first, those earlier than `before`; read from an index, a batch at a time."""
    while rows := list(islice(_merged(to, before, batch), batch)):
        yield from rows
        before = rows[-1]


def _merged(to: Narrowing, before: AuditEvent | None, most: int) -> Iterator[AuditEvent]:
    rows = _narrowed(to, before).select_related("by", "person").order_by("-at", "-pk")
    if to.person is None:
        return iter(rows[:most])
    # Each of the two is in the order of an index; a condition with OR would be sorted.
    done = rows.filter(by=to.person)[:most]
    received = rows.filter(person=to.person).exclude(by=to.person)
    return heapq.merge(done, received[:most], key=lambda row: (row.at, row.pk), reverse=True)


def _narrowed(to: Narrowing, before: AuditEvent | None) -> QuerySet[AuditEvent]:
    rows = AuditEvent.objects.all()
    if to.kind:
        rows = rows.filter(kind=to.kind)
    if to.since:
        rows = rows.filter(at__gte=_midnight(to.since))
    if to.until:
        rows = rows.filter(at__lt=_midnight(to.until + timedelta(days=1)))
    if before:
        # As the database has it: SQLite's own clock writes fewer digits than a parameter has.
        then = Subquery(AuditEvent.objects.filter(pk=before.pk).values("at"))
        rows = rows.filter(at__lte=then).exclude(at=then, pk__gte=before.pk)
    return rows


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)

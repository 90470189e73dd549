"""A person's sessions: recorded at sign-in, listed, ended."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils import timezone

from accounts.browsers import browser_named
from accounts.hashing import keyed_hash
from accounts.models import Person, Session
from leases.refusal import NotFoundHere


@dataclass(frozen=True)
class ShownSession:
    """A session as its person sees it. `handle` identifies it in a form; its secret key is never shown."""

    handle: str
    browser: str
    signed_in_at: datetime | None
    is_this: bool


def note_sign_in(sender: object, request: HttpRequest, user: Person, **signal: Any) -> None:
    """Receiver of user_logged_in: record the browser and the time."""
    request.session.set_expiry(None)  # a sign-in under way has less time than a session
    request.session["browser"] = browser_named(request.headers.get("User-Agent", ""))
    request.session["signed_in_at"] = timezone.now().isoformat()


def of_person(person: Person, this: str | None) -> list[ShownSession]:
    """The person's valid sessions, newest first; `this` is the key of the current one."""
    rows = Session.objects.filter(person=person, expire_date__gt=Now()).order_by("-signed_in_at")
    return [
        ShownSession(handle_of(row), row.browser, row.signed_in_at, row.session_key == this)
        for row in rows
    ]


def handle_of(session: Session) -> str:
    return keyed_hash("session", session.session_key)


def end(person: Person, handle: str) -> None:
    """End one of the person's sessions. Raises NotFoundHere."""
    for session in Session.objects.filter(person=person):
        if handle_of(session) == handle:
            session.delete()
            return
    raise NotFoundHere("This session has ended already.")


def end_all(person: Person, but: str | None = None) -> int:
    """End all the person's sessions except the one with the key `but`; returns how many."""
    return Session.objects.filter(person=person).exclude(session_key=but or "").delete()[0]

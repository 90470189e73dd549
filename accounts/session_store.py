"""Django's database sessions, with a column for their person. SESSION_ENGINE names this module."""

from typing import Any

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db.models import F
from django.db.models.functions import Now
from django.utils.crypto import constant_time_compare

from accounts.models import Person, Session
from accounts.roles import Role


class SessionStore(DatabaseStore):
    """Stores a session's person and browser in columns, so that people can list and end their sessions.

    One statement reads the session with its person and their roles, anew for each request.
    """

    _person: Person | None = None

    def _get_session_from_db(self) -> Session | None:
        # A valid session with its person, and a row for each of their roles.
        valid = Session.objects.filter(session_key=self.session_key, expire_date__gt=Now())
        rows = valid.select_related("person").annotate(role=F("person__grants__role"))
        found = list(rows)
        if not found:
            self._session_key = None
            return None
        if person := found[0].person:
            person.know_roles({Role(row.role) for row in found if row.role})
        self._person = person
        return found[0]

    def signed_in(self) -> Person | None:
        """The person, unless they may not sign in any more, or their password has changed since."""
        given = self.get(HASH_SESSION_KEY, "")  # reads the session
        person = self._person
        if person is None or not person.is_active:
            return None
        if not constant_time_compare(given, person.get_session_auth_hash()):
            self.flush()
            return None
        return person

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        row: Session = super().create_model_instance(data)  # type: ignore[assignment]
        row.person_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        row.browser = data.get("browser", "")
        row.signed_in_at = data.get("signed_in_at")
        return row

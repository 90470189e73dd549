"""Django's database sessions, with a column for their person. SESSION_ENGINE names this module."""

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore

from accounts.models import Session


class SessionStore(DatabaseStore):
    """Stores a session's person and browser in columns, so that people can list and end their sessions."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        row: Session = super().create_model_instance(data)  # type: ignore[assignment]
        row.person_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        row.browser = data.get("browser", "")
        row.signed_in_at = data.get("signed_in_at")
        return row

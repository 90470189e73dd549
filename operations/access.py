"""Who may see the health of the installation: an admin, or a program with the token."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from accounts.models import Person
from accounts.roles import Role


def has_token(request: HttpRequest) -> bool:
    """Whether the request carries METRICS_TOKEN as a bearer token; False if none is set."""
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    wanted = settings.METRICS_TOKEN
    return bool(wanted) and scheme.lower() == "bearer" and constant_time_compare(given, wanted)


def is_admin(request: HttpRequest) -> bool:
    """Reads the session, so it must not be called while the database is down."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return False
    return isinstance(request.user, Person) and request.user.has_role(Role.ADMIN)

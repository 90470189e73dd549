"""The banner on pages while something is wrong with the installation."""

from django.http import HttpRequest

from accounts.models import Person
from accounts.roles import Role
from operations.monitoring.findings import Finding
from operations.monitoring.health import watch

# Pages on which people wait for responses, and the findings that delay these.
WAITING_PAGES = {"generation:run"}
AWAITED = ("broker", "generation", "service ")


def context(request: HttpRequest) -> dict[str, object]:
    """Context processor: `alarms`. Admins also see what to do; other people see only what delays their page."""
    person = getattr(request, "user", None)
    if not isinstance(person, Person):
        return {"alarms": []}
    if person.has_role(Role.ADMIN):
        return {"alarms": watch.report().troubles, "may_fix_alarms": True}
    if request.resolver_match and request.resolver_match.view_name in WAITING_PAGES:
        return {"alarms": [trouble for trouble in watch.report().troubles if is_awaited(trouble)]}
    return {"alarms": []}


def is_awaited(trouble: Finding) -> bool:
    return trouble.name.startswith(AWAITED)

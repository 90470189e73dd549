"""What stands on top of pages while something is wrong with the installation."""

from django.http import HttpRequest

from accounts.models import Person
from accounts.roles import Role
from operations.findings import Finding
from operations.health import watch

# Pages on which people wait for responses, and what they wait for.
WAITING_PAGES = {"generation:run"}
AWAITED = ("broker", "generation", "service ")


def context(request: HttpRequest) -> dict[str, object]:
    """Context processor: `alarms`, each with what to do for an admin, without for those who wait."""
    person = getattr(request, "user", None)
    if not isinstance(person, Person):
        return {"alarms": []}
    if person.has_role(Role.ADMIN):
        return {"alarms": watch.report().troubles, "may_mend_alarms": True}
    if request.resolver_match and request.resolver_match.view_name in WAITING_PAGES:
        return {"alarms": [one for one in watch.report().troubles if is_awaited(one)]}
    return {"alarms": []}


def is_awaited(trouble: Finding) -> bool:
    return trouble.name.startswith(AWAITED)

"""/readyz for a load balancer, /metrics for Prometheus: for an admin, or a program with the token."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe

from accounts.models import Person
from accounts.roles import Role
from leases.refusal import NotAllowed, NotFoundHere
from operations.monitoring import metrics
from operations.monitoring.exposition import CONTENT_TYPE
from operations.monitoring.health import watch


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


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 if requests can be served and work gets done, else 503. Admins and the token get the details."""
    report = watch.report()
    data: dict[str, object] = {"ok": report.ok}
    if has_token(request) or (report.is_well("database") and is_admin(request)):
        data["checks"] = [
            {
                "name": finding.name,
                "state": finding.state,
                "sentence": finding.sentence,
                "remedy": finding.remedy,
            }
            for finding in report.findings
        ]
    return JsonResponse(data, status=200 if report.ok else 503)


@require_safe
def prometheus(request: HttpRequest) -> HttpResponse:
    """The metrics in Prometheus' format, for a program with the token."""
    if not settings.METRICS_TOKEN:
        raise NotFoundHere("There are no figures here. To have them, set METRICS_TOKEN.")
    if not has_token(request):
        raise NotAllowed("Send METRICS_TOKEN as a bearer token in the header Authorization.")
    return HttpResponse(metrics.exposed(), content_type=CONTENT_TYPE)

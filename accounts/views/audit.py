"""The admins' page of the audit log, and the log as CSV."""

from collections.abc import Iterator
from itertools import islice

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts import audit
from accounts.access import roles_required
from accounts.forms import AuditForm
from accounts.models import AuditEvent
from accounts.roles import Role
from accounts.throttles import counted
from pages.data_responses import csv_response
from pages.paging import PER_PAGE

HEADER = ("time", "kind", "by", "person", "about")


@require_safe
@roles_required(Role.ADMIN)
def log(request: HttpRequest) -> HttpResponse:
    """One page; `?before=` the entry with this key. Filters that are not valid show nothing."""
    form = AuditForm(request.GET)
    key = request.GET.get("before", "")
    before = (
        AuditEvent.objects.filter(pk=key).first() if key.isdecimal() and len(key) < 19 else None
    )
    found = (
        audit.entries(form.narrowing, before=before, batch=PER_PAGE + 1)
        if form.is_valid()
        else iter(())
    )
    rows = list(islice(found, PER_PAGE + 1))
    query = request.GET.copy()
    query.pop("before", None)
    context = {
        "form": form,
        "rows": rows[:PER_PAGE],
        "older": rows[PER_PAGE - 1].pk if len(rows) > PER_PAGE else None,
        "is_later_page": before is not None,
        "query": query.urlencode(),
        "days": settings.AUDIT_DAYS,
    }
    return render(request, "accounts/audit.html", context, status=200 if form.is_valid() else 400)


@require_safe
@roles_required(Role.ADMIN)
@counted("downloads")
def log_csv(request: HttpRequest) -> HttpResponseBase:
    """The entries that the page lists; people appear under their pseudonyms."""
    form = AuditForm(request.GET)
    if not form.is_valid():
        return log(request)
    lines = _lines(audit.entries(form.narrowing))
    return csv_response(request, HEADER, lines, "audit-log.csv")


def _lines(entries: Iterator[AuditEvent]) -> Iterator[tuple[str, ...]]:
    for row in entries:
        people = (someone.pseudonym if someone else "" for someone in (row.by, row.person))
        yield (row.at.isoformat(), row.kind, *people, row.about)

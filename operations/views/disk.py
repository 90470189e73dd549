"""The page that says what takes the room."""

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import roles_required
from accounts.roles import Role
from leases.clock import now
from operations import backups, disk

# A nightly backup that failed once shows here the day after.
OLD = timedelta(days=2)
LITTLE = 0.1


@require_safe
@roles_required(Role.ADMIN)
def overview(request: HttpRequest) -> HttpResponse:
    found = disk.measured()
    at = backups.last_backup()
    context = {
        "disk": found,
        "last_backup": at,
        "backup_is_old": at is not None and now() - at > OLD,
        "is_little": found.free < LITTLE * found.total,
    }
    return render(request, "operations/overview.html", context)

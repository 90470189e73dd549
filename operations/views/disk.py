"""The page of disk use and backups."""

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import roles_required
from accounts.roles import Role
from leases.clock import now
from operations import backups, disk

# With nightly backups, one failure shows here on the next day.
OLD = timedelta(days=2)
LITTLE = 0.1


@require_safe
@roles_required(Role.ADMIN)
def overview(request: HttpRequest) -> HttpResponse:
    use = disk.measured()
    at = backups.last_backup()
    context = {
        "disk": use,
        "last_backup": at,
        "backup_is_old": at is not None and now() - at > OLD,
        "is_little": use.free < LITTLE * use.total,
    }
    return render(request, "operations/overview.html", context)

"""Freezing a release: at once, or by a worker, with a page of its progress."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from datasets.blinding import keep_listed
from datasets.exclusions import left_out_for
from datasets.models import Collection, FreezeJob, Release
from datasets.records import collection_named
from datasets.releasing import freeze_jobs
from datasets.releasing.forms import ReleaseForm
from datasets.releasing.freezing import freeze
from datasets.releasing.names_found import names_in
from datasets.states import FREEZE_JOB, FreezeState
from datasets.tasks import carry_out_freeze
from datasets.views.collections import collection_page
from leases.enqueue import send_on_commit
from pages.counting import how_many
from pages.refusals import refused_in


@require_POST
@roles_required(Role.ADMIN)
def freeze_release(request: HttpRequest, name: str) -> HttpResponse:
    """Freeze the collection under a version."""
    collection = collection_named(name)
    form, names = ReleaseForm(request.POST), names_in(collection, person_of(request))
    if names.digest != request.POST.get("names_read", ""):
        form.add_error(
            None, "Comments may name somebody. Read them below, and tick the box to go on."
        )
    if form.is_valid():
        with refused_in(form, "version"):
            made = frozen_or_begun(collection, **form.cleaned_data, by=person_of(request))
            if isinstance(made, FreezeJob):
                return redirect("datasets:freezing", name, made.version)
            messages.success(
                request,
                f"Version {made.version} is frozen{_without(made, person_of(request))}; its sha256 is {made.sha256}.",
            )
            return redirect("datasets:release", name, made.version)
    keep_listed(person_of(request), {place.contradiction for place in names.places}, request.path)
    return collection_page(request, collection, refused=form, names=names)


def frozen_or_begun(collection: Collection, **asked: Any) -> Release | FreezeJob:
    """The release of this version (freezing.freeze); of a large collection, the job that makes it."""
    if not freeze_jobs.is_large(collection):
        return freeze(collection=collection, **asked)
    job = freeze_jobs.begin(collection=collection, **asked)
    send_on_commit(carry_out_freeze, job.pk)
    return job


def _without(made: Release, person: Person) -> str:
    left_out = left_out_for(person).filter(release=made).count()
    return f", without {how_many(left_out, 'excluded question')}" if left_out else ""


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER, Role.ANNOTATOR)
def freezing(request: HttpRequest, name: str, version: str) -> HttpResponse:
    """How far the freeze is; the release once it is done. A fragment for htmx."""
    job, is_part = (
        freeze_jobs.job_of(collection_named(name), version),
        "HX-Request" in request.headers,
    )
    if job.state == FreezeState.DONE:
        address = reverse("datasets:release", args=[name, version])
        return HttpResponse(headers={"HX-Redirect": address}) if is_part else redirect(address)
    context = {
        "collection": job.collection,
        "job": job,
        "is_going_on": job.state in freeze_jobs.OPEN,
        "may_cancel": FREEZE_JOB.may(job, "cancel") and person_of(request).has_role(Role.ADMIN),
    }
    return render(request, f"datasets/{'_freezing' if is_part else 'freezing'}.html", context)


@require_POST
@roles_required(Role.ADMIN)
def cancel_freezing(request: HttpRequest, name: str, version: str) -> HttpResponse:
    """End the freeze without a release; one that has failed is listed no more."""
    freeze_jobs.cancel(freeze_jobs.job_of(collection_named(name), version))
    messages.success(request, f"Version {version} is not frozen. Nothing was released.")
    return redirect("datasets:collection", name)

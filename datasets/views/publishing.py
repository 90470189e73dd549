"""Publishing a release, withdrawing it, and deleting its files once they are withheld: for admins."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, roles_required
from accounts.roles import Role
from datasets.blinding import keep_listed
from datasets.models import Release
from datasets.records import collection_named
from datasets.releasing.deleting import copies_of, delete_files
from datasets.releasing.forms import PublishForm, WithdrawForm
from datasets.releasing.freezing import release_of
from datasets.releasing.names_found import forgotten_in, forgotten_on_page, names_on_page
from datasets.releasing.publishing import digest_of, publish, published_now, uses_of, withdraw
from datasets.releasing.released import counts
from datasets.releasing.withholding import why_withheld
from leases.refusal import Conflict
from pages.refusals import form_page, refused_in


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def publish_release(request: HttpRequest, name: str, version: str) -> HttpResponse:
    """Say what becomes public and who still works with it, and publish once that is ticked."""
    row = release_of(collection_named(name), version)
    if published_now(row):
        return _shown(request, row, "This release is published already, at the address below.")
    uses, by = uses_of(row), person_of(request)
    forgotten, in_records = forgotten_on_page(row, by), forgotten_in(row, by)
    named = (f"{where} {pieces}" for where, pieces in forgotten)
    digest = digest_of(uses, *named, in_records.digest)
    form = PublishForm(request.POST if request.method == "POST" else None)
    if form.is_bound and request.POST.get("read") != digest:
        form.add_error(None, "Read what is said below, and tick that you have.")
    if form.is_valid():
        with refused_in(form, "name"):
            publish(row, by=by, name=form.cleaned_data["name"])
            return _shown(request, row, "Anyone with the address below can read this release now.")
    keep_listed(by, {place.contradiction for place in in_records.places}, request.path)
    context = {
        "collection": row.collection,
        "release": row,
        "form": form,
        "uses": uses,
        "digest": digest,
        "counts": counts(row),
        "names": names_on_page(row, by),
        "forgotten": forgotten,
        "in_records": in_records,
        "withheld": why_withheld(row),
        "base": request.build_absolute_uri("/data/"),
    }
    return form_page(request, "datasets/publish.html", context)


def _shown(request: HttpRequest, row: Release, message: str) -> HttpResponse:
    messages.success(request, message)
    return redirect("datasets:release", row.collection.name, row.version)


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def withdraw_release(request: HttpRequest, name: str, version: str) -> HttpResponse:
    """Ask for the reason, and withdraw the release from its address."""
    row = release_of(collection_named(name), version)
    publication = row.publications.first()
    if publication is None:
        raise Conflict("This release is not published.")
    if publication.withdrawn_at:
        return _shown(request, row, "The release is withdrawn already.")
    form = WithdrawForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refused_in(form, "reason"):
            withdraw(row, reason=form.cleaned_data["reason"], by=person_of(request))
            return _shown(request, row, "The release is withdrawn. Its address says so, and why.")
    context = {"collection": row.collection, "release": row, "form": form}
    return form_page(request, "datasets/withdraw.html", context)


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def delete_release_files(request: HttpRequest, name: str, version: str) -> HttpResponse:
    """Name the files of a withheld release and their copies, and delete them once that is confirmed."""
    row = release_of(collection_named(name), version)
    reason = why_withheld(row)
    if not reason:
        raise Conflict("The files of this release are given out, and are not deleted.")
    if row.files_deleted_at:
        return _shown(request, row, "The files are deleted already.")
    if request.method == "POST":
        delete_files(row, by=person_of(request))
        return _shown(request, row, "The files are deleted. The release keeps its rows and hashes.")
    context = {
        "collection": row.collection,
        "release": row,
        "reason": reason,
        "copies": copies_of(row),
    }
    return render(request, "datasets/delete_files.html", context)

"""Pages of releases: what a collection says of itself, freezing, a page and the files of each release."""

from collections import Counter
from collections.abc import Mapping

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, roles_required
from accounts.roles import Role
from accounts.throttles import counted
from datasets.blinding import keep_listed, show
from datasets.exclusions import left_out_for
from datasets.exporters import exports_of
from datasets.models import Contradiction, Publication, Release
from datasets.records import collection_named
from datasets.releasing.citing import bibtex, plain, source_of
from datasets.releasing.comparing import (
    Change,
    changes,
    field_changes,
    left_out_since,
    shown_changes,
)
from datasets.releasing.describing import describe
from datasets.releasing.forms import AmendForm, DescriptionForm
from datasets.releasing.freezing import amend, file_of, release_of, released
from datasets.releasing.released import counts, format_of, shown_files
from datasets.releasing.stored_files import opened
from datasets.releasing.withholding import left_out_of_next, next_version, why_withheld
from datasets.views.published import address_of
from pages.paging import page_of
from pages.refusals import form_page, refused_in
from pages.stored_responses import stored_response

READERS = (Role.ADMIN, Role.RESEARCHER, Role.ANNOTATOR)
EXPORT = (Role.ADMIN, Role.RESEARCHER)


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def description(request: HttpRequest, name: str) -> HttpResponse:
    """What the collection says of itself; a release copies it."""
    collection = collection_named(name)
    posted = request.POST if request.method == "POST" else None
    form = DescriptionForm(posted, collection=collection)
    if form.is_valid():
        describe(collection, form.entered, by=person_of(request))
        messages.success(request, "The description is saved. New releases copy it.")
        return redirect("datasets:collection", name)
    return form_page(request, "datasets/description.html", {"form": form, "collection": collection})


@require_safe
@roles_required(*EXPORT)
def exports(request: HttpRequest, name: str) -> HttpResponse:
    """The files that the collection can be exported to, as it is now."""
    collection = collection_named(name)
    context = {"collection": collection, "exporters": exports_of(collection).values()}
    return render(request, "datasets/exports.html", context)


@require_safe
@roles_required(*READERS)
def release(request: HttpRequest, name: str, version: str) -> HttpResponse:
    return _release_page(request, release_of(collection_named(name), version))


def _release_page(
    request: HttpRequest, row: Release, refused: AmendForm | None = None
) -> HttpResponse:
    person, collection = person_of(request), row.collection
    publications = publications_for(request, row)
    address = address_to_cite(request, row, publications)
    withheld = why_withheld(row)
    left_out = left_out_for(person).filter(release=row)
    keep_listed(person, (one.instance.contradiction_id for one in left_out), request.path)
    context = {
        "collection": collection,
        "release": row,
        "counts": counts(row),
        "left_out": left_out,
        "files": shown_files(row),
        "may_export": person.has_role(*EXPORT) and not withheld,
        "withheld": withheld,
        "publications": publications,
        "is_published": any(each.withdrawn_at is None for each, _ in publications),
        "others": collection.releases.filter(pk__lt=row.pk),
        "plain": plain(row, address),
        "bibtex": bibtex(row, address),
        "source": source_of(row),
        "amend_form": refused
        or (AmendForm(initial={"doi": row.doi}) if person.has_role(Role.ADMIN) else None),
    }
    if withheld and person.has_role(Role.ADMIN):
        context["next_version"], context["left_out_of_next"] = (
            next_version(row),
            left_out_of_next(row),
        )
    return render(request, "datasets/release.html", context, status=400 if refused else 200)


def publications_for(request: HttpRequest, row: Release) -> list[tuple[Publication, str]]:
    """Where the release is published or was, with the addresses.

    None for who gets no file here: they are not led to where everybody gets it.
    """
    if not person_of(request).has_role(*EXPORT):
        return []
    return [(each, address_of(request, each)) for each in row.publications.all()]


def address_to_cite(
    request: HttpRequest, row: Release, publications: list[tuple[Publication, str]]
) -> str:
    """Where it is published now, else its page here."""
    own = request.build_absolute_uri(_address(row))
    return next((address for each, address in publications if not each.withdrawn_at), own)


def _address(row: Release) -> str:
    return reverse("datasets:release", args=[row.collection.name, row.version])


@require_safe
@roles_required(*READERS)
def changes_since(request: HttpRequest, name: str, version: str, earlier: str) -> HttpResponse:
    """What changed from an earlier release of the collection to this one, record by record."""
    collection, person = collection_named(name), person_of(request)
    old, new = release_of(collection, earlier), release_of(collection, version)
    found = changes(old, new)
    shown = shown_changes(found, person)
    page = page_of(request, shown)
    keys = {key for change in page for key in (change.before, change.after) if key}
    rows = Contradiction.objects.select_related("collection__protocol").in_bulk(keys)
    keep_listed(person, keys, request.path)
    left_out, back = left_out_since(old, new)
    context = {
        "collection": collection,
        "old": old,
        "new": new,
        "tally": Counter(change.kind for change in found),
        "hidden": len(found) - len(shown),
        "left_out": len(left_out),
        "back": len(back),
        "page": page,
        "rows": [_shown_change(change, rows) for change in page],
    }
    return render(request, "datasets/changes_since.html", context)


def _shown_change(change: Change, rows: Mapping[int, Contradiction]) -> dict[str, object]:
    before, after = (rows.get(key) if key else None for key in (change.before, change.after))
    fields = field_changes(before, after) if before and after else []
    return {"kind": change.kind, "record": after or before, "fields": fields}


@require_POST
@roles_required(Role.ADMIN)
def amend_release(request: HttpRequest, name: str, version: str) -> HttpResponse:
    """Set the release's DOI, and add an erratum; its files stay as they are."""
    row = release_of(collection_named(name), version)
    form = AmendForm(request.POST)
    if form.is_valid():
        with refused_in(form, "doi"):
            amend(row, **form.cleaned_data, by=person_of(request))
            messages.success(request, "Saved. The files are unchanged.")
            return redirect(_address(row))
    return _release_page(request, row, refused=form)


@require_safe
@roles_required(*EXPORT)
@counted("downloads")
def release_file(request: HttpRequest, name: str, version: str, format: str) -> HttpResponseBase:
    """A file of the release as it was stored when it was frozen."""
    return stored_file(request, release_of(collection_named(name), version), format)


def stored_file(request: HttpRequest, row: Release, format: str) -> HttpResponseBase:
    """The release's file of that format, or the part that is asked for."""
    file = file_of(row, format)
    show(person_of(request), released(row), request.path)
    return stored_response(
        request,
        opened(file),
        size=file.bytes,
        sha256=file.sha256,
        name=file.name,
        content_type=format_of(file).content_type,
    )

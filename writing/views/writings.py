"""Forms that are open or were: the list with what each person has to do, opening one, its overview, its entries."""

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.roles import Role
from accounts.throttles import counted
from datasets.blinding import check_collection, show
from datasets.exporters.export_files import spooled_by
from datasets.models import Collection
from datasets.records import collection_named, current
from leases.refusal import Refusal
from leases.rows import first_of
from pages.paging import page_of
from pages.refusals import form_page, refused_in
from writing import openings, overview, taking
from writing.blinding import check_shown
from writing.entry_files import entry_lines
from writing.forms import OpenForm
from writing.models import Entry, Writing


def writing_at(key: int) -> Writing:
    return first_of(overview.with_counts().filter(pk=key), "There is no such form.")


@require_GET
@roles_required(Role.ADMIN, Role.ANNOTATOR)
def writings(request: HttpRequest) -> HttpResponse:
    """What an annotator writes and checks; for an admin all forms."""
    person = person_of(request)
    is_admin = person.has_role(Role.ADMIN)
    declared = (
        Collection.objects.exclude(protocol=None).select_related("protocol") if is_admin else ()
    )
    context = {
        "own": overview.desk_of(person) if person.has_role(Role.ANNOTATOR) else None,
        "page": page_of(request, overview.with_counts()) if is_admin else None,
        "openable": [collection for collection in declared if overview.openable(collection)],
    }
    return render(request, "writing/writings.html", context)


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def new_writing(request: HttpRequest, name: str) -> HttpResponse:
    """Open a form of the collection's protocol."""
    collection = collection_named(name)
    if not overview.openable(collection):
        raise Refusal(f"The protocol of {collection.name} declares no form.")
    form = OpenForm(collection, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refused_in(form):
            made = openings.open_form(
                collection=collection,
                name=form.cleaned_data["form"],
                subset=form.chosen_subset(),
                by=person_of(request),
            )
            messages.success(request, "Open. Annotators find it under Writing.")
            return redirect("writing:writing", made.pk)
    return form_page(request, "writing/new.html", {"form": form, "collection": collection})


@require_GET
@roles_required(Role.ADMIN)
def writing(request: HttpRequest, key: int) -> HttpResponse:
    """One form: counts, the combinations that each base has, its entries."""
    row = writing_at(key)
    check_collection(person_of(request), row.collection)
    combinations, lines = overview.base_lines(row) if row.form.complete else ([], [])
    entries = row.entries.select_related("author", "checker", "record").defer("record__fields")
    context = {
        "writing": row,
        "form": row.form,
        "combinations": combinations,
        "bases": page_of(request, lines),
        "complete": sum(line.done == line.total for line in lines),
        "entries": entries[: overview.MOST_LISTED],
    }
    return render(request, "writing/writing.html", context)


@require_POST
@roles_required(Role.ADMIN)
def change(request: HttpRequest, key: int, verb: str) -> HttpResponse:
    act, said = {
        "close": (
            openings.close,
            "Closed. What is in progress can still be submitted and checked.",
        ),
        "reopen": (openings.reopen, "Open again."),
    }[verb]
    act(writing_at(key), person_of(request))
    messages.success(request, said)
    return redirect("writing:writing", key)


@require_POST
@roles_required(Role.ANNOTATOR)
def take(request: HttpRequest, key: int) -> HttpResponse:
    """Begin the next entry of the form."""
    row = writing_at(key)
    try:
        entry = taking.take_next(row, person_of(request))
    except Refusal as refusal:
        messages.error(request, refusal.message)
        return redirect("writing:writings")
    if entry is None:
        messages.info(request, f"“{row.form.title}” has nothing left for you now.")
        return redirect("writing:writings")
    return redirect("writing:entry", entry.pk)


@require_GET
@roles_required(Role.ADMIN, Role.RESEARCHER)
@counted("downloads")
def export(request: HttpRequest, name: str) -> FileResponse:
    """All entries of the collection, as a file of JSON lines."""
    collection, person = collection_named(name), person_of(request)
    check_shown(person, Entry.objects.filter(writing__collection=collection))
    show(person, current(collection), request.path)
    return FileResponse(
        spooled_by(lambda file: file.writelines(entry_lines(collection))),
        as_attachment=True,
        filename=f"{name}-entries.jsonl",
        content_type="application/x-ndjson; charset=utf-8",
    )

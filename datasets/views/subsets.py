"""The pages of a collection's subsets: all of them, one with its questions, and the form that draws one."""

from django.contrib import messages
from django.db.models import Count
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, roles_required
from accounts.roles import Role
from accounts.throttles import counted
from datasets.blinding import check_collection, show
from datasets.contradiction_page import titles_of
from datasets.forms import SubsetForm
from datasets.records import collection_named
from datasets.releasing.bundle.writing import Bundle
from datasets.releasing.subset_bundles import spooled_bundle
from datasets.subsets import (
    contradictions_of,
    described,
    freeze,
    slice_title,
    subset_of,
    superseded_in,
)
from pages.counting import how_many
from pages.paging import page_of
from pages.refusals import form_page, refused_in


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
def index(request: HttpRequest, name: str) -> HttpResponse:
    collection = collection_named(name)
    rows = collection.subsets.select_related("created_by").order_by("-pk")
    context = {
        "collection": collection,
        "page": page_of(request, rows.annotate(size=Count("instances"))),
        "may_draw": person_of(request).has_role(Role.ADMIN),
    }
    return render(request, "datasets/subsets.html", context)


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
def subset(request: HttpRequest, name: str, subset_id: int) -> HttpResponse:
    """One subset: how it was drawn, what changed since, its questions."""
    collection = collection_named(name)
    row = subset_of(collection, subset_id)
    show(person_of(request), contradictions_of(row), request.path)
    questions = row.instances.select_related("contradiction").defer("contradiction__fields")
    context = {
        "collection": collection,
        **titles_of(collection),
        "subset": row,
        "query": described(row),
        "by": slice_title(row, row.by) if row.by else "",
        "superseded": superseded_in(row),
        "page": page_of(request, questions.order_by("contradiction__position", "n")),
    }
    return render(request, "datasets/subset.html", context)


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
@counted("downloads")
def bundle(request: HttpRequest, name: str, subset_id: int) -> FileResponse:
    """The zip with the subset's questions, as that of a release."""
    row = subset_of(collection_named(name), subset_id)
    show(person_of(request), contradictions_of(row), request.path)
    file, filename = spooled_bundle(row)
    return FileResponse(
        file, as_attachment=True, filename=filename, content_type=Bundle.content_type
    )


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.ADMIN)
def new(request: HttpRequest, name: str) -> HttpResponse:
    """Draw a subset. The button that shows the strata stores nothing and keeps what was entered."""
    collection, person = collection_named(name), person_of(request)
    check_collection(person, collection)
    given = request.POST.dict() if request.method == "POST" else None
    form = SubsetForm(collection, given, is_bound=given is not None and "show" not in given)
    if form.is_valid():
        with refused_in(form):
            made = freeze(
                form.cleaned_data["name"], collection, form.query(), form.plan(), by=person
            )
            drawn = how_many(made.instances.count(), "question")
            messages.success(request, f"Drawn: {drawn}. The subset does not change any more.")
            return redirect("datasets:subset", collection.name, made.pk)
    return form_page(request, "datasets/subset_new.html", {"form": form, "collection": collection})

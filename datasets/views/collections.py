"""Pages of collections and contradictions, and exports."""

from django.contrib import messages
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.access import person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from accounts.throttles import counted
from datasets.blinding import keep_listed, show, shown_to
from datasets.contexts import reasoning
from datasets.contradiction_page import (
    described,
    deviation_table,
    opened_record,
    titles_of,
)
from datasets.counts import (
    counts_of,
    current_instances,
    narrowed,
    sizes,
    with_option,
)
from datasets.deviations import DeviationKind
from datasets.exclusions import (
    excluded_ids,
    exclusions_of,
    standings,
    tally,
)
from datasets.exporters import exporter_named
from datasets.exporters.export_files import spooled
from datasets.facets import chosen_facets, filters_of
from datasets.forms import MoveForm
from datasets.models import Collection, Contradiction, Instance, Validity
from datasets.protocol_versions import may_move_to, move
from datasets.records import collection_named, current
from datasets.releasing import freeze_jobs
from datasets.releasing.forms import ReleaseForm
from datasets.releasing.names_found import NamesFound
from datasets.releasing.released import with_sizes
from datasets.releasing.withholding import given_out
from datasets.revisions import progress
from datasets.streaming import streamed
from datasets.taxonomy import option
from datasets.views.hidden import hidden_or_asked
from pages.data_responses import mark_csv
from pages.paging import ByKey, page_of
from pages.refusals import refused_in

READERS = (Role.ADMIN, Role.RESEARCHER, Role.ANNOTATOR)
EXPORT = (Role.ADMIN, Role.RESEARCHER)


@require_GET
@roles_required(*READERS)
def collections(request: HttpRequest) -> HttpResponse:
    page = page_of(request, Collection.objects.prefetch_related("releases"))
    held = sizes(person_of(request), page)
    context = {
        "page": page,
        "rows": [(collection, *held[collection.pk]) for collection in page],
        "may_import": person_of(request).has_role(Role.ADMIN),
    }
    return render(request, "datasets/collections.html", context)


@require_GET
@roles_required(*READERS)
def collection(request: HttpRequest, name: str) -> HttpResponse:
    """A collection: its counts, releases and contradictions."""
    return collection_page(request, collection_named(name))


def collection_page(
    request: HttpRequest,
    collection: Collection,
    refused: ReleaseForm | None = None,
    not_moved: MoveForm | None = None,
    names: NamesFound | None = None,
) -> HttpResponse:
    person = person_of(request)
    wanted, validity = request.GET.get("q", "").strip(), request.GET.get("validity", "")
    rows = _searched(shown_to(person, current(collection)), wanted)
    if validity in Validity.values:
        rows = rows.filter(validity=validity)
    hidden = hidden_or_asked(request, collection)
    page = page_of(request, rows.prefetch_related("instances"), pages=ByKey)
    keep_listed(person, (row.pk for row in page), request.path)
    context = {
        "collection": collection,
        **titles_of(collection),
        "records": "Records" if collection.is_declared else "Contradictions",
        "counts": counts_of(collection, person),
        "hidden": hidden,
        "page": page,
        "rows": [(row, reasoning(row.type_4)) for row in page],
        "wanted": wanted,
        "validity": validity,
        **tally(exclusions_of(collection, person)),
        "revised": None if collection.is_declared else progress(collection, person),
        "freezes": freeze_jobs.unfinished(collection),
        "releases": with_sizes(collection),
        "withheld": current(collection).filter(withheld__isnull=False).count(),
        "release_form": refused or (ReleaseForm() if person.has_role(Role.ADMIN) else None),
        "names": names,
        "move_form": not_moved or _move_form(collection, person),
        "is_admin": person.has_role(Role.ADMIN),
        "sees_reports": person.has_role(Role.ADMIN, Role.RESEARCHER),
    }
    return render(
        request, "datasets/collection.html", context, status=400 if refused or not_moved else 200
    )


def _move_form(collection: Collection, person: Person) -> MoveForm | None:
    later = may_move_to(collection) if person.has_role(Role.ADMIN) else []
    return MoveForm([row.version for row in later]) if later else None


@require_POST
@roles_required(Role.ADMIN)
def move_protocol(request: HttpRequest, name: str) -> HttpResponse:
    """Move a declared collection to a later version of its protocol."""
    collection = collection_named(name)
    form = MoveForm([row.version for row in may_move_to(collection)], request.POST)
    if form.is_valid():
        with refused_in(form, "version"):
            to = move(collection, form.cleaned_data["version"], person_of(request))
            messages.success(request, f"{collection.name} now has {to}.")
            return redirect("datasets:collection", name)
    return collection_page(request, collection, not_moved=form)


def _searched(rows: QuerySet[Contradiction], wanted: str) -> QuerySet[Contradiction]:
    if not wanted:
        return rows
    asked = Instance.objects.filter(contradiction=OuterRef("pk"), question__icontains=wanted)
    return rows.filter(Q(title__icontains=wanted) | Q(tag__icontains=wanted) | Exists(asked))


@require_GET
@roles_required(*READERS)
def questions(request: HttpRequest, name: str) -> HttpResponse:
    """A collection's questions, filtered by its facets: the rows of its counts."""
    collection = collection_named(name)
    chosen = chosen_facets(collection, request.GET.dict())
    person = person_of(request)
    shown = shown_to(person, current_instances(collection), "contradiction__")
    rows = narrowed(shown, chosen).select_related("contradiction").defer("contradiction__fields")
    asked = None if collection.is_declared else option(request.GET.get("option", ""))
    if asked:
        rows = with_option(rows, asked.value)
    hidden = hidden_or_asked(request, collection)
    page = page_of(request, rows, pages=ByKey)
    keep_listed(person, (row.contradiction_id for row in page), request.path)
    context = {
        "collection": collection,
        **titles_of(collection),
        "hidden": hidden,
        "page": page,
        "rows": standings(page, person),
        "may_exclude": person.has_role(*EXPORT),
        "filters": filters_of(collection),
        "chosen": chosen,
        "option": asked,
    }
    return render(request, "datasets/questions.html", context)


@require_GET
@roles_required(*READERS)
def collection_deviations(request: HttpRequest, name: str) -> HttpResponse:
    """Where the records differ from what the form asks for."""
    collection, person = collection_named(name), person_of(request)
    kinds, lines = deviation_table(collection, shown_to(person, current(collection)))
    chosen = DeviationKind.__members__.get(request.GET.get("kind", ""))
    page = page_of(request, [line for line in lines if chosen in (None, line.deviation.kind)])
    keep_listed(person, (line.contradiction["pk"] for line in page), request.path)
    context = {
        "collection": collection,
        **titles_of(collection),
        "hidden": hidden_or_asked(request, collection),
        "kinds": [(kind, kind.name, count) for kind, count in kinds],
        "chosen": chosen,
        "page": page,
    }
    return render(request, "datasets/deviations.html", context)


@require_GET
@roles_required(*READERS)
def contradiction(request: HttpRequest, key: int) -> HttpResponse:
    """One contradiction: passages with the spans marked, types, questions, deviations, versions; or one record."""
    person = person_of(request)
    row = opened_record(person, key, request.path)
    context = {**described(row, person), "may_exclude": person.has_role(*EXPORT)}
    template = "record" if row.collection.is_declared else "contradiction"
    return render(request, f"datasets/{template}.html", context)


@require_GET
@roles_required(*EXPORT)
@counted("downloads")
def export(request: HttpRequest, name: str, format: str) -> FileResponse:
    """Download the collection as a release would contain it now; ?excluded=with keeps the excluded questions."""
    with_excluded = request.GET.get("excluded") == "with"
    return exported(request, collection_named(name), format, with_excluded=with_excluded)


def exported(
    request: HttpRequest, collection: Collection, format: str, *, with_excluded: bool
) -> FileResponse:
    # First, so that nothing is asked or given up for a format that does not exist.
    exporter = exporter_named(collection, format)
    show(person_of(request), current(collection), request.path)
    without = [] if with_excluded else excluded_ids(collection)
    rows = streamed(given_out(current(collection)), without)
    response = FileResponse(
        spooled(exporter, rows),
        as_attachment=True,
        filename=f"{collection.name}{exporter.suffix}",
        content_type=exporter.content_type,
    )
    mark_csv(request, response, is_data=True)
    return response

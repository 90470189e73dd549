"""Pages of imports: a file is sent and checked, its sender reads the report, and imports it or discards it."""

from typing import Any

from django.contrib import messages
from django.db.models import Case, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, roles_required
from accounts.roles import Role
from accounts.throttles import count_job
from datasets.control_choices import may_name
from datasets.forms import ImportForm, files_of_parts
from datasets.importers import import_jobs
from datasets.importers.csv_files.choices import asks_columns
from datasets.importers.formats import PartUnknown, formats
from datasets.importers.import_jobs import import_of, imports_of
from datasets.importers.import_kinds import kind_named, shown_to
from datasets.models import ImportJob
from datasets.readers.json_text import Unreadable
from datasets.states import IMPORT, ImportState
from datasets.tasks import carry_out_import
from leases.enqueue import send_on_commit
from pages.paging import page_of
from pages.refusals import form_page, refused_in, refused_in_message

# What a checked file needs from its sender before it can be imported: waits_for_columns and is_refused of ImportJob, as
# the database knows them.
ASKS = Case(
    When(state=ImportState.CHECKED, options__columns=None, then=Value("Choose columns")),
    When(state=ImportState.CHECKED, report__has_key="refused", then=Value("Name controls")),
    default=Value(""),
)


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def send_file(request: HttpRequest) -> HttpResponse:
    """Send a file to be checked; ?from=ID fills the form in as for that import."""
    posted = request.method == "POST"
    form = (
        ImportForm(request.POST, request.FILES) if posted else ImportForm(initial=_given(request))
    )
    if form.is_valid():
        with (
            refused_in(form, "collection"),
            refused_in(form, "file", Unreadable),
            refused_in(form, "part", PartUnknown),
        ):
            count_job(person_of(request), "imports")
            job = import_jobs.begin(**_asked(form), is_confirmed=False, by=person_of(request))
            send_on_commit(carry_out_import, job.pk)
            return redirect("datasets:import_job", job.pk)
    context = {
        "form": form,
        "files_of_parts": files_of_parts(),
        "importers": [known.importer for known in formats().values()],
    }
    return form_page(request, "datasets/import.html", context)


def _asked(form: ImportForm) -> dict[str, Any]:
    """What import_jobs.begin takes; of a CSV file the columns are still to be chosen."""
    asked = form.asked()
    of = {name: asked[name] for name in ("collection_name", "format", "part")}
    if asks_columns(asked["file"], file_name=asked["file"].name, **of):
        asked["options"] = {**asked["options"], "columns": None}
    return asked


def _given(request: HttpRequest) -> dict[str, Any]:
    key = request.GET.get("from", "")
    job = imports_of(person_of(request)).filter(pk=key).first() if key.isdecimal() else None
    if job is None:
        return {}
    return {
        "collection": job.collection,
        "format": job.format,
        "part": job.part,
        **job.options,
    }


@require_safe
@roles_required(Role.ADMIN)
def imports(request: HttpRequest) -> HttpResponse:
    """The files that one has sent, newest first."""
    long = ("options", "report", "made", "problems")
    page = page_of(request, imports_of(person_of(request)).defer(*long).annotate(asks=ASKS))
    return render(request, "datasets/imports.html", {"page": page})


@require_safe
@roles_required(Role.ADMIN)
def import_job(request: HttpRequest, key: int) -> HttpResponse:
    """How far an import is, its report, and what may be done with it. A fragment for htmx."""
    job = import_of(person_of(request), key)
    if job.waits_for_columns:
        return redirect("datasets:import_columns", key)
    kind = kind_named(job.kind)
    shown_to(person_of(request), [job])
    context = {
        "job": job,
        "kind": kind,
        "is_going_on": job.state in (ImportState.WAITING, ImportState.RUNNING),
        "may_confirm": IMPORT.may(job, "confirm") and not job.is_refused,
        "may_name": may_name(job),
        "may_choose": IMPORT.may(job, "choose options") and "columns" in job.options,
        "may_discard": IMPORT.may(job, "discard"),
        "may_undo": IMPORT.may(job, "undo") and bool(job.made),
        "address": kind.address(job) if job.state == ImportState.DONE else "",
        "again": kind.again(job),
        "parted": _parted(request, job) if job.state == ImportState.DISCARDED else (),
        **(kind.shown(job) if job.report else {}),
    }
    is_part = "HX-Request" in request.headers
    return render(request, f"datasets/{'_import_job' if is_part else 'import_job'}.html", context)


def _parted(request: HttpRequest, job: ImportJob) -> QuerySet[ImportJob]:
    """The imports of each annotator's work that were begun instead of this one."""
    keys = (job.report or {}).get("by_annotator", ())
    return imports_of(person_of(request)).filter(pk__in=keys).order_by("pk")


@require_POST
@roles_required(Role.ADMIN)
def confirm_import(request: HttpRequest, key: int) -> HttpResponse:
    """Import a file that was checked, if it is still as its sender has `read`."""
    job = import_of(person_of(request), key)
    with refused_in_message(request):
        import_jobs.confirm(job, request.POST.get("read", ""))
        send_on_commit(carry_out_import, job.pk)
    return redirect("datasets:import_job", key)


@require_POST
@roles_required(Role.ADMIN)
def discard_import(request: HttpRequest, key: int) -> HttpResponse:
    """Remove a file that is not imported yet."""
    job = import_of(person_of(request), key)
    with refused_in_message(request):
        import_jobs.discard(job)
        messages.success(request, "Nothing was imported, and the file is removed.")
    return redirect("datasets:import_job", key)


@require_POST
@roles_required(Role.ADMIN)
def undo_import(request: HttpRequest, key: int) -> HttpResponse:
    """Take back what an import has added."""
    job = import_of(person_of(request), key)
    with refused_in_message(request):
        import_jobs.undo(job, person_of(request))
        messages.success(request, "The import is undone: what it added is no longer there.")
    return redirect("datasets:import_job", key)

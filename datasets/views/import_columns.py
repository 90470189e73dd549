"""The page on which the sender of a CSV file says which field each column is, before the file is checked."""

from contextlib import closing

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, roles_required
from accounts.roles import Role
from datasets.importers.csv_files.choices import choose, sheet_of
from datasets.importers.csv_files.forms import ColumnsForm, DelimiterForm
from datasets.importers.import_jobs import file_of, import_of
from datasets.importers.import_kinds import kind_named
from datasets.models import ImportJob
from datasets.models.imports import OPEN
from datasets.readers.json_text import Unreadable
from datasets.states import IMPORT
from datasets.tasks import carry_out_import
from leases.enqueue import send_on_commit
from pages.refusals import form_page, refused_in_message


def say_if_too_late(request: HttpRequest, job: ImportJob) -> None:
    """Say to who chose that it was not taken; a second click on the button says nothing."""
    if request.method == "POST" and (job.is_confirmed or job.state not in OPEN):
        messages.error(
            request, "Your choice was not taken: the file has been decided on meanwhile."
        )


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def import_columns(request: HttpRequest, key: int) -> HttpResponse:
    """The file's first rows with a field for each column; ?delimiter= reads them anew."""
    job = import_of(person_of(request), key)
    if "columns" not in job.options or not IMPORT.may(job, "choose options"):
        say_if_too_late(request, job)
        return redirect("datasets:import_job", key)
    given = request.POST if request.method == "POST" else request.GET
    wanted = given.get("delimiter", "")
    with closing(file_of(job)) as file:
        try:
            sheet = sheet_of(job, file, wanted)
        except Unreadable as unreadable:
            if not wanted:
                raise
            messages.error(request, unreadable.message)
            return redirect("datasets:import_columns", key)
    form = ColumnsForm(sheet, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refused_in_message(request):
            choose(job, form.chosen())
            send_on_commit(carry_out_import, job.pk)
        return redirect("datasets:import_job", key)
    context = {
        "job": job,
        "kind": kind_named(job.kind),
        "form": form,
        "sheet": sheet,
        "delimiters": DelimiterForm(initial={"delimiter": sheet.delimiter}, auto_id="new_%s"),
        "needed": [field for field in sheet.fields if field.is_required],
    }
    return form_page(request, "datasets/import_columns.html", context)

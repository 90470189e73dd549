"""What the sender of a checked file of Label Studio says of it before it is imported."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.roles import Role
from accounts.throttles import count_job
from datasets.control_choices import import_each_annotator, may_name, name_controls
from datasets.forms import ControlsForm
from datasets.importers.import_jobs import check_read, import_of
from datasets.states import ImportState
from datasets.tasks import carry_out_import
from datasets.views.import_columns import say_if_too_late
from leases.enqueue import send_on_commit
from pages.counting import how_many
from pages.refusals import form_page, refused_in_message


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def import_controls(request: HttpRequest, key: int) -> HttpResponse:
    """Which key of the record each control of another name is; the file is checked again."""
    job = import_of(person_of(request), key)
    if not may_name(job):
        say_if_too_late(request, job)
        return redirect("datasets:import_job", key)
    controls = (job.report or {}).get("controls", [])
    form = ControlsForm(controls, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refused_in_message(request):
            name_controls(job, form.names())
            send_on_commit(carry_out_import, job.pk)
        return redirect("datasets:import_job", key)
    known = [one["name"] for one in controls if one["key"] == one["name"]]
    context = {"job": job, "form": form, "known": known}
    return form_page(request, "datasets/import_controls.html", context)


@require_POST
@roles_required(Role.ADMIN)
def import_annotators(request: HttpRequest, key: int) -> HttpResponse:
    """Import a checked file once for each annotator, into collections of their own. A second click changes nothing."""
    person = person_of(request)
    job = import_of(person, key)
    if job.state != ImportState.DISCARDED:
        count_job(person, "imports")
        with refused_in_message(request):
            check_read(job, request.POST.get("read", ""))
            begun = import_each_annotator(job, person)
            for one in begun:
                send_on_commit(carry_out_import, one.pk)
            said = f"{how_many(len(begun), 'import')} begun, one for each annotator's work."
            messages.success(request, said)
    return redirect("datasets:import_job", key)

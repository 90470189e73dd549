"""The page of a release on which responses made elsewhere are sent."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, roles_required
from accounts.roles import Role
from accounts.throttles import count_job
from datasets.importers import import_jobs
from datasets.importers.sending import send_import
from datasets.records import collection_named
from datasets.releasing.freezing import release_of
from generation.access import visible_to
from generation.elsewhere.import_kind import ResponseImports
from generation.forms import ResponsesFileForm
from pages.refusals import form_page, refused_in


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def import_responses(request: HttpRequest, name: str, version: str) -> HttpResponse:
    """Send a file to be checked; the page of the import then shows what it has."""
    release, person = release_of(collection_named(name), version), person_of(request)
    posted = request.method == "POST"
    form = ResponsesFileForm(request.POST, request.FILES) if posted else ResponsesFileForm()
    if form.is_valid():
        with refused_in(form, "file"):
            count_job(person, "imports")
            job = import_jobs.begin(
                file=form.cleaned_data["file"],
                kind=ResponseImports.name,
                collection_name=release.collection.name,
                options={"release": release.version, "name": form.cleaned_data["name"]},
                is_confirmed=False,
                by=person,
            )
            send_import(job)
            return redirect("datasets:import_job", job.pk)
    runs = visible_to(person, release.runs.order_by("-pk"))
    context = {
        "form": form,
        "release": release,
        "collection": release.collection,
        "runs": runs,
    }
    return form_page(request, "generation/import_responses.html", context)

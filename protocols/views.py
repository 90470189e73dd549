"""Pages of protocols."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.roles import Role
from accounts.throttles import count_job, counted
from leases.refusal import Conflict, NotFoundHere
from pages.refusals import form_page, refused_in
from protocols import installed
from protocols.access import READERS, check_protocols_shown
from protocols.forms import InstallForm
from protocols.models import Protocol
from protocols.reading import LARGEST
from protocols.shipped import wikicontradict
from protocols.shown_parts import about_field, about_file, shown_parts


@require_GET
@roles_required(*READERS)
def protocols(request: HttpRequest) -> HttpResponse:
    """All versions of all protocols, and those that come with the program."""
    rows = Protocol.objects.select_related("installed_by").prefetch_related("collections")
    context = {
        "rows": rows.defer("text"),
        "offered": installed.offered(),
        "wikicontradict": wikicontradict(),
        "is_admin": person_of(request).has_role(Role.ADMIN),
    }
    return render(request, "protocols/protocols.html", context)


@require_GET
@roles_required(*READERS)
def protocol(request: HttpRequest, name: str, version: int) -> HttpResponse:
    """One version: all that its file declares, and the collections that use it."""
    check_protocols_shown(person_of(request))
    found = installed.found(name, version)
    declared = found.declaration
    context = {
        "found": found,
        "declared": declared,
        "about_file": about_file(declared.file),
        "fields": [(field, about_field(field)) for field in declared.fields.values()],
        "parts": shown_parts(declared),
        "collections": found.row.collections.all() if found.row else (),
        "is_admin": person_of(request).has_role(Role.ADMIN),
    }
    return render(request, "protocols/protocol.html", context)


@require_GET
@roles_required(*READERS)
@counted("downloads")
def file(request: HttpRequest, name: str, version: int) -> HttpResponse:
    """The file, byte for byte."""
    check_protocols_shown(person_of(request))
    found = installed.found(name, version)
    response = HttpResponse(found.data, content_type="application/toml; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, f"{name}-{version}.toml")
    return response


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def install_file(request: HttpRequest) -> HttpResponse:
    """Install a file; a refused one is shown with all its problems."""
    posted = request.method == "POST"
    form = InstallForm(request.POST, request.FILES) if posted else InstallForm()
    if form.is_valid():
        given = form.cleaned_data["file"]
        with refused_in(form, "file"):
            count_job(person_of(request), "imports")
            return _install(request, given.read(LARGEST + 1), given.name)
    return form_page(request, "protocols/install.html", {"form": form})


@require_POST
@roles_required(Role.ADMIN)
def install_shipped(request: HttpRequest, name: str, version: int) -> HttpResponse:
    """Install a protocol that comes with the program."""
    found = installed.found(name, version)
    return _install(request, found.data, f"{name}.toml")


def _install(request: HttpRequest, data: bytes, source: str) -> HttpResponse:
    row, is_new = installed.install(data, source, person_of(request))
    done = "is installed" if is_new else "was installed before: nothing was changed"
    messages.success(request, f"{row} {done}.")
    for why in installed.warnings_of(row):
        messages.warning(request, why)
    return redirect("protocols:protocol", row.name, row.version)


@require_POST
@roles_required(Role.ADMIN)
def remove(request: HttpRequest, name: str, version: int) -> HttpResponse:
    """Remove a version that no collection has used."""
    row = installed.found(name, version).row
    if row is None:
        raise NotFoundHere(f"{name} version {version} is not installed.")
    try:
        installed.remove(row, person_of(request))
        messages.success(request, f"Removed: {row}.")
    except Conflict as refusal:
        messages.error(request, str(refusal))
        return redirect("protocols:protocol", name, version)
    return redirect("protocols:protocols")

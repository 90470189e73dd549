"""Pages of protocols."""

import base64
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.datastructures import MultiValueDict
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from accounts.throttles import count_job, counted
from leases.refusal import Conflict, NotFoundHere
from pages.refusals import form_page, refused_in
from protocols import installed
from protocols.declaration import Declaration
from protocols.example_record import (
    ExampleRecord,
    blocks_on,
    invented,
)
from protocols.forms import ExampleForm, FileForm
from protocols.models import Protocol
from protocols.record_sources import record_sources
from protocols.shipped import wikicontradict
from protocols.shown_parts import about_field, about_file, in_words, shown_parts
from protocols.uses import uses_of

READERS = (Role.ADMIN, Role.RESEARCHER)
# As much of a line of a file as a fault is shown with.
LONGEST_LINE = 160


@require_GET
@roles_required(*READERS)
def protocols(request: HttpRequest) -> HttpResponse:
    """All versions of all protocols with what uses them, and those that come with the program."""
    person = person_of(request)
    rows = list(Protocol.objects.select_related("installed_by").defer("text"))
    found = uses_of([row.pk for row in rows], person)
    context = {
        "rows": [(row, found.get(row.pk, [])) for row in rows],
        "offered": installed.offered(),
        "wikicontradict": wikicontradict(),
        "is_admin": person.has_role(Role.ADMIN),
    }
    return render(request, "protocols/protocols.html", context)


@require_GET
@roles_required(*READERS)
def protocol(request: HttpRequest, name: str, version: int) -> HttpResponse:
    """One version: all that its file declares, on an invented record, and what uses it."""
    person = person_of(request)
    found = installed.found(name, version)
    form = ExampleForm(initial={"known": f"{name}/{version}", "number": 1})
    form.offer(_collections(person, found.declaration))
    context = {
        **_shown(found.declaration, invented(found.declaration), form),
        "found": found,
        "uses": uses_of([found.row.pk], person)[found.row.pk] if found.row else (),
        "is_admin": person.has_role(Role.ADMIN),
    }
    return render(request, "protocols/protocol.html", context)


@require_http_methods(["GET", "POST"])
@roles_required(*READERS)
def check_file(request: HttpRequest) -> HttpResponse:
    """All that is wrong with a file; without faults, what it declares on a record. Nothing is stored."""
    if request.method == "GET":
        return render(request, "protocols/check.html", {"form": FileForm()})
    person, form = person_of(request), FileForm(request.POST, request.FILES)
    if form.is_valid():
        with refused_in(form, "file", installed.NoProtocol):
            name, content = form.cleaned_data["name"], form.cleaned_data["content"]
            return _on_record(request, person, name, content)
    return _faults_page(request, form)


def _faults_page(request: HttpRequest, form: FileForm) -> HttpResponse:
    """The form with all that is wrong with its file, each fault with its line."""
    refused = getattr(form, "refusal", None)
    context: dict[str, Any] = {"form": form}
    if isinstance(refused, installed.NoProtocol):
        lines = form.cleaned_data["content"].decode("utf-8", "replace").split("\n")
        context["faults"] = [
            (fault, lines[fault.line - 1].strip()[:LONGEST_LINE] if fault.line else "")
            for fault in refused.faults[: installed.MOST_PROBLEMS]
        ]
        context["count"] = len(refused.faults)
        context["more"] = context["count"] - len(context["faults"])
    return form_page(request, "protocols/check.html", context)


def _on_record(request: HttpRequest, person: Person, name: str, content: bytes) -> HttpResponse:
    """The file's page on the record that was chosen. Raises NoProtocol."""
    declaration = installed.declared(content, name)
    file = {"carried": base64.b64encode(content).decode("ascii"), "named": name}
    chosen = {key: request.POST.get(key, "") for key in ("collection", "number")}
    # The file itself has been read, and cannot be read again.
    records = MultiValueDict({"records": request.FILES.getlist("records")})
    form = ExampleForm({**file, **chosen}, records)
    form.offer(_collections(person, declaration))
    sentence, may_install = installed.standing(declaration)
    context = {
        **_shown(declaration, _example(person, declaration, form), form),
        "standing": sentence,
        "may_install": may_install,
        "is_admin": person.has_role(Role.ADMIN),
    }
    return form_page(request, "protocols/protocol.html", context)


def _example(person: Person, declaration: Declaration, form: ExampleForm) -> ExampleRecord:
    """The chosen record; an invented one where none was chosen, or it cannot be had."""
    if form.is_valid():
        given = form.cleaned_data
        number = given["number"] or 1
        for source in record_sources():
            if file := given["records"]:
                with refused_in(form, "records"):
                    return source.of_file(declaration, file, file.name, number)
            elif given["collection"]:
                with refused_in(form, "collection"):
                    return source.of_collection(person, declaration, given["collection"], number)
    return invented(declaration)


def _collections(person: Person, declaration: Declaration) -> list[str]:
    return [name for of in record_sources() for name in of.collections(person, declaration)]


def _shown(declaration: Declaration, example: ExampleRecord, form: ExampleForm) -> dict[str, Any]:
    """What a page has of a declaration on a record; `form` chooses another one."""
    return {
        "declared": declaration,
        "about_file": about_file(declaration.file),
        "fields": [
            (field, about_field(field), in_words(example.record.get(field.name, "")))
            for field in declaration.fields.values()
        ],
        "parts": shown_parts(declaration, blocks_on(declaration, example.record)),
        "example": example,
        "form": form,
    }


@require_GET
@roles_required(*READERS)
@counted("downloads")
def file(request: HttpRequest, name: str, version: int) -> HttpResponse:
    """The file, byte for byte."""
    found = installed.found(name, version)
    response = HttpResponse(found.data, content_type="application/toml; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, f"{name}-{version}.toml")
    return response


@require_POST
@roles_required(Role.ADMIN)
def install_file(request: HttpRequest) -> HttpResponse:
    """Install a file; a refused one is shown with all its problems."""
    form = FileForm(request.POST, request.FILES)
    if form.is_valid():
        with refused_in(form, "file"):
            count_job(person_of(request), "imports")
            return _install(request, form.cleaned_data["content"], form.cleaned_data["name"])
    return _faults_page(request, form)


@require_POST
@roles_required(Role.ADMIN)
def install_shipped(request: HttpRequest, name: str, version: int) -> HttpResponse:
    """Install a protocol that comes with the program."""
    found = installed.found(name, version)
    return _install(request, found.data, f"{name}.toml")


def _install(request: HttpRequest, data: bytes, source: str) -> HttpResponse:
    row, is_new = installed.install(data, source, person_of(request))
    done = "is installed" if is_new else "was installed before: nothing was changed"
    messages.success(request, f"{row} {done}.{installed.higher_than(row)}")
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

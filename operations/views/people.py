"""Forget a person, after a page that shows what is deleted and what stays."""

from dataclasses import replace

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, roles_required
from accounts.audit import AuditKind, record
from accounts.leaving.asking import chosen
from accounts.leaving.open_work import RETURN, held_by, only_theirs
from accounts.models import Person
from accounts.roles import Role
from annotation.blinding.gate import show_annotations
from datasets.blinding import show
from operations import forgetting, traces
from operations.forgetting import Fate
from operations.forms import ForgetForm
from operations.mentions import keep_seen, mentions, offered_name
from writing.blinding import check_shown


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.ADMIN)
def forget(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what is deleted, replaced and kept; forget the person once their username is typed."""
    someone, by = get_object_or_404(Person, pk=pk), person_of(request)
    forgetting.check_forgettable(someone)
    kept = chosen(request)
    form = ForgetForm(request.POST or None, person=someone)
    if request.method == "POST" and form.is_valid():
        ticks = (request.POST.getlist(name) for name in ("replace", "withhold", "rename"))
        replacing, withholding, renaming = ticks
        forgetting.forget(
            someone,
            by=by,
            replacing=replacing,
            withholding=withholding,
            renaming=renaming,
            handing=kept,
        )
        _say_what_is_left(request, someone)
        return redirect("accounts:person", pk=pk)
    counted = [(holding, holding.rows.count()) for holding in forgetting.holdings(someone)]
    found = mentions(someone, by)
    keep_seen(by, [*found.open, *found.fixed], request.path)
    certain = [
        mention.key
        for mention in (*found.open, *forgetting.released_comments(found))
        if mention.is_certain
    ]
    context = {
        "someone": someone,
        "form": form,
        "going": [(holding, n) for holding, n in counted if n and holding.fate != Fate.STAYS],
        "staying": [(holding, n) for holding, n in counted if n and holding.fate == Fate.STAYS],
        "held": [replace(row, chosen=kept.get(row.key, RETURN)) for row in held_by(someone, by)],
        "only_theirs": only_theirs(someone, someone.roles, by),
        "mentions": found,
        "fixed": [
            (
                each,
                offered_name(each, found.words, someone.pseudonym) if each.can_be_renamed else "",
            )
            for each in found.fixed
        ],
        "ticked": set(
            [
                key
                for name in ("replace", "withhold", "rename")
                for key in request.POST.getlist(name)
            ]
            if form.is_bound
            else certain
        ),
        "backups": traces.backups_that_name(someone),
    }
    status = 422 if form.errors else 200
    return render(request, "operations/forget.html", context, status=status)


def _say_what_is_left(request: HttpRequest, someone: Person) -> None:
    messages.success(request, f"Forgotten. What was entered stays under {someone.pseudonym}.")
    if not traces.erase():
        messages.warning(
            request,
            "Others were reading, so that the database's log still holds the name. Stop and start the program when "
            "nobody works: that empties it.",
        )
    if backups := traces.backups_that_name(someone):
        names = ", ".join(str(path) for path in backups)
        messages.warning(
            request, f"These backups still hold the name; delete them in time: {names}"
        )


@require_safe
@roles_required(Role.ADMIN)
def own_data(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """Everything that a person entered, as one JSON file; verdicts of closed studies only."""
    someone, by = get_object_or_404(Person, pk=pk), person_of(request)
    show_annotations(by, forgetting.annotations_in_data_of(someone), request.path)
    show(by, forgetting.records_in_data_of(someone), request.path)
    check_shown(by, forgetting.entries_in_data_of(someone))
    record(AuditKind.EXPORT, by, "what a person entered", person=someone)
    pieces = forgetting.own_data(someone, by)
    response = StreamingHttpResponse(pieces, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, f"{someone.pseudonym}.json")
    return response

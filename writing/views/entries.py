"""An entry: the page on which its author writes, and the page on which another person checks it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import check_role, person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from annotation.fields.form_input import FormReading, number_in, read_form
from datasets.blinding import show
from datasets.models import Contradiction
from leases.refusal import NotAllowed, Refusal, StaleVersion
from writing import checking, saving, taking
from writing.blinding import entry_to_read
from writing.entry_page import EntryPage, about, conflicting, named, read_entries
from writing.models import Entry
from writing.overview import to_check
from writing.states import IN_HAND, TO_CHECK

REFUSED = "Nothing was saved yet. Everything you entered is still here."
MISSING = "Not submitted yet. Please check these entries."


class Posted(NamedTuple):
    """A posted form with the version that it was made from."""

    row: Entry
    by: Person
    version: int
    reading: FormReading

    @property
    def saved(self) -> dict[str, Any]:
        return {"by": self.by, "version": self.version, "changes": self.reading.entries}


@require_http_methods(["GET", "POST"])
@roles_required(Role.ANNOTATOR)
def entry(request: HttpRequest, key: int) -> HttpResponse:
    """The record next to the form. Every button of the form saves first, then does its action."""
    person = person_of(request)
    row = taking.own_entry(key, person)
    show(person, Contradiction.objects.filter(pk=row.record_id), request.path)
    if request.method == "GET":
        if row.state in IN_HAND:
            return _shown(request, EntryPage(row, saving.entries_of(row)))
        context = {**about(row), "entries": read_entries(row), "is_own": True}
        return render(request, "writing/read.html", context)
    version = number_in(request.POST.get("version", ""))
    reading = read_form(row.form.steps, request.POST)
    posted = Posted(row, person, -1 if version is None else version, reading)
    try:
        return ACTIONS.get(request.POST.get("action", ""), _save)(request, posted)
    except StaleVersion as stale:
        sides = conflicting(row, stale.details)
        page = EntryPage(row, reading.entries, conflict=sides, message=stale.message)
        return _shown(request, page, 412)
    except Refusal as refusal:
        return _not_done(request, posted, refusal)


def _not_done(request: HttpRequest, posted: Posted, refusal: Refusal) -> HttpResponse:
    """The form with what was posted and the reason, or the reason and the texts to copy where it is closed."""
    row = taking.own_entry(posted.row.pk, posted.by)
    if row.state not in IN_HAND:
        context = {**about(row), "entries": read_entries(row), "is_own": True, "refusal": refusal}
        lost = Entry(writing=row.writing, record=row.record, values=posted.reading.entries)
        context["left_over"] = read_entries(lost)
        return render(request, "writing/read.html", context, status=refusal.status)
    problems = posted.reading.problems
    if problems:
        row.version = posted.version
    page = EntryPage(row, posted.reading.entries, problems=problems, message=refusal.message)
    return _shown(request, page, refusal.status)


def _shown(request: HttpRequest, page: EntryPage, status: int = 200) -> HttpResponse:
    context = {**page.context(), "reason": request.POST.get("reason", "")}
    return render(request, "writing/entry.html", context, status=status)


def _readable(request: HttpRequest, posted: Posted) -> None:
    """Raise Refusal for input that cannot be stored; say what was left out of the rest."""
    if posted.reading.problems:
        raise Refusal(REFUSED)
    for notice in posted.reading.notices:
        messages.warning(request, notice)


def _save(request: HttpRequest, posted: Posted) -> HttpResponse:
    _readable(request, posted)
    saving.save(posted.row, **posted.saved)
    messages.success(request, "Saved.")
    return redirect("writing:entry", posted.row.pk)


def _submit(request: HttpRequest, posted: Posted) -> HttpResponse:
    _readable(request, posted)
    if missing := saving.submit(posted.row, **posted.saved):
        page = EntryPage(posted.row, posted.reading.entries, missing=missing, message=MISSING)
        return _shown(request, page, 400)
    messages.success(request, f"Submitted: {named(posted.row)}. Another person checks it.")
    return redirect("writing:writings")


def _submit_next(request: HttpRequest, posted: Posted) -> HttpResponse:
    """Submit, then open the next entry of the same form."""
    answer = _submit(request, posted)
    if answer.status_code != 302:
        return answer
    try:
        following = taking.take_next(posted.row.writing, posted.by)
    except Refusal as refusal:  # the submission is done
        messages.error(request, refusal.message)
        return answer
    return redirect("writing:entry", following.pk) if following else answer


def _reject(request: HttpRequest, posted: Posted) -> HttpResponse:
    _readable(request, posted)
    saving.reject(posted.row, **posted.saved, reason=request.POST.get("reason", ""))
    messages.success(request, f"Rejected: {named(posted.row)}. Another person checks the reason.")
    return redirect("writing:writings")


def _give_up(request: HttpRequest, posted: Posted) -> HttpResponse:
    _readable(request, posted)
    saving.save(posted.row, **posted.saved)
    taking.give_up(posted.row)
    kept = "Another annotator gets it, and what you entered is kept."
    messages.info(request, f"Given up: {named(posted.row)}. {kept}")
    return redirect("writing:writings")


def _carry(request: HttpRequest, posted: Posted) -> HttpResponse:
    _readable(request, posted)
    saving.save(posted.row, **posted.saved)
    saving.carry(posted.row, by=posted.by)
    messages.success(request, "This is the newest version now. Check that your entry fits it.")
    return redirect("writing:entry", posted.row.pk)


ACTIONS: dict[str, Callable[[HttpRequest, Posted], HttpResponse]] = {
    "save": _save,
    "submit": _submit_next,
    "submit_stop": _submit,
    "reject": _reject,
    "give_up": _give_up,
    "carry": _carry,
}


@require_POST
@roles_required(Role.ANNOTATOR)
def take_up(request: HttpRequest, key: int) -> HttpResponse:
    person = person_of(request)
    row = taking.own_entry(key, person)
    taking.take_up(row, person)
    return redirect("writing:entry", row.pk)


@require_http_methods(["GET", "POST"])
@roles_required(Role.ANNOTATOR, Role.ADMIN)
def check(request: HttpRequest, key: int) -> HttpResponse:
    """The record and the entry side by side, with the two buttons for who may check it; then the form's next."""
    try:
        return _check_page(request, key)
    except (
        NotAllowed
    ) as refusal:  # another person was faster, and the page is not for this one any more
        if not (note := request.POST.get("note", "")):
            raise
        context = {"refusal": refusal, "left_over": [("What is to be changed", note)]}
        return render(request, "writing/not_checked.html", context, status=refusal.status)


def _check_page(request: HttpRequest, key: int) -> HttpResponse:
    person = person_of(request)
    row = entry_to_read(key, person)
    show(person, Contradiction.objects.filter(pk=row.record_id), request.path)
    refused = None
    if request.method == "POST":
        check_role(person, Role.ANNOTATOR, sent=True)
        try:
            messages.success(request, _decided(request, row, person))
        except Refusal as refusal:
            refused = refusal
            row = entry_to_read(key, person)
        else:
            following = to_check(person, row.writing.entries.all()).first()
            return (
                redirect("writing:check", following.pk)
                if following
                else redirect("writing:writings")
            )
    context = {
        **about(row),
        "entries": read_entries(row),
        "refusal": refused,
        "note": request.POST.get("note", ""),
        "may_check": row.state in TO_CHECK
        and person.has_role(Role.ANNOTATOR)
        and row.author_id != person.pk,
    }
    return render(request, "writing/read.html", context, status=refused.status if refused else 200)


def _decided(request: HttpRequest, row: Entry, by: Person) -> str:
    version = number_in(request.POST.get("version", ""))
    read = -1 if version is None else version
    act = request.POST.get("act", "")
    if act == "send_back":
        checking.send_back(row, by=by, version=read, note=request.POST.get("note", ""))
        return f"Sent back to its author: {named(row)}."
    if act != "check":
        raise Refusal("Nothing was done. Use one of the buttons of this page.")
    done = checking.check(row, by=by, version=read)
    checked = f"Checked: {named(row)}."
    if done.made is None:
        return checked
    return f"{checked} It made record no. {done.made.position + 1}, version {done.made.version}."

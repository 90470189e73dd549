"""Pages of fetches and tags."""

from django.conf import settings
from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.roles import Role
from leases.nudge import nudge
from leases.refusal import Refusal
from pages.paging import page_of
from pages.twins import json_twin
from wikifetch import fetch, live
from wikifetch.forms import FileForm, KindForm, TagFilterForm, TitlesForm
from wikifetch.models import FetchRun, Tag
from wikifetch.reading import article_html, marked_block
from wikifetch.states import FETCH_RUN, FetchState
from wikifetch.tasks import carry_out_fetch
from wikifetch.uploads import keep_upload

READERS = (Role.ADMIN, Role.ANNOTATOR, Role.RESEARCHER)
FORMS: dict[str, type[Form]] = {"xml": FileForm, "titles": TitlesForm, "kind": KindForm}


@require_GET
@roles_required(Role.ADMIN)
def fetches(request: HttpRequest) -> HttpResponse:
    """All fetches, newest first."""
    page = page_of(request, FetchRun.objects.select_related("wiki", "started_by").defer("queue"))
    return render(request, "wikifetch/fetches.html", {"page": page})


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def new_fetch(request: HttpRequest) -> HttpResponse:
    """Ask for a fetch: by a file, by titles, by a kind of tag. A refused form keeps what was entered."""
    source = request.POST.get("source", "")
    forms: dict[str, Form] = {
        name: form(request.POST, request.FILES) if name == source else form()
        for name, form in FORMS.items()
    }
    asked = forms.get(source)
    if asked is not None and asked.is_valid():
        try:
            run = _asked(request, source, asked)
        except Refusal as refusal:
            asked.add_error(None, refusal.message)
        else:
            nudge(carry_out_fetch, run.pk)
            return redirect("wikifetch:fetch", run.pk)
    status = 400 if asked is not None else 200
    context = {
        "forms": forms,
        "asked": asked,
        "wiki": fetch.default_wiki(),
        "has_contact": bool(settings.WIKI_CONTACT),
    }
    return render(request, "wikifetch/new_fetch.html", context, status=status)


def _asked(request: HttpRequest, source: str, form: Form) -> FetchRun:
    person, entered = person_of(request), form.cleaned_data
    if source == "xml":
        file = entered["file"]
        path = keep_upload(file)
        try:
            return fetch.ask_for_file(path, by=person, label=file.name, uploaded=True)
        except Refusal:
            path.unlink(missing_ok=True)
            raise
    if source == "titles":
        return fetch.ask_for_titles(entered["titles"].splitlines(), by=person)
    return fetch.ask_for_kind(entered["kind"], by=person, limit=entered["limit"])


@require_GET
@roles_required(Role.ADMIN)
def fetch_run(request: HttpRequest, key: int) -> HttpResponse:
    """One fetch: how far it is, what it found, what it could not take. A fragment for htmx."""
    run = get_object_or_404(FetchRun.objects.select_related("wiki", "started_by"), pk=key)
    template = (
        "wikifetch/_progress.html"
        if request.headers.get("HX-Request")
        else "wikifetch/fetch_run.html"
    )
    context = {
        "run": run,
        "total": len(run.queue),
        "is_going_on": run.state in {FetchState.WAITING, FetchState.RUNNING},
        "may_cancel": FETCH_RUN.may(run, "cancel"),
        "may_resume": FETCH_RUN.may(run, "resume"),
        "problems": run.problems.all()[:200],
        "problem_count": run.problems.count(),
    }
    return render(request, template, context)


@require_POST
@roles_required(Role.ADMIN)
def change_fetch(request: HttpRequest, key: int, verb: str) -> HttpResponse:
    """Cancel or resume a fetch."""
    run = get_object_or_404(FetchRun, pk=key)
    if verb == "cancel":
        fetch.cancel(run)
        messages.success(request, "The fetch was cancelled. What it had fetched is kept.")
    else:
        fetch.resume(run)
        nudge(carry_out_fetch, run.pk)
    return redirect("wikifetch:fetch", run.pk)


@require_GET
@roles_required(*READERS)
def tags(request: HttpRequest) -> HttpResponse:
    """All tags, narrowed by kind, state and words; as JSON with ?format=json."""
    form = TagFilterForm(request.GET)
    form.is_valid()
    found = live.narrowed(
        live.seen_tags(), **{"kind": "", "state": "", "words": ""} | form.cleaned_data
    )
    page = page_of(request, found)
    if request.GET.get("format") == "json":
        count = page.paginator.count
        return json_twin({"count": count, "tags": [live.tag_record(tag) for tag in page]})
    context = {
        "form": form,
        "page": page,
        "is_narrowed": any(form.cleaned_data.values()),
        "may_fetch": person_of(request).has_role(Role.ADMIN),
    }
    return render(request, "wikifetch/tags.html", context)


@require_GET
@roles_required(*READERS)
def tag(request: HttpRequest, key: int) -> HttpResponse:
    """One tag: its block, what it says, the edit that added it, every revision it was seen in, the article."""
    row = get_object_or_404(live.seen_tags(), pk=key)
    seen = row.latest
    if seen is None:
        raise Http404
    context = {
        "tag": row,
        "seen": seen,
        "marked": marked_block(seen),
        "article": article_html(seen.revision, seen),
        "sightings": row.sightings.select_related("revision").order_by("-revision__revid")[:50],
    }
    return render(request, "wikifetch/tag.html", context)


@require_GET
@roles_required(*READERS)
def tag_json(request: HttpRequest, key: int) -> HttpResponse:
    """The tag's JSON twin."""
    row: Tag = get_object_or_404(live.seen_tags(), pk=key)
    return json_twin(live.tag_record(row))

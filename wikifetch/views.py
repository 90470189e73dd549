"""Pages of fetches and tags."""

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.roles import Role
from accounts.throttles import count_job
from leases.nudge import nudge
from leases.refusal import Refusal
from pages.paging import page_of
from pages.refusals import form_page
from pages.twins import json_twin
from wikifetch import asking, fetch, live, tagfilters
from wikifetch.evidence import Introduction, talk_of
from wikifetch.forms import CategoryForm, FileForm, KindForm, LiveForm, TagFilterForm, TitlesForm
from wikifetch.models import FetchRun, Tag
from wikifetch.others import other_revision
from wikifetch.progress import duration, progress_of
from wikifetch.reading import article_html, marked_block
from wikifetch.states import FETCH_RUN, FetchState
from wikifetch.tasks import carry_out_fetch
from wikifetch.uploads import keep_upload

READERS = (Role.ADMIN, Role.ANNOTATOR, Role.RESEARCHER)
FORMS: dict[str, type[Form]] = {
    "kind": KindForm,
    "titles": TitlesForm,
    "category": CategoryForm,
    "xml": FileForm,
}


@require_GET
@roles_required(Role.ADMIN)
def fetches(request: HttpRequest) -> HttpResponse:
    """All fetches, newest first."""
    page = page_of(request, FetchRun.objects.select_related("wiki", "started_by").defer("queue"))
    return render(request, "wikifetch/fetches.html", {"page": page})


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def new_fetch(request: HttpRequest) -> HttpResponse:
    """Ask for a fetch: by kind of tag, titles, category or file. A refused form keeps what was entered."""
    source = request.POST.get("source", "")
    usual = {"contact": asking.usual_contact(person_of(request))}
    # Each with ids of its own: all stand on one page.
    forms: dict[str, Form] = {
        name: form(request.POST, request.FILES, auto_id=f"id_{name}_%s")
        if name == source
        else form(initial=usual, auto_id=f"id_{name}_%s")
        for name, form in FORMS.items()
    }
    asked, refused = forms.get(source), None
    if asked is not None and asked.is_valid():
        try:
            count_job(person_of(request), "fetches")
            run = _asked(request, source, asked)
        except Refusal as refusal:
            refused = refusal
            asked.add_error(None, refusal.message)
        else:
            nudge(carry_out_fetch, run.pk)
            return redirect("wikifetch:fetch", run.pk)
    context = {"forms": forms, "asked": asked, "wiki": asking.default_wiki()}
    bad = asked is not None
    return form_page(request, "wikifetch/new_fetch.html", context, bad=bad, refused=refused)


def _asked(request: HttpRequest, source: str, form: Form) -> FetchRun:
    person, entered = person_of(request), form.cleaned_data
    if source == "xml":
        file = entered["file"]
        path = keep_upload(file)
        try:
            return asking.ask_for_file(path, by=person, label=file.name, uploaded=True)
        except Refusal:
            path.unlink(missing_ok=True)
            raise
    assert isinstance(form, LiveForm)
    if source == "titles":
        return asking.ask_for_titles(entered["all_titles"], by=person, how=form.how())
    asked = {"by": person, "limit": entered["limit"], "how": form.how()}
    if source == "category":
        return asking.ask_for_category(entered["category"], **asked)
    return asking.ask_for_kind(entered["kind"], **asked)


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
    progress = progress_of(run)
    context = {
        "run": run,
        "progress": progress,
        "time_left": duration(progress.seconds_left) if progress.seconds_left else "",
        "known": fetch.known_pages(run)
        if run.state == FetchState.PAUSED and not run.cursor
        else None,
        "is_going_on": run.state in {FetchState.WAITING, FetchState.RUNNING},
        "may_pause": FETCH_RUN.may(run, "pause"),
        "may_cancel": FETCH_RUN.may(run, "cancel"),
        "may_resume": FETCH_RUN.may(run, "resume"),
        "problems": run.problems.all()[:200],
        "problem_count": run.problems.count(),
    }
    return render(request, template, context)


@require_POST
@roles_required(Role.ADMIN)
def change_fetch(request: HttpRequest, key: int, verb: str) -> HttpResponse:
    """Pause, cancel or resume a fetch."""
    run = get_object_or_404(FetchRun, pk=key)
    if verb == "pause":
        fetch.pause(run)
        messages.success(request, "The fetch rests until you resume it.")
    elif verb == "cancel":
        fetch.cancel(run)
        messages.success(request, "The fetch was cancelled. What it had fetched is kept.")
    else:
        count_job(person_of(request), "fetches")
        fetch.resume(run)
        nudge(carry_out_fetch, run.pk)
    return redirect("wikifetch:fetch", run.pk)


@require_GET
@roles_required(*READERS)
def tags(request: HttpRequest) -> HttpResponse:
    """All tags, narrowed by kind, state and words; as JSON with ?format=json."""
    form = TagFilterForm(request.GET)
    form.is_valid()
    found = live.narrowed(live.seen_tags(), narrowing(form))
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


def narrowing(form: TagFilterForm) -> live.Narrowing:
    """What the form asks for; a field that could not be read asks for nothing."""
    entered = dict(form.cleaned_data)
    others = {known.name: entered.pop(known.name, "") for known in tagfilters.registered()}
    return live.Narrowing(**entered, others=others)


@require_GET
@roles_required(*READERS)
def tag(request: HttpRequest, key: int) -> HttpResponse:
    """One tag: its block, what it says, the edit that added it, every revision it was seen in, the article."""
    row = get_object_or_404(live.seen_tags(), pk=key)
    seen = row.latest
    if seen is None:
        raise Http404
    other = other_revision(seen)
    context = {
        "tag": row,
        "seen": seen,
        "other": other,
        "other_html": article_html(other) if other else "",
        "marked": marked_block(seen),
        "article": article_html(seen.revision, seen),
        "introduction": Introduction(row),
        "talk": talk_of(seen),
        "sightings": row.sightings.select_related("revision")
        .defer("revision__wikitext")
        .order_by("-revision__revid")[:50],
    }
    return render(request, "wikifetch/tag.html", context)


@require_GET
@roles_required(*READERS)
def tag_json(request: HttpRequest, key: int) -> HttpResponse:
    """The tag's JSON twin."""
    row: Tag = get_object_or_404(live.seen_tags(), pk=key)
    return json_twin(live.tag_details(row))

"""Pages of fetches and tags."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from accounts.throttles import count_job
from leases.enqueue import send_on_commit
from leases.refusal import Refusal
from pages.paging import page_of
from pages.refusals import form_page, refused_in
from wikifetch import fetch, newfetch, tagfilters, taglist
from wikifetch.article_html import marked_block
from wikifetch.evidence import ShownIntroduction, talk_of
from wikifetch.fetch_preview import FetchPreview, preview_of_category, preview_of_titles
from wikifetch.fetch_progress import duration, progress_of_fetch
from wikifetch.forms import FetchForm, TagFilterForm
from wikifetch.models import FetchRun
from wikifetch.otherarticles import other_revisions
from wikifetch.problem_list import problems_of
from wikifetch.shownarticle import shown_article
from wikifetch.source.uploads import keep_upload
from wikifetch.states import FETCH_RUN, FetchState
from wikifetch.tasks import carry_out_fetch

READERS = (Role.ADMIN, Role.ANNOTATOR, Role.RESEARCHER)


@require_GET
@roles_required(Role.ADMIN)
def fetches(request: HttpRequest) -> HttpResponse:
    page = page_of(
        request, FetchRun.objects.select_related("wiki", "started_by").defer("queue", "titles")
    )
    return render(request, "wikifetch/fetches.html", {"page": page})


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def new_fetch(request: HttpRequest) -> HttpResponse:
    """Ask for a fetch: by kind of tag, category, titles or file, or see what it would take. Keeps what was entered."""
    person = person_of(request)
    usual = {"contact": newfetch.usual_contact(person)}
    form = FetchForm(request.POST or None, request.FILES or None, initial=usual)
    preview = None
    if request.method == "POST" and form.is_valid():
        with refused_in(form):
            if "preview" in request.POST:
                preview = _preview(person, form)
            else:
                count_job(person, "fetches")
                run = _new_run(person, form)
                send_on_commit(carry_out_fetch, run.pk)
                return redirect("wikifetch:fetch", run.pk)
    context = {"form": form, "preview": preview, "wiki": newfetch.default_wiki()}
    if request.headers.get("HX-Request"):
        return render(request, "wikifetch/_preview.html", context)
    return form_page(request, "wikifetch/new_fetch.html", context)


def _preview(person: Person, form: FetchForm) -> FetchPreview:
    entered, source = form.cleaned_data, form.cleaned_data["source"]
    if source == FetchRun.Source.TITLES:
        return preview_of_titles(form.titles_given(), entered["wiki"])
    if source == FetchRun.Source.CATEGORY:
        count_job(person, "previews")
        wanted = (entered["category"], entered["depth"], entered["limit"])
        return preview_of_category(*wanted, form.live_options())
    if source == FetchRun.Source.KIND:
        listing = "The wiki gives the number of these articles only by listing them: tick “List the pages, then pause”."
        return FetchPreview([listing])
    return FetchPreview(["The tags of a file are counted while it is read."])


def _new_run(person: Person, form: FetchForm) -> FetchRun:
    entered, source = form.cleaned_data, form.cleaned_data["source"]
    if source == FetchRun.Source.XML:
        file = entered["file"]
        path = keep_upload(file)
        try:
            return newfetch.fetch_of_files([path], by=person, label=file.name, uploaded=True)
        except Refusal:
            path.unlink(missing_ok=True)
            raise
    options = form.live_options()
    if source == FetchRun.Source.TITLES:
        return newfetch.fetch_of_titles(form.titles_given(), by=person, options=options)
    limit = entered["limit"]
    if source == FetchRun.Source.CATEGORY:
        return newfetch.fetch_of_category(
            entered["category"], depth=entered["depth"], by=person, limit=limit, options=options
        )
    return newfetch.fetch_of_kind(entered["kind"], by=person, limit=limit, options=options)


@require_GET
@roles_required(Role.ADMIN)
def fetch_run(request: HttpRequest, key: int) -> HttpResponse:
    """One fetch: how far it is, its tags, and its problems. A fragment for htmx."""
    run = get_object_or_404(FetchRun.objects.select_related("wiki", "started_by"), pk=key)
    template = (
        "wikifetch/_progress.html"
        if request.headers.get("HX-Request")
        else "wikifetch/fetch_run.html"
    )
    progress = progress_of_fetch(run)
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
        "problems": problems_of(run),
    }
    return render(request, template, context)


@require_POST
@roles_required(Role.ADMIN)
def change_fetch(request: HttpRequest, key: int, verb: str) -> HttpResponse:
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
        send_on_commit(carry_out_fetch, run.pk)
    return redirect("wikifetch:fetch", run.pk)


@require_GET
@roles_required(*READERS)
def tags(request: HttpRequest) -> HttpResponse:
    """All tags, narrowed by kind, state and words."""
    may_fetch = person_of(request).has_role(Role.ADMIN)
    form = TagFilterForm(request.GET, by_fetch=may_fetch)
    form.is_valid()
    rows = taglist.narrowed_tags(taglist.seen_tags(), narrowing(form))
    page = page_of(request, rows, pages=taglist.TagLines)
    context = {
        "form": form,
        "page": page,
        "is_narrowed": any(form.cleaned_data.values()),
        "may_fetch": may_fetch,
        "kept": _kept_for_a_campaign(form),
    }
    return render(request, "wikifetch/tags.html", context)


def _kept_for_a_campaign(form: TagFilterForm) -> str:
    """The query of a new campaign over what the list is narrowed to, as far as a campaign has it."""
    names = {
        "fetch": "fetch",
        "kind": "kinds",
        "since": "since",
        "until": "until",
        "words": "words",
    }
    chosen = {to: form.cleaned_data.get(name) for name, to in names.items()}
    query = urlencode({name: value for name, value in chosen.items() if value})
    return f"?{query}" if query else ""


def narrowing(form: TagFilterForm) -> taglist.TagNarrowing:
    """What the form asks for; a field that could not be read asks for nothing."""
    entered = dict(form.cleaned_data)
    others = {known.name: entered.pop(known.name, "") for known in tagfilters.tag_filters()}
    return taglist.TagNarrowing(**entered, others=others)


@require_GET
@roles_required(*READERS)
def tag(request: HttpRequest, key: int) -> HttpResponse:
    """One tag: its block, what it says, the edit that added it, every revision it was seen in, the article."""
    row = get_object_or_404(taglist.seen_tags(), pk=key)
    seen = row.latest
    if seen is None:
        raise Http404
    context = {
        "tag": row,
        "seen": seen,
        "others": [
            (title, revision, shown_article(revision) if revision else None)
            for title, revision in other_revisions(seen).items()
        ],
        "marked": marked_block(seen),
        "article": shown_article(seen.revision, seen),
        "introduction": ShownIntroduction(row),
        "talk": talk_of(seen),
        "sightings": row.sightings.select_related("revision")
        .defer("revision__wikitext")
        .order_by("-revision__revid")[:50],
    }
    return render(request, "wikifetch/tag.html", context)

"""Pages of runs."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from accounts.throttles import count_job
from datasets.importers.import_jobs import imports_of
from generation import caps, responses, run_pages, runs
from generation.access import keep_questions, run_for, visible_to
from generation.asking.dispatch import wake
from generation.elsewhere.import_kind import ResponseImports
from generation.forms import CapForm, ExtendForm, RunForm
from generation.models import LanguageModel, Run
from generation.states import RunState
from generation.views import READERS
from pages.counting import how_many
from pages.paging import page_of
from pages.refusals import form_page, refused_in


@require_GET
@roles_required(*READERS)
def run_list(request: HttpRequest) -> HttpResponse:
    """All runs that the person may see now, newest first."""
    page = page_of(request, Run.objects.select_related("collection"))
    visible = visible_to(person_of(request), page)
    progress = responses.progress_of(visible)
    context = {
        "page": page,
        "rows": [(run, progress[run.pk]) for run in visible],
        "hidden": len(page) - len(visible),
        "may_make": person_of(request).has_role(Role.ADMIN),
    }
    return render(request, "generation/runs.html", context)


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def new_run(request: HttpRequest) -> HttpResponse:
    """Choose collection, models and prompts; the run's page then shows what it will take."""
    form = (
        RunForm(request.POST) if request.method == "POST" else RunForm(initial=request.GET.dict())
    )
    if form.is_valid():
        with refused_in(form):
            count_job(person_of(request), "runs")
            return _made(request, form)
    has_models = LanguageModel.objects.exclude(service="").exists()
    return form_page(request, "generation/run_form.html", {"form": form, "has_models": has_models})


def _made(request: HttpRequest, form: RunForm) -> HttpResponse:
    run, left_out = form.make(person_of(request))
    _say_left_out(request, left_out)
    return redirect("generation:run", run.pk)


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def extend_run(request: HttpRequest, key: int) -> HttpResponse:
    """Ask a run's questions with further models and prompts."""
    run = run_for(person_of(request), key)
    form = ExtendForm(run, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refused_in(form):
            count_job(person_of(request), "runs")
            entered = form.cleaned_data
            number, left_out = runs.extend(run, entered["language_models"], entered["prompts"])
            messages.success(request, f"Added: {how_many(number, 'response')}.")
            _say_left_out(request, left_out)
            wake()
            return redirect("generation:run", run.pk)
    return form_page(request, "generation/run_more.html", {"form": form, "run": run})


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def cap(request: HttpRequest, key: int) -> HttpResponse:
    run = run_for(person_of(request), key)
    initial = {"cost_cap": run.cost_cap}
    form = CapForm(request.POST) if request.method == "POST" else CapForm(initial=initial)
    if form.is_valid():
        with refused_in(form):
            caps.set_cap(run, form.cleaned_data["cost_cap"])
            messages.success(
                request, "The cap is set. A run that it paused goes on when you resume it."
            )
            return redirect("generation:run", run.pk)
    context = {"form": form, "heading": "Cap on the cost", "run": run}
    return form_page(request, "generation/small_form.html", context)


def _say_left_out(request: HttpRequest, left_out: list[runs.LeftOut]) -> None:
    if left_out:
        named = run_pages.left_out_shown(left_out, person_of(request))[:5]
        words = "; ".join(f"{row.prompt.name} on “{text}”: {row.problem}" for row, text in named)
        messages.warning(request, f"Left out: {len(left_out)}{words and f', {words}'}.")


@require_GET
@roles_required(*READERS)
def run(request: HttpRequest, key: int) -> HttpResponse:
    """A run: its progress, its failures with their reasons, what it asks."""
    run = run_for(person_of(request), key)
    progress = run_pages.progress_context(run)
    keep_questions(
        person_of(request), (row.instance_id for row in progress["latest"]), request.path
    )
    prompts = run_pages.prompts_of(run)
    context = {
        **progress,
        "models": run_pages.models_of(run),
        "authors": sorted({prompt.by for prompt in prompts if prompt.given}),
        "has_prices": run.models_asked.exclude(price_read=None).exists(),
        "prompts": prompts,
        "held": run.responses.filter(held=True).count(),
        "questions": run.responses.order_by().values("instance").distinct().count(),
        "import_key": _import_of(person_of(request), run),
        "not_verified": run.responses.filter(prompt_verified=False).count(),
        "may_change": person_of(request).has_role(Role.ADMIN),
    }
    return render(request, "generation/run.html", context)


def _import_of(person: Person, run: Run) -> int | None:
    """The key of the import that brought it, where its page is the person's."""
    if run.release is None or not person.has_role(Role.ADMIN):
        return None
    found = imports_of(person).filter(kind=ResponseImports.name, made__run=run.pk)
    return found.values_list("pk", flat=True).first()


@require_GET
@roles_required(*READERS)
def run_progress(request: HttpRequest, key: int) -> HttpResponse:
    """The updated part of a run's page; once the run is over, the page is loaded again."""
    run = run_for(person_of(request), key)
    context = run_pages.progress_context(run)
    keep_questions(person_of(request), (row.instance_id for row in context["latest"]), request.path)
    response = render(request, "generation/_progress.html", context)
    if not context["is_running"]:
        response["HX-Refresh"] = "true"
    return response


@require_POST
@roles_required(Role.ADMIN)
def change_run(request: HttpRequest, key: int, verb: str) -> HttpResponse:
    """Try, start, pause, cancel or resume a run, or ask what failed again."""
    run = run_for(person_of(request), key)
    if verb in ("try", "start", "resume", "retry"):
        count_job(person_of(request), "runs")
    if notice := _changed(run, verb):
        messages.success(request, notice)
    wake()
    return redirect("generation:run", run.pk)


def _changed(run: Run, verb: str) -> str:
    """Make the change; what there is to say about it."""
    if verb == "start":
        runs.start(run)
        return ""
    if verb == "try":
        return f"Asking: {how_many(runs.try_few(run), 'response')}. The preview is then calculated from them."
    if verb == "pause":
        runs.pause(run, "Paused by an admin.")
        return "Paused. Calls in progress are still stored."
    if verb == "cancel":
        number = runs.cancel(run)
        return f"Cancelled. Not asked: {how_many(number, 'response')}. Stored responses are kept."
    if verb == "retry":
        number = runs.retry_failed(run)
        return f"Waiting to be asked again: {how_many(number, 'response')} that had failed."
    number = runs.resume(run)
    if number:
        return f"Resumed. Waiting to be asked again: {how_many(number, 'response')}."
    run.refresh_from_db(fields=["state"])
    return "Nothing was left to ask: the run is done." if run.state == RunState.DONE else "Resumed."

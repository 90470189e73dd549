"""Pages of models, runs and responses. Judges and annotators have no access."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from accounts.throttles import count_job, counted
from datasets.blinding import shown_to
from datasets.models import Instance
from generation import chat, client, embedded, presenting, registry, responses, runs
from generation.access import keep_questions, keep_run, run_for, visible_to
from generation.dispatch import wake
from generation.forms import SYSTEMS, CapForm, ExtendForm, ModelForm, PricesForm, RunForm
from generation.models import LanguageModel, Response, Run
from generation.planning import Rendered
from generation.presenting import options_line
from generation.states import ResponseState
from leases.refusal import NotFoundHere, Refusal
from pages.counting import how_many
from pages.data_responses import csv_response
from pages.paging import ByKey, page_of
from pages.refusals import form_page, refused_in

READERS = (Role.ADMIN, Role.RESEARCHER)

# ---------------------------------------------------------------- models


@require_GET
@roles_required(*READERS)
def models(request: HttpRequest) -> HttpResponse:
    """All models, and the services, which may offer more."""
    context = {
        "rows": presenting.all_models(),
        "services": client.names(),
        "may_add": person_of(request).has_role(Role.ADMIN),
    }
    return render(request, "generation/models.html", context)


@require_GET
@roles_required(*READERS)
def service(request: HttpRequest, name: str) -> HttpResponse:
    """Whether a service answers and which models it offers; a fragment of the list of models for htmx."""
    if name not in client.names():
        raise NotFoundHere(f"There is no service {name!r} in the setting INFERENCE_SERVICES.")
    template = "_service.html" if getattr(request, "htmx", False) else "service.html"
    context = {
        "answer": presenting.service_answer(name),
        "may_add": person_of(request).has_role(Role.ADMIN),
    }
    return render(request, f"generation/{template}", context)


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def add_model(request: HttpRequest) -> HttpResponse:
    """Add a model with its options; a test call finds out how its service takes them."""
    offered = {name: request.GET.get(name, "") for name in ("service", "model_id")}
    form = ModelForm(request.POST) if request.method == "POST" else ModelForm(initial=offered)
    if form.is_valid():
        with refused_in(form):
            count_job(person_of(request), "calls to models")
            model, remark = _added(form)
            options = options_line(model.options)
            messages.success(request, f"{model} can be asked: {options}. It {remark}")
            return redirect("generation:models")
    context = {"form": form, "services": client.names()}
    return form_page(request, "generation/model_form.html", context)


def _added(form: ModelForm) -> tuple[LanguageModel, str]:
    entered = form.cleaned_data
    name = (entered["service"], entered["model_id"])
    return registry.add_probed(
        *name, form.options, entered["display_name"], SYSTEMS[entered["system_message"]]
    )


@require_POST
@roles_required(Role.ADMIN)
@counted("calls to models")
def test_model(request: HttpRequest, key: int) -> HttpResponse:
    """A short test call with the model's own options; the next page shows the reply."""
    model = get_object_or_404(LanguageModel, pk=key)
    try:
        messages.success(request, f"{model} {registry.test(model)}")
    except Refusal as refusal:
        messages.error(request, f"{model}: {refusal}")
    return redirect("generation:models")


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def prices(request: HttpRequest, key: int) -> HttpResponse:
    """Set what a model's tokens cost."""
    model = get_object_or_404(LanguageModel.objects.exclude(service=""), pk=key)
    now = {"price_read": model.price_read, "price_written": model.price_written}
    form = PricesForm(request.POST) if request.method == "POST" else PricesForm(initial=now)
    if form.is_valid():
        entered = form.cleaned_data
        with refused_in(form):
            registry.set_prices(model, entered["price_read"], entered["price_written"])
            messages.success(
                request, f"The prices of {model} are set. Calls made before keep their cost."
            )
            return redirect("generation:models")
    context = {"form": form, "heading": f"Prices of {model}"}
    return form_page(request, "generation/small_form.html", context)


# ---------------------------------------------------------------- runs


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
            return _made(request, form.cleaned_data)
    has_models = LanguageModel.objects.exclude(service="").exists()
    return form_page(request, "generation/run_form.html", {"form": form, "has_models": has_models})


def _made(request: HttpRequest, entered: dict[str, Any]) -> HttpResponse:
    form = entered["form"]
    with transaction.atomic():
        was_sent = form is not None and Run.objects.filter(form=form).exists()
        run, left_out = runs.create(
            collection=entered["collection"],
            models=list(entered["language_models"]),
            prompts=entered["prompts"],
            samples=entered["samples"],
            limit=entered["limit"],
            name=entered["name"],
            by=person_of(request),
            form=form,
        )
        if not was_sent:
            runs.set_cap(run, entered["cost_cap"])
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
    """Set the cap on a run's cost."""
    run = run_for(person_of(request), key)
    initial = {"cost_cap": run.cost_cap}
    form = CapForm(request.POST) if request.method == "POST" else CapForm(initial=initial)
    if form.is_valid():
        with refused_in(form):
            runs.set_cap(run, form.cleaned_data["cost_cap"])
            messages.success(
                request, "The cap is set. A run that it paused goes on when you resume it."
            )
            return redirect("generation:run", run.pk)
    context = {"form": form, "heading": "Cap on the cost", "run": run}
    return form_page(request, "generation/small_form.html", context)


def _say_left_out(request: HttpRequest, left_out: list[Rendered]) -> None:
    if left_out:
        words = "; ".join(_named(left_out, person_of(request)))
        messages.warning(request, f"Left out: {len(left_out)}{words and f', {words}'}.")


def _named(left_out: list[Rendered], person: Person) -> list[str]:
    """The first of them in words, without questions that are hidden from the person."""
    asked = Instance.objects.filter(pk__in={one.instance.pk for one in left_out})
    shown = set(shown_to(person, asked, "contradiction__").values_list("pk", flat=True))
    named = [one for one in left_out if one.instance.pk in shown][:5]
    return [f"{one.prompt.name} on “{one.instance}”: {one.problem}" for one in named]


@require_GET
@roles_required(*READERS)
def run(request: HttpRequest, key: int) -> HttpResponse:
    """A run: its progress, its failures with their reasons, its responses."""
    run = run_for(person_of(request), key)
    state = request.GET.get("state", "")
    rows = presenting.in_brief(run).order_by("order", "pk")
    if state in ResponseState.values:
        rows = rows.filter(state=state)
    page = page_of(request, rows, pages=ByKey)
    progress = presenting.progress_context(run)
    shown = (row.instance_id for row in (*page, *progress["latest"]))
    keep_questions(person_of(request), shown, request.path)
    context = {
        **progress,
        "models": presenting.models_of(run),
        "has_prices": run.models_asked.exclude(price_read=None).exists(),
        "prompts": presenting.prompts_of(run),
        "page": page,
        "state": state,
        "states": ResponseState.choices,
        "may_change": person_of(request).has_role(Role.ADMIN),
    }
    return render(request, "generation/run.html", context)


@require_GET
@roles_required(*READERS)
def run_progress(request: HttpRequest, key: int) -> HttpResponse:
    """The updated part of a run's page; once the run is over, the page is loaded again."""
    run = run_for(person_of(request), key)
    context = presenting.progress_context(run)
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
    again = runs.resume(run) if verb == "resume" else runs.retry_failed(run)
    return f"Asked again: {how_many(again, 'response')}."


# ---------------------------------------------------------------- responses


@require_GET
@roles_required(*READERS)
def response(request: HttpRequest, key: int, response_key: int) -> HttpResponse:
    """One response with everything needed to repeat the request."""
    run = run_for(person_of(request), key)
    rows = run.responses.select_related("instance__contradiction", "model")
    row = get_object_or_404(rows, pk=response_key)
    keep_questions(person_of(request), [row.instance_id], request.path)
    neighbours = run.responses.order_by("order")
    context = {
        "run": run,
        "response": row,
        "options": options_line(row.model.options),
        "is_poor": embedded.is_poor_subject(row.model.model_id),
        "is_cut_off": row.finish_reason in chat.CUT_OFF,
        "path": chat.path(row.request or {}),
        "request_body": presenting.readable(row.request),
        "reply_body": presenting.readable(row.reply),
        "attempts": row.attempt_log.all(),
        "before": neighbours.filter(order__lt=row.order).last(),
        "after": neighbours.filter(order__gt=row.order).first(),
    }
    return render(request, "generation/response.html", context)


COLUMNS = (
    ("instance", "instance_id"), ("question", "instance__question"), ("service", "model__service"),
    ("model", "model__model_id"), ("prompt", "prompt"), ("sample", "sample"), ("state", "state"),
    ("text", "text"), ("reasoning", "reasoning"), ("finding", "finding"),
    ("finish_reason", "finish_reason"), ("prompt_tokens", "prompt_tokens"),
    ("completion_tokens", "completion_tokens"), ("latency_ms", "latency_ms"), ("attempts", "attempts"),
    ("error", "error"),
)  # fmt: skip


@require_GET
@roles_required(*READERS)
@counted("downloads")
def responses_csv(request: HttpRequest, key: int) -> HttpResponseBase:
    """All responses of a run as CSV."""
    run = run_for(person_of(request), key)
    keep_run(person_of(request), run, request.path)
    rows = Response.objects.filter(run=run).order_by("order", "pk")
    cells = rows.values_list(*(path for _, path in COLUMNS)).iterator(chunk_size=1000)
    return csv_response([name for name, _ in COLUMNS], cells, f"run-{run.pk}.csv")

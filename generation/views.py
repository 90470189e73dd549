"""Pages of models, runs and responses. Judges and annotators have no access."""

from typing import Any

from django.contrib import messages
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
from generation.access import run_for, visible_to
from generation.faults import ServiceFault
from generation.forms import EMPTY, TEST_CALL, ModelForm, RunForm
from generation.models import LanguageModel, Response, Run
from generation.planning import Rendered
from generation.presenting import options_line
from generation.states import ResponseState
from generation.tasks import wake
from leases.refusal import NotFoundHere
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
    """Add a model with its options; a test call decides which system message it gets."""
    offered = {name: request.GET.get(name, "") for name in ("service", "model_id")}
    form = ModelForm(request.POST) if request.method == "POST" else ModelForm(initial=offered)
    if form.is_valid():
        with refused_in(form):
            count_job(person_of(request), "calls to models")
            model = _added(form)
            messages.success(request, f"{model} can be asked: {options_line(model.options)}.")
            return redirect("generation:models")
    context = {"form": form, "services": client.names()}
    return form_page(request, "generation/model_form.html", context)


def _added(form: ModelForm) -> LanguageModel:
    entered = form.cleaned_data
    name = (entered["service"], entered["model_id"])
    if entered["system_message"] == TEST_CALL:
        return registry.add_probed(*name, form.options, entered["display_name"])
    system = "" if entered["system_message"] == EMPTY else None
    return registry.add(*name, {**form.options, "system_message": system}, entered["display_name"])


@require_POST
@roles_required(Role.ADMIN)
@counted("calls to models")
def test_model(request: HttpRequest, key: int) -> HttpResponse:
    """A short test call with the model's own options; the next page shows the reply."""
    model = get_object_or_404(LanguageModel, pk=key)
    try:
        reply = client.service(model.service).ask(model.model_id, model.options, "Say yes.")
    except ServiceFault as fault:
        messages.error(request, f"{model}: {fault.sentence}")
    else:
        beginning = " ".join(reply.text.split())[:80]
        messages.success(request, f"{model} answered in {reply.latency_ms} ms: “{beginning}”")
    return redirect("generation:models")


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
    """Choose collection, models and prompts, and start."""
    form = (
        RunForm(request.POST) if request.method == "POST" else RunForm(initial=request.GET.dict())
    )
    if form.is_valid():
        with refused_in(form):
            count_job(person_of(request), "runs")
            return _started(request, form.cleaned_data)
    has_models = LanguageModel.objects.exclude(service="").exists()
    return form_page(request, "generation/run_form.html", {"form": form, "has_models": has_models})


def _started(request: HttpRequest, entered: dict[str, Any]) -> HttpResponse:
    run, left_out = runs.create(
        collection=entered["collection"],
        models=list(entered["language_models"]),
        prompts=entered["prompts"],
        samples=entered["samples"],
        limit=entered["limit"],
        name=entered["name"],
        by=person_of(request),
    )
    runs.start(run)
    wake()
    if left_out:
        words = "; ".join(_named(left_out, person_of(request)))
        messages.warning(request, f"Left out: {len(left_out)}{words and f', {words}'}.")
    return redirect("generation:run", run.pk)


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
    rows = run.responses.select_related("instance", "model").order_by("order", "pk")
    if state in ResponseState.values:
        rows = rows.filter(state=state)
    context = {
        **presenting.progress_context(run),
        "models": presenting.models_of(run),
        "prompts": presenting.prompts_of(run),
        "page": page_of(request, rows, pages=ByKey),
        "state": state,
        "states": ResponseState.choices,
        "may_change": person_of(request).has_role(Role.ADMIN),
    }
    return render(request, "generation/run.html", context)


@require_GET
@roles_required(*READERS)
def run_progress(request: HttpRequest, key: int) -> HttpResponse:
    """The updated part of a run's page; once the run is over, the page is loaded again."""
    context = presenting.progress_context(run_for(person_of(request), key))
    response = render(request, "generation/_progress.html", context)
    if not context["is_running"]:
        response["HX-Refresh"] = "true"
    return response


@require_POST
@roles_required(Role.ADMIN)
def change_run(request: HttpRequest, key: int, verb: str) -> HttpResponse:
    """Start, cancel or resume a run."""
    run = run_for(person_of(request), key)
    if verb == "cancel":
        number = runs.cancel(run)
        messages.success(
            request,
            f"Cancelled. Not asked: {how_many(number, 'response')}. Stored responses are kept.",
        )
        return redirect("generation:run", run.pk)
    count_job(person_of(request), "runs")
    if verb == "resume":
        again = runs.resume(run)
        messages.success(request, f"Asked again: {how_many(again, 'response')}.")
        wake()
    else:
        runs.start(run)
        wake()
    return redirect("generation:run", run.pk)


# ---------------------------------------------------------------- responses


@require_GET
@roles_required(*READERS)
def response(request: HttpRequest, key: int, response_key: int) -> HttpResponse:
    """One response with everything needed to repeat the request."""
    run = run_for(person_of(request), key)
    rows = run.responses.select_related("instance__contradiction", "model")
    row = get_object_or_404(rows, pk=response_key)
    neighbours = run.responses.order_by("order")
    context = {
        "run": run,
        "response": row,
        "options": options_line(row.model.options),
        "is_poor": embedded.is_poor_subject(row.model.model_id),
        "is_cut_off": row.finish_reason in chat.CUT_OFF,
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
    ("text", "text"), ("finish_reason", "finish_reason"), ("prompt_tokens", "prompt_tokens"),
    ("completion_tokens", "completion_tokens"), ("latency_ms", "latency_ms"), ("attempts", "attempts"),
    ("error", "error"),
)  # fmt: skip


@require_GET
@roles_required(*READERS)
@counted("downloads")
def responses_csv(request: HttpRequest, key: int) -> HttpResponseBase:
    """All responses of a run as CSV."""
    run = run_for(person_of(request), key)
    rows = Response.objects.filter(run=run).order_by("order", "pk")
    cells = rows.values_list(*(path for _, path in COLUMNS)).iterator(chunk_size=1000)
    return csv_response([name for name, _ in COLUMNS], cells, f"run-{run.pk}.csv")

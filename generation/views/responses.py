"""Pages and files of responses."""

import json
from collections.abc import Iterator
from itertools import islice

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.access import person_of, roles_required
from accounts.throttles import counted
from generation import grid, prompt_pages, prompt_versions, run_pages
from generation.access import keep_questions, keep_run, run_for
from generation.forms import GridForm, TwoModelsForm
from generation.inference import chat, embedded
from generation.model_pages import options_line
from generation.models import Response, Run
from generation.responses import progress, rejected_of, scores_of
from generation.views import READERS
from leases.refusal import NotFoundHere
from pages.data_responses import csv_response
from pages.paging import PER_PAGE, page_of


@require_GET
@roles_required(*READERS)
def responses(request: HttpRequest, key: int) -> HttpResponse:
    """The responses of a run as a grid of questions by prompts and models."""
    run = run_for(person_of(request), key)
    columns = grid.columns_of(run)
    form = GridForm(columns, request.GET)
    choice = form.choice if form.is_valid() else None
    keys = grid.keys_of(run, choice.fits(), searched=choice.searched) if choice else []
    page = page_of(request, keys, grid.rows_on_a_page(columns, choice) if choice else PER_PAGE)
    keep_questions(person_of(request), (instance for instance, _ in page), request.path)
    context = {
        "run": run,
        "form": form,
        "page": page,
        "grid": grid.grid_of(run, columns, choice, list(page)) if choice else None,
        "is_narrowed": any(request.GET.get(name) for name in form.fields),
        "may_compare": len(columns.compared.models) > 1,
        "prompt": choice and choice.prompt,
        "progress": progress(run),
    }
    return render(request, "generation/responses.html", context)


@require_GET
@roles_required(*READERS)
def two_models(request: HttpRequest, key: int) -> HttpResponse:
    """The answers of two models to a prompt next to each other, question by question."""
    run = run_for(person_of(request), key)
    columns = grid.columns_of(run).compared
    if len(columns.models) < 2:
        raise NotFoundHere("This run has responses of one model; add another to compare it with.")
    form = TwoModelsForm(columns, request.GET.dict())
    prompt, models = form.chosen if form.is_valid() else ("", {})
    keys = grid.keys_of(run, Q(prompt=prompt, model__in=list(models))) if models else []
    page = page_of(request, keys, grid.COMPARED)
    keep_questions(person_of(request), (instance for instance, _ in page), request.path)
    pairs = grid.pairs_of(run, prompt, models, list(page))
    context = {"run": run, "form": form, "page": page, "pairs": pairs}
    return render(request, "generation/two_models.html", context)


@require_GET
@roles_required(*READERS)
def response(request: HttpRequest, key: int, response_key: int) -> HttpResponse:
    """One response with everything needed to repeat the request."""
    run = run_for(person_of(request), key)
    rows = run.responses.select_related("instance__contradiction", "model", "first_reply")
    row = get_object_or_404(rows, pk=response_key)
    keep_questions(person_of(request), [row.instance_id], request.path)
    asked_alike = run.responses.filter(model=row.model_id, prompt=row.prompt, sample=row.sample)
    questions = asked_alike.order_by("instance_id").values_list("pk", flat=True)
    columns = grid.columns_of(run)
    prompt = prompt_versions.known([row.prompt]).get(row.prompt)
    letters = run_pages.letters_of(row)
    context = {
        "run": run,
        "response": row,
        "options": options_line(row.model.options),
        "is_poor": embedded.is_poor_subject(row.model.model_id),
        "is_cut_off": row.finish_reason in chat.CUT_OFF,
        "broken_off_by": row.finish_reason if row.finding == chat.ABORTED else "",
        "prompt": prompt,
        "origin": prompt_pages.origin(prompt) if prompt and prompt.origin else "",
        "order": run_pages.drawn_order(row),
        "shots": (row.drawn or {}).get("shots"),
        "path": chat.path(row.request or {}),
        "request_body": run_pages.readable(row.request),
        "reply_body": run_pages.readable(row.reply),
        "second_turn": run_pages.second_turn(row, prompt),
        "asking_again": run_pages.asking_again(row),
        "letters": letters,
        "scores": [(one, letters.get(one.option, "")) for one in row.option_scores.all()],
        "attempts": row.attempt_log.all(),
        "before": questions.filter(instance__lt=row.instance_id).last(),
        "after": questions.filter(instance__gt=row.instance_id).first(),
        "others": grid.of_question(run, columns, (row.instance_id, row.sample)),
        "may_compare": row.model_id in columns.compared.models and len(columns.compared.models) > 1,
    }
    return render(request, "generation/response.html", context)


BATCH = 1000
COLUMNS = (
    ("instance", "instance_id"), ("question", "instance__question"), ("service", "model__service"),
    ("model", "model__model_id"), ("prompt", "prompt"), ("sample", "sample"), ("state", "state"),
    ("text", "text"), ("first_reply", "first_reply__text"), ("check_reply", "check_reply"),
    ("reasoning", "reasoning"), ("held", "held"), ("finding", "finding"), ("prompt_verified", "prompt_verified"),
    ("form", "wanted__form"), ("times", "wanted__times"), ("askings", "askings"),
    ("finish_reason", "finish_reason"), ("prompt_tokens", "prompt_tokens"),
    ("completion_tokens", "completion_tokens"), ("latency_ms", "latency_ms"), ("attempts", "attempts"),
    ("error", "error"),
)  # fmt: skip


@require_GET
@roles_required(*READERS)
@counted("downloads")
def responses_csv(request: HttpRequest, key: int) -> HttpResponseBase:
    run = run_for(person_of(request), key)
    keep_run(person_of(request), run, request.path)
    header = [*(name for name, _ in COLUMNS), "scores", "rejected"]
    declared = ["drawn", "prompt_tags"] if run.collection.is_declared else []
    return csv_response(
        request, [*header, *declared], _cells(run), f"run-{run.pk}.csv", is_data=True
    )


def _cells(run: Run) -> Iterator[tuple[object, ...]]:
    """The COLUMNS of each response, and as JSON the scores of its options and the texts without the asked form.

    Over records that a protocol declares also what was drawn, passages and examples, and the tags of the prompt.
    """
    rows = Response.objects.filter(run=run).order_by("order", "pk")
    paths = ("pk", "prompt", "drawn", *(path for _, path in COLUMNS))
    read = rows.values_list(*paths).iterator(chunk_size=BATCH)
    known = prompt_versions.known(run.prompts) if run.collection.is_declared else {}
    while part := list(islice(read, BATCH)):
        keys = [pk for pk, *_ in part]
        more = scores_of(keys), rejected_of(keys)
        for pk, prompt, drawn, *row in part:
            declared = [drawn, known[prompt].tags] if known else []
            yield *row, *map(_json, [*(of.get(pk) for of in more), *declared])


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if value else ""

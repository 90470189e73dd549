"""Pages and files of responses."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.access import person_of, roles_required
from accounts.throttles import counted
from generation import chat, embedded, presenting
from generation.access import keep_questions, keep_run, run_for
from generation.models import Response
from generation.presenting import options_line
from generation.views import READERS
from pages.data_responses import csv_response


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

"""The rows that a report's numbers count."""

from dataclasses import asdict
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from rest_framework.request import Request

from accounts.access import person_of
from accounts.throttles import counted
from evaluation.access import study_for
from evaluation.counts.scored import scored
from evaluation.rows import replies
from evaluation.rows.choice import ResponseChoice, chosen
from evaluation.rows.disagreements import filters, passages, read_choice, side_by_side
from evaluation.rows.export import columns_of, header, records
from evaluation.rows.filters import of_rows
from evaluation.rows.listing import in_words, prompt_words, with_prompts, with_verdicts
from evaluation.views.reports import for_researchers
from judging.blinding import keep_items, keep_records
from pages.data_responses import csv_response
from pages.paging import page_of

ROWS_PER_PAGE = 20
# What the lists above the rows choose, and what only a number of the report does.
LISTED = {
    "prompt", "model", "slice", "verdict", "judge", "cause", "words", "sort", "scored", "tag",
}  # fmt: skip
LINKED = {*ResponseChoice.__dataclass_fields__} - LISTED


@for_researchers
def report_rows(request: HttpRequest, study_id: int) -> HttpResponse:
    study = study_for(person_of(request), study_id)
    choice = ResponseChoice.from_query(request.GET, study)
    page = page_of(request, with_verdicts(chosen(study, choice)), per=ROWS_PER_PAGE)
    keep_items(person_of(request), page, request.path)
    context = {
        "study": study,
        "page": page,
        "items": with_prompts(study, page.object_list),
        "chosen": in_words(choice, study),
        "choice": choice,
        "filters": of_rows(study, choice),
        "kept": [
            (name, value) for name, value in asdict(choice).items() if value and name in LINKED
        ],
        "query": request.GET.urlencode(),
    }
    return render(request, "evaluation/rows.html", context)


@for_researchers
def disagreements(request: HttpRequest, study_id: int) -> HttpResponse:
    """The responses that two judges judged, one a page, with both verdicts."""
    study = study_for(person_of(request), study_id)
    choice = read_choice(request.GET, study)
    page = page_of(request, with_verdicts(chosen(study, choice)), per=1)
    item = next(iter(page.object_list), None)
    context: dict[str, object] = {
        "study": study,
        "page": page,
        "filters": filters(study, choice),
        "item": item,
        "csv_query": urlencode({name: value for name, value in asdict(choice).items() if value}),
    }
    if item is not None:
        keep_items(person_of(request), [item], request.path)
        context |= {
            "prompt": prompt_words(item.response.prompt),
            "passages": passages(item),
            "slots": side_by_side(item.closed_slots, choice),
        }
    return render(request, "evaluation/disagreements.html", context)


@for_researchers
@counted("downloads")
def rows_csv(request: HttpRequest, study_id: int) -> HttpResponseBase:
    return rows_file(request, study_id)


def rows_file(request: HttpRequest | Request, study_id: int) -> HttpResponseBase:
    """The rows that the query chooses, with their verdicts and scores, as CSV."""
    study = study_for(person_of(request), study_id)
    items = chosen(study, ResponseChoice.from_query(request.GET, study))
    keep_records(person_of(request), items, request.path)
    scores, columns = scored(study), columns_of(study)
    lines = (list(record.values()) for record in records(items, scores, columns))
    return csv_response(
        request, header(columns, scores), lines, f"{study.slug}-rows.csv", is_data=True
    )


@for_researchers
@counted("downloads")
def replies_csv(request: HttpRequest, study_id: int) -> HttpResponseBase:
    return replies_file(request, study_id)


def replies_file(request: HttpRequest | Request, study_id: int) -> HttpResponseBase:
    """What judge models replied, chosen as the rows are, as CSV."""
    study = study_for(person_of(request), study_id)
    choice = ResponseChoice.from_query(request.GET, study)
    keep_records(person_of(request), chosen(study, choice), request.path)
    lines = replies.replies(study, choice)
    return csv_response(
        request, list(replies.COLUMNS), lines, f"{study.slug}-replies.csv", is_data=True
    )

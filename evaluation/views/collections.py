"""A collection in numbers: WikiContradict's table 1, as a page, JSON and CSV."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import roles_required
from accounts.throttles import counted
from datasets.records import collection_named
from evaluation.counts.collection import collection_table
from evaluation.report.collection import COLUMNS, groups, sentences_of, sheet_rows
from evaluation.views.reports import READERS
from pages.data_responses import csv_response, json_response


@require_safe
@roles_required(*READERS)
def table(request: HttpRequest, name: str) -> HttpResponse:
    collection = collection_named(name)
    body = collection_table(collection)
    context = {
        "collection": collection,
        "table": body,
        "groups": groups(body),
        "sentences": list(sentences_of(body)),
    }
    return render(request, "evaluation/dataset.html", context)


@require_safe
@roles_required(*READERS)
def as_json(request: HttpRequest, name: str) -> HttpResponse:
    return json_response(collection_table(collection_named(name)))


@require_safe
@roles_required(*READERS)
@counted("downloads")
def as_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    collection = collection_named(name)
    return csv_response(
        COLUMNS, sheet_rows(collection_table(collection)), f"{collection.name}-table.csv"
    )

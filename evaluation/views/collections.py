"""A collection in numbers: WikiContradict's table 1, as a page, JSON and CSV."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from rest_framework.request import Request

from accounts.access import person_of
from accounts.throttles import counted
from datasets.blinding import check_collection
from datasets.models import Collection
from datasets.records import collection_named
from evaluation.counts.collection_counts import collection_table
from evaluation.report.collection_rows import COLUMNS, groups, sentences_of, sheet_rows
from evaluation.shapes.collection_table import CollectionTable
from evaluation.views.reports import for_researchers
from pages.data_responses import csv_response, json_response


def seen_whole(request: HttpRequest | Request, name: str) -> tuple[Collection, CollectionTable]:
    """The collection with its table; asks first where the reader may still annotate its tags."""
    collection, person = collection_named(name), person_of(request)
    check_collection(person, collection)
    return collection, collection_table(collection)


@for_researchers
def table(request: HttpRequest, name: str) -> HttpResponse:
    collection, body = seen_whole(request, name)
    context = {
        "collection": collection,
        "table": body,
        "groups": groups(body),
        "sentences": list(sentences_of(body)),
    }
    return render(request, "evaluation/dataset.html", context)


@for_researchers
def as_json(request: HttpRequest, name: str) -> HttpResponse:
    return json_response(seen_whole(request, name)[1])


@for_researchers
@counted("downloads")
def as_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    collection, body = seen_whole(request, name)
    return csv_response(request, COLUMNS, sheet_rows(body), f"{collection.name}-table.csv")

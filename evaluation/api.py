"""Reports for programs: the list, live and frozen ones as JSON, and their files, with the numbers of their pages."""

import io
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import wraps
from hashlib import sha256
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import person_of
from accounts.throttles import counted
from accounts.tokens.scopes import Scope
from evaluation.access import snapshot_for, study_for
from evaluation.annotators.campaign import campaign_agreement
from evaluation.archive.bundles import text_of
from evaluation.charts.standalone import WIDTHS
from evaluation.counts.first_verdicts import CLUSTERS
from evaluation.counts.listed_studies import StudyEntry, entries, studies
from evaluation.models import ReportSnapshot
from evaluation.report.display import FORMS
from evaluation.rows.choice import ResponseChoice
from evaluation.views import annotators, collections, files, paper, reports, rows
from evaluation.views.reports import READERS
from judging.states import StudyState
from pages.data_responses import json_response
from pages.rest.lists import rows_page
from pages.rest.operations import operation
from pages.rest.parameters import Parameter, choice, number, text
from pages.rest.schema import JSON
from pages.stored_responses import stored_response

View = Callable[..., HttpResponseBase]
Made = Callable[[View], tuple[View, View]]

RESAMPLED = (
    choice("cluster", CLUSTERS, None, "What the intervals of agreement resample as a whole."),
    number("resamples", None, "How often."),
    number("seed", None, "From which seed; by default the study's.", least=0),
)
ORDER = text("order", None, "What the chart is ordered by.")
OF_CHARTS = (
    *RESAMPLED,
    ORDER,
    choice("width", WIDTHS, None, "For a page, or for a column of a paper."),
)
OF_TABLES = (*RESAMPLED, choice("form", FORMS, None, "Which tables."))
OF_ROWS = tuple(
    text(field.name, None, "As in an address of the page of rows.")
    for field in fields(ResponseChoice)
)


class ReportOut(serializers.Serializer[StudyEntry]):
    """A study's report in the list: `final` of its `responses` have a final verdict; `snapshots` are frozen reports.

    `hidden` says why the person may not read it, and its counts are then null.
    """

    study = serializers.IntegerField(source="study.pk")
    name = serializers.CharField(source="study.name")
    state = serializers.ChoiceField(StudyState.choices, source="study.state")
    is_demonstration = serializers.BooleanField(source="study.is_demonstration")
    hidden = serializers.CharField(allow_blank=True)
    responses = serializers.IntegerField(allow_null=True)
    final = serializers.IntegerField(allow_null=True)
    snapshots = serializers.IntegerField(allow_null=True)


class SnapshotOut(serializers.ModelSerializer[ReportSnapshot]):
    """`rows_hash`: sha256 of the verdicts that its numbers were computed from."""

    class Meta:
        model = ReportSnapshot
        fields = ("id", "study", "note", "rows_hash", "app_version", "public", "created_at")


# A row of a page whose studies were read at once.
class ReportRow(ReportOut):
    def to_representation(self, study: Any) -> Any:
        return super().to_representation(self.context[study.pk])


CSV = ("text/csv",)
READ: dict[str, Any] = {"scope": Scope.READ, "roles": READERS, "refusals": (409,)}
FILE: dict[str, Any] = {"scope": Scope.EXPORT, "roles": READERS, "refusals": (409,)}


def _by_key(listed: Iterable[StudyEntry]) -> dict[Any, Any]:
    return {entry.study.pk: entry for entry in listed}


@operation(
    "GET",
    scope=Scope.READ,
    roles=READERS,
    answers=ReportRow,
    listed=True,
    parameters=(choice("state", StudyState, "state"),),
)
def reports_list(request: Request) -> Response:
    """The studies with what can be reported of them, newest first."""
    person = person_of(request)
    return rows_page(
        request,
        studies(),
        ReportRow,
        order=("-pk",),
        context=lambda page: _by_key(entries(page, person)),
    )


@operation("GET", **READ, answers=SnapshotOut, listed=True)
def snapshots_list(request: Request, study_id: int) -> Response:
    """The frozen reports of a study, newest first."""
    study = study_for(person_of(request), study_id)
    return rows_page(request, study.snapshots.all(), SnapshotOut, order=("-pk",))


@operation("GET", **READ, media=(JSON,), parameters=RESAMPLED)
def reports_read(request: Request, study_id: int) -> HttpResponse:
    """The report of a study as it is now."""
    return files.json_file(text_of(reports.live(request, study_id).body))


@operation("GET", **READ, media=(JSON,), etag=True, ranged=True)
def snapshots_read(request: Request, snapshot_id: int) -> HttpResponseBase:
    """A frozen report, byte for byte; its ETag is the sha256 of these bytes."""
    kept = snapshot_for(person_of(request), snapshot_id)
    content = kept.text.encode()
    return stored_response(
        request._request,
        io.BytesIO(content),
        size=len(content),
        sha256=sha256(content).hexdigest(),
        name=f"{kept.study.slug}-snapshot-{kept.pk}.json",
        content_type="application/json; charset=utf-8",
    )


def of_both(media: tuple[str, ...], parameters: tuple[Parameter, ...] = RESAMPLED) -> Made:
    """Two operations on a file, `reports_NAME` of a study's report as it is now, and `snapshots_NAME`."""

    def made(work: View) -> tuple[View, View]:
        live, frozen = (
            operation("GET", **FILE, media=media, parameters=parameters)(_named(kind, work))
            for kind in ("reports", "snapshots")
        )
        return live, frozen

    return made


def _named(kind: str, work: View) -> View:
    @wraps(work)
    def counted_work(request: Request, **url: Any) -> HttpResponseBase:
        return counted("downloads")(work)(request, **url)

    counted_work.__name__ = f"{kind}_{work.__name__}"
    return counted_work


@of_both(CSV)
def sheet(request: Request, sheet: str, **of: int) -> HttpResponseBase:
    """One sheet of the report."""
    source = reports.asked(request, **of)
    return files.sheet_file(request, source.body, sheet, source.stem, is_frozen=bool(source.frozen))


@of_both(tuple(files.CHART_FORMS.values()), OF_CHARTS)
def chart(request: Request, key: str, form: str, **of: int) -> HttpResponseBase:
    """A chart of the report, as svg, png, pdf or csv."""
    source = reports.asked(request, **of)
    return files.chart_file(
        request, source.body, key, form, source.stem, is_frozen=bool(source.frozen)
    )


@of_both(("application/zip",))
def bundle(request: Request, **of: int) -> HttpResponseBase:
    """Rows, numbers, and the script that recomputes the numbers."""
    source = reports.asked(request, **of)
    return files.bundle_file(source.study, source.sealed_text, source.stem)


@of_both(("application/x-tex",), OF_TABLES)
def tables(request: Request, **of: int) -> HttpResponseBase:
    """The report's tables as LaTeX."""
    return paper.tables_file(request, **of)


@of_both(("application/zip",), (*OF_TABLES, ORDER))
def paper_files(request: Request, **of: int) -> HttpResponseBase:
    """All charts and tables of the report in one zip: SVG, PNG, PDF in both widths, CSV, LaTeX, methods in words."""
    return paper.all_files_of(request, **of)


@operation("GET", **FILE, media=CSV, parameters=OF_ROWS)
@counted("downloads")
def reports_rows(request: Request, study_id: int) -> HttpResponseBase:
    """The rows that the report counts, with their verdicts."""
    return rows.rows_file(request, study_id)


@operation("GET", **FILE, media=CSV, parameters=OF_ROWS)
@counted("downloads")
def reports_replies(request: Request, study_id: int) -> HttpResponseBase:
    """What judge models replied."""
    return rows.replies_file(request, study_id)


@operation("GET", **READ, media=(JSON,))
def agreement_read(request: Request, campaign_id: int) -> HttpResponse:
    """How far the annotators of a campaign agree."""
    return json_response(campaign_agreement(annotators.campaign_at(request, campaign_id)))


@operation("GET", **FILE, media=CSV)
@counted("downloads")
def agreement_comparisons(request: Request, campaign_id: int) -> HttpResponseBase:
    """Every comparison of two annotators of a campaign."""
    return annotators.compared_file(request, campaign_id)


@operation("GET", **READ, media=(JSON,))
def collections_table(request: Request, name: str) -> HttpResponse:
    """A collection in numbers."""
    return json_response(collections.seen_whole(request, name)[1])

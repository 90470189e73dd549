"""Files made from a report's body: the same for a live report, a frozen and a published one."""

import hashlib
import json
from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from rest_framework.request import Request

from evaluation.archive import bundles
from evaluation.charts.pictures import drawn
from evaluation.charts.standalone import PAGE, WIDTHS, room
from evaluation.paper.chart_includes import chart_name
from evaluation.paper_archive import archive
from evaluation.report.drawings import drawings
from evaluation.rows.hashing import hashed_lines, rows_of
from evaluation.shapes.study_report import Report
from evaluation.tables.all_tables import files_of, sheet
from judging.models import Study
from leases.refusal import Conflict, NotFoundHere, Refusal
from pages.data_responses import csv_response
from protocols.models import Protocol

CHART_FORMS = {
    "svg": "image/svg+xml; charset=utf-8",
    "png": "image/png",
    "pdf": "application/pdf",
    "csv": "text/csv",
}


def json_file(text: str) -> HttpResponse:
    return HttpResponse(text, content_type="application/json; charset=utf-8")


def sheet_file(
    request: HttpRequest | Request, body: Report, name: str, stem: str, *, is_frozen: bool
) -> HttpResponseBase:
    """One sheet of a report as CSV, of a frozen one always the same bytes; NotFoundHere for a name of no sheet."""
    names = files_of(body)
    if name not in names:
        raise NotFoundHere(f"A report has no {name}.csv. It has: {', '.join(names)}, rows.")
    return csv_response(request, *sheet(body, name), f"{stem}-{name}.csv", is_data=is_frozen)


def chart_file(
    request: HttpRequest | Request, body: Report, key: str, form: str, stem: str, *, is_frozen: bool
) -> HttpResponseBase:
    """A chart as SVG, PNG, PDF or CSV, by `order` and `width` of the address's query.

    Raises NotFoundHere for a chart that this report does not have, Refusal for an unknown width.
    """
    query = request.GET
    width = query.get("width", PAGE)
    if width not in WIDTHS:
        raise Refusal(f"{width} is no width of a chart. Use {' or '.join(WIDTHS)}.")
    charts = drawings(body, query.get("order", ""), room(width))
    if key not in charts or form not in CHART_FORMS:
        raise NotFoundHere(
            f"This report has no chart {key}.{form}. Its charts: {', '.join(charts)}, each as "
            f"{', '.join(CHART_FORMS)}."
        )
    drawing, filename = charts[key], chart_name(stem, key, form, width)
    if form == "csv":
        return csv_response(request, *drawing.sheet, filename, is_data=is_frozen)
    return attached(drawn(drawing.svg, width, form, drawing.title), CHART_FORMS[form], filename)


def archive_file(body: Report, stem: str, query: Mapping[str, str]) -> StreamingHttpResponse:
    """All charts and tables of a report as a zip, by the query of the page *In a paper*."""
    response = StreamingHttpResponse(archive(body, stem, query), content_type="application/zip")
    response["Content-Disposition"] = content_disposition_header(True, f"{stem}-paper.zip")
    return response


def bundle_file(study: Study, report_text: str, stem: str) -> HttpResponse:
    """The zip of a report; raises Conflict where the study's rows are no longer those of the report."""
    report: Report = json.loads(report_text)
    lines = list(hashed_lines(study, report))
    if hashlib.sha256(b"".join(lines)).hexdigest() != report["snapshot"]["sha256"]:
        raise Conflict(
            "The study's rows have changed since this report was frozen, and the rows of then are not kept. Take "
            "the zip of the report as it is now."
        )
    zipped = bundles.write(report_text, lines, rows_of(study), _protocol_of(report))
    return attached(zipped, "application/zip", f"{stem}.zip")


def _protocol_of(report: Report) -> str:
    """The text of the protocol that a report names; "" where it names none."""
    if "protocol" not in report:
        return ""
    return Protocol.objects.filter(sha256=report["protocol"]["sha256"])[0].text


def attached(content: str | bytes, content_type: str, filename: str) -> HttpResponse:
    """A download. `filename` without path."""
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(True, filename)
    return response

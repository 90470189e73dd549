"""Files made from a report's body: the same for a live report, a frozen and a published one."""

import hashlib
import json

from django.http import HttpResponse, HttpResponseBase
from django.utils.http import content_disposition_header

from evaluation import bundles, rows
from evaluation.charts import standalone
from evaluation.drawings import drawings
from evaluation.figures import Report
from evaluation.pictures import png
from evaluation.sheets import SHEETS
from judging.models import Study
from leases.refusal import Conflict, NotFoundHere
from pages.twins import csv_twin

CHART_FORMS = ("svg", "png", "csv")


def sheet_file(body: Report, name: str, stem: str) -> HttpResponseBase:
    """One sheet of a report as CSV; NotFoundHere for a name that no sheet has."""
    if name not in SHEETS:
        raise NotFoundHere(f"A report has no {name}.csv. It has: {', '.join(SHEETS)}, rows.")
    sheet = SHEETS[name](body)
    return csv_twin(sheet.header, sheet.rows, f"{stem}-{name}.csv")


def chart_file(body: Report, key: str, form: str, stem: str) -> HttpResponseBase:
    """A chart as SVG, PNG or CSV; NotFoundHere for a chart that this report does not have."""
    found = drawings(body)
    if key not in found or form not in CHART_FORMS:
        raise NotFoundHere(
            f"This report has no chart {key}.{form}. Its charts: {', '.join(found)}, each as "
            f"{', '.join(CHART_FORMS)}."
        )
    drawing, filename = found[key], f"{stem}-{key}.{form}"
    if form == "csv":
        return csv_twin(drawing.sheet.header, drawing.sheet.rows, filename)
    if form == "png":
        return attached(png(drawing.svg), "image/png", filename)
    return attached(standalone(drawing.svg), "image/svg+xml; charset=utf-8", filename)


def bundle_file(study: Study, report_text: str, stem: str) -> HttpResponse:
    """The zip of a report; raises Conflict where the study's rows are no longer those of the report."""
    lines = list(rows.hashed_lines(study))
    wanted = json.loads(report_text)["snapshot"]["sha256"]
    if hashlib.sha256(b"".join(lines)).hexdigest() != wanted:
        raise Conflict(
            "The study's rows have changed since this report was frozen, and the rows of then are not kept. Take "
            "the zip of the report as it is now."
        )
    zipped = bundles.write(report_text, lines, rows.BUNDLED, rows.models_of_rows(study))
    return attached(zipped, "application/zip", f"{stem}.zip")


def attached(content: str | bytes, content_type: str, filename: str) -> HttpResponse:
    """A download. `filename` without path."""
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(True, filename)
    return response

"""Responses with the data of a page as JSON or CSV."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence

from django.http import HttpResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header

# A spreadsheet runs a cell that starts with one of these as a formula; an apostrophe before it makes it text.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def guarded(value: object) -> object:
    """The value as a CSV cell that no spreadsheet runs as a formula. Numbers stay numbers."""
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return f"'{value}"
    return "" if value is None else value


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([guarded(cell) for cell in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def csv_response(
    header: Sequence[str], rows: Iterable[Sequence[object]], filename: str
) -> StreamingHttpResponse:
    """A streamed UTF-8 CSV download; `filename` without path."""
    response = StreamingHttpResponse(
        csv_lines(header, rows), content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = content_disposition_header(True, filename)
    return response


def json_response(data: object) -> HttpResponse:
    """`data` as readable UTF-8 JSON; NaN and infinities are refused, since JSON has none."""
    body = json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False, default=str)
    return HttpResponse(body + "\n", content_type="application/json; charset=utf-8")

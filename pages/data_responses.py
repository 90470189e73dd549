"""Responses with the data of a page as JSON or CSV."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header
from rest_framework.request import Request

from pages.refusals import is_api

# A spreadsheet runs a cell that starts with one of these as a formula; an apostrophe before it makes it text.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def guarded(value: object) -> object:
    """The value as a CSV cell that no spreadsheet runs as a formula. Numbers stay numbers."""
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return f"'{value}"
    return "" if value is None else value


# Excel reads a CSV file as UTF-8 only where it begins with this byte order mark; R and many scripts take the mark for a
# part of the first column's name.
MARK = "\ufeff"


def mark_csv(
    request: HttpRequest | Request, response: StreamingHttpResponse, *, is_data: bool
) -> None:
    """Put the byte order mark before a file, if it is CSV and its reader needs it: the rule for all that is downloaded.

    Tables and lists, which people open, have it. Data (a row for each response, verdict, comparison or record), which
    scripts read, and what is frozen, have it where `?for=excel` asks for it. What a program gets from the API has none.
    """
    is_csv = response.headers["Content-Type"].startswith("text/csv")
    if not is_csv or is_api(request) or (is_data and request.GET.get("for") != "excel"):
        return
    response.streaming_content = _marked(iter(response))
    # Those of a stored file are of its bytes alone.
    for name in ("Content-Length", "ETag", "Accept-Ranges"):
        response.headers.pop(name, None)


def _marked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """A file that was imported with the mark may have it already."""
    mark = MARK.encode()
    yield mark + next(pieces, b"").removeprefix(mark)
    yield from pieces


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
    request: HttpRequest | Request,
    header: Sequence[str],
    rows: Iterable[Sequence[object]],
    filename: str,
    *,
    is_data: bool = False,
) -> StreamingHttpResponse:
    """A streamed UTF-8 CSV download; `filename` without path, `is_data` as in `mark_csv`."""
    response = StreamingHttpResponse(
        csv_lines(header, rows), content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = content_disposition_header(True, filename)
    mark_csv(request, response, is_data=is_data)
    return response


def json_response(data: object) -> HttpResponse:
    """`data` as readable UTF-8 JSON; NaN and infinities are refused, since JSON has none."""
    body = json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False, default=str)
    return HttpResponse(body + "\n", content_type="application/json; charset=utf-8")

"""Downloads of files whose bytes never change: with ETag, If-None-Match and one Range (RFC 9110, 13 and 14)."""

import re
from collections.abc import Iterator
from typing import IO

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header, parse_etags, quote_etag

from leases.refusal import Refusal
from pages.data_responses import mark_csv
from pages.refusals import is_api, refusal_answer

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})\Z")
_BLOCK = 1 << 16


def stored_response(
    request: HttpRequest, file: IO[bytes], *, size: int, sha256: str, name: str, content_type: str
) -> HttpResponseBase:
    """The open file of `size` bytes as a download, or the part that is asked for; the response closes it."""
    etag = quote_etag(sha256)
    if _is_known(request, etag):
        file.close()
        response: HttpResponseBase = HttpResponse(status=304)
    elif (part := _part(request, etag, size)) is None:
        file.close()
        response = _past_the_end(request, size)
    else:
        response = _streamed(file, part, size)
        response["Content-Type"] = content_type
        response["Content-Disposition"] = content_disposition_header(True, name)
    response["ETag"] = etag
    response["Accept-Ranges"] = "bytes"
    if isinstance(response, StreamingHttpResponse) and response.status_code == 200:
        mark_csv(request, response, is_data=True)
    return response


def _past_the_end(request: HttpRequest, size: int) -> HttpResponse:
    """In plain text outside the API: a page would show who is signed in, also at a public address."""
    said = f"The file has {size:,} bytes, and this range begins after them."
    if is_api(request):
        answer = refusal_answer(request, Refusal(said, status=416, code="range_not_satisfiable"))
    else:
        answer = HttpResponse(f"{said}\n", status=416, content_type="text/plain; charset=utf-8")
    answer["Content-Range"] = f"bytes */{size}"
    return answer


def _is_known(request: HttpRequest, etag: str) -> bool:
    known = parse_etags(request.headers.get("If-None-Match", ""))
    return known == ["*"] or etag in (each.removeprefix("W/") for each in known)


def _part(request: HttpRequest, etag: str, size: int) -> range | None:
    """The bytes to send; all where no range is asked for that we give; None where it is past the end."""
    whole = range(size)
    found = _RANGE.match(request.headers.get("Range", ""))
    if found is None or request.headers.get("If-Range", etag) != etag or found[0] == "bytes=-":
        return whole
    first, last = found[1], found[2]
    if not first:
        return whole[-int(last) :] if int(last) and size else None
    end = min(int(last) + 1, size) if last else size
    if last and int(last) < int(first):
        return whole  # no range
    return range(int(first), end) if int(first) < size else None


def _streamed(file: IO[bytes], part: range, size: int) -> StreamingHttpResponse:
    response = StreamingHttpResponse(_Blocks(file, part), status=200 if len(part) == size else 206)
    response["Content-Length"] = str(len(part))
    if len(part) != size:
        response["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{size}"
    return response


class _Blocks:
    """The bytes of a file in this range, a block at a time; Django closes it with the response."""

    def __init__(self, file: IO[bytes], part: range) -> None:
        self._file, self._part = file, part
        self.close = file.close

    def __iter__(self) -> Iterator[bytes]:
        self._file.seek(self._part.start)
        left = len(self._part)
        while left and (block := self._file.read(min(left, _BLOCK))):
            left -= len(block)
            yield block

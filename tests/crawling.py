"""Visits addresses and the links on pages, but no pictures. Each answer is text: body, headers, files unpacked."""

import io
import re
import zipfile
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client

from accounts.models import Allowance
from tests.access_bodies import body_of

LINK = re.compile(r'(?:href|src|hx-get)="([^"]+)"')
# Drawn from the SVG of the same chart, whose words can be read; these are packed.
PICTURES = (".png", ".pdf")
MOST_PAGES = 800


def crawl(
    client: Client, starts: Iterable[str], left_out: re.Pattern[str] | None = None
) -> Iterator[tuple[str, str]]:
    """(address, text of the answer with its headers) of each page that can be reached, as it is opened.

    Links that begin with `left_out` are not followed.
    """
    queue, opened = deque(starts), set[str]()
    while queue:
        address = queue.popleft()
        if address in opened:
            continue
        opened.add(address)
        assert len(opened) < MOST_PAGES, f"endless: {address}"
        Allowance.objects.all().delete()  # a refusal for too many downloads would hide what they hold
        answer = client.get(address)
        body = b"".join(answer) if answer.streaming else answer.content
        text = f"{answer.headers}\n{readable(answer, body)}"
        found = links(address, answer, text)
        queue.extend(one for one in found if not (left_out and left_out.match(one)))
        yield address, text


def readable(answer: HttpResponseBase, body: bytes) -> str:
    """The body as text; a zip unpacked."""
    if answer.get("Content-Type", "").startswith("application/zip"):
        packed = zipfile.ZipFile(io.BytesIO(body))
        return "\n".join(packed.read(name).decode("utf-8", "replace") for name in packed.namelist())
    return body.decode("utf-8", "replace")


def links(address: str, answer: HttpResponseBase, text: str) -> Iterator[str]:
    found = [answer["Location"]] if answer.has_header("Location") else []
    kind = answer.get("Content-Type", "")
    if kind.startswith("text/html"):
        found += [unescape(each) for each in LINK.findall(text)]
    elif kind == "application/json" and address.startswith("/api/"):
        page = answer.json()
        found += [page["next"]] if isinstance(page, dict) and page.get("next") else []
    for each in found:
        whole = urlsplit(urljoin(f"http://testserver{address}", each))
        is_page = not whole.path.startswith("/static/") and not whole.path.endswith(PICTURES)
        if whole.netloc == "testserver" and is_page:
            yield whole._replace(scheme="", netloc="", fragment="").geturl()


def operations(starts: Iterable[str]) -> Iterator[str]:
    """Those of the addresses that are of the API; of each list every row is also a page of its own."""
    for address in starts:
        if address.startswith("/api/"):
            yield from (address, f"{address}?page_size=1")


def changing(
    client: Client, rows: Iterable[tuple[str, str, object]], ids: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """(method and address, text of the answer) of each operation of the API that is no GET; what it does is undone.

    `rows` are those of the access table; 0 stands for ids that the world does not have.
    """
    known = defaultdict(int, ids)
    for method, path, _ in rows:
        if method != "GET" and path.startswith("/api/"):
            Allowance.objects.all().delete()
            body = body_of(method, path, known)
            with transaction.atomic():
                answer = client.generic(method, path.format_map(known), **body)
                text = b"".join(answer).decode("utf-8", "replace")
                transaction.set_rollback(True)
            yield f"{method} {path}", f"{answer.headers}\n{text}"

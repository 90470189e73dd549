"""Licences by part, and where each passage is from. Pure.

Source: Wikimedia's terms of use; the text of its wikis is under CC BY-SA 4.0 since 7 June 2023, and was under 3.0.
Another wiki says its licence itself (wiki_licences.py).
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any
from urllib.parse import quote, urldefrag, urlsplit

SINCE = date(2023, 6, 7)
BEFORE_LICENCE, SINCE_LICENCE = "CC-BY-SA-3.0", "CC-BY-SA-4.0"
EITHER = f"{BEFORE_LICENCE} before {SINCE}, {SINCE_LICENCE} since"
# Those that a citation file, Hugging Face and Croissant know by these names.
_KNOWN = ("CC-BY-4.0", "CC-BY-3.0", "CC-BY-SA-4.0", "CC-BY-SA-3.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0", "CC0-1.0",
          "MIT", "Apache-2.0", "ODbL-1.0")  # fmt: skip
_ADDRESS = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/(licenses/([a-z-]+)|publicdomain/zero)/(\d\.\d)\b"
)
# A wiki without short addresses: https://wiki.example/index.php?title=Mill.
_TITLE_ASKED = re.compile(r"[^?]*\?(?:[^#]*&)?title=")
AS_IT_SAYS = "as the wiki says"
HEADER = (
    "record_id",
    "passage",
    "title",
    "permalink",
    "history",
    "revision_date",
    "licence",
    "note",
)
NO_REVISION = "The source names no revision."
NO_DATE = "The date of the revision is not known here; the permalink shows it."


def spdx(text: str) -> str:
    """The licence as SPDX spells it; "" where it is no licence that we know by name."""
    names = {name.lower(): name for name in _KNOWN}
    return names.get("-".join(text.lower().split()), "")


def spdx_address(text: str) -> str:
    """The address of the licence at SPDX; "" where it is no licence that we know by name."""
    known = spdx(text)
    return f"https://spdx.org/licenses/{known}.html" if known else ""


def licence_named(text: str, url: str) -> str:
    """The licence that a wiki says, by its name and its address; as SPDX spells it where we know it."""
    if found := _ADDRESS.match(url):
        named = f"CC-{found[2]}-{found[3]}" if found[2] else f"CC0-{found[3]}"
        return spdx(named) or named.upper()
    return spdx(text) or " ".join(filter(None, (text, url)))


def attributions(
    columns: Mapping[str, Any], said: Mapping[str, str], wikis: dict[str, str]
) -> Iterator[tuple[object, ...]]:
    """A line (HEADER) for each revision that a passage of the record is from.

    said: the licences of wikis, by host. `wikis` gets that of the record's, where it has a passage.
    """
    host = host_of(columns["url"])
    for n in ("1", "2"):
        if not columns[f"passage_{n}_copied"]:
            continue
        wikis[host] = _licence(host, "", said)
        for title, oldid, day in _sources(columns, n):
            page = _page(columns, title) if host else ""
            links = (
                _asked(page, f"oldid={oldid}") if oldid else "",
                _asked(page, "action=history"),
            )
            note = NO_REVISION if not oldid else "" if day else NO_DATE
            yield (columns["external_id"], n, title, *links, day, _licence(host, day, said), note)


def _sources(columns: Mapping[str, Any], n: str) -> list[tuple[str, int | None, str]]:
    """(title, oldid, date in ISO) of each revision once, in order."""
    title = (columns[f"article_{n}"] or "").strip()
    if pieces := columns["provenance"].get(n):
        found = [
            (piece.get("title") or title, piece.get("revid"), piece.get("date") or "")
            for piece in pieces
        ]
        return list(dict.fromkeys(found))
    is_tagged = not title or title == columns["title"].strip()
    return [(title or columns["title"], columns["oldid"] if is_tagged else None, "")]


def host_of(url: str) -> str:
    """The host in the address; "" where there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _page(columns: Mapping[str, Any], title: str) -> str:
    """The address of a page of the record's wiki: as that of the record's own, with another title at its end."""
    url, own = urldefrag(columns["url"]).url, columns["title"].strip()
    if title in ("", own):
        return url
    before = _TITLE_ASKED.match(url)
    root = before[0] if before else url.rsplit("/", own.count("/") + 1)[0] + "/"
    return root + quote(title.replace(" ", "_"), safe="/:")


def _asked(page: str, what: str) -> str:
    return page and f"{page}{'&' if '?' in page else '?'}{what}"


def _licence(host: str, day: str, said: Mapping[str, str]) -> str:
    if host != "wikipedia.org" and not host.endswith(".wikipedia.org"):
        return said.get(host, AS_IT_SAYS) if host else ""
    if not day:
        return EITHER
    return SINCE_LICENCE if day >= SINCE.isoformat() else BEFORE_LICENCE

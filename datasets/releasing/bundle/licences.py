"""Licences by part, and where each passage is from. Pure.

Source: Wikimedia's terms of use; the text of its wikis is under CC BY-SA 4.0 since 7 June 2023, and was under 3.0.
Another wiki says its licence itself (wiki_licences.py).
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any
from urllib.parse import quote, urldefrag, urlsplit

from datasets.releasing.bundle.facts import Facts
from datasets.releasing.bundle.texts import inline

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


def licence_named(text: str, url: str) -> str:
    """The licence that a wiki says, by its name and its address; as SPDX spells it where we know it."""
    if found := _ADDRESS.match(url):
        named = f"CC-{found[2]}-{found[3]}" if found[2] else f"CC0-{found[3]}"
        return spdx(named) or named.upper()
    return spdx(text) or " ".join(filter(None, (text, url)))


def spdx_of_passages(wikis: Mapping[str, str]) -> list[str]:
    """The licences of passages as SPDX spells them, by their wikis; [] where one is not known by name."""
    names: dict[str, None] = {}
    for licence in wikis.values():
        both = [SINCE_LICENCE, BEFORE_LICENCE] if licence == EITHER else [spdx(licence)]
        names |= dict.fromkeys(both)
    return [] if "" in names else list(names)


def attributions(
    columns: Mapping[str, Any], said: Mapping[str, str], wikis: dict[str, str]
) -> Iterator[tuple[object, ...]]:
    """A line (HEADER) for each revision that a passage of the record is from.

    said: the licences of wikis, by host. `wikis` gets that of the record's, where it has a passage.
    """
    host = _host(columns["url"])
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


def _host(url: str) -> str:
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


def licences(facts: Facts) -> str:
    """LICENSES.md."""
    chosen = inline(facts.said("licence"))
    if facts.protocol:
        return _DECLARED.format(
            title=inline(facts.title),
            protocol=inline(facts.protocol),
            licence=inline(facts.protocol_licence),
            source=inline(facts.protocol_source),
            chosen=chosen,
            canary=inline(facts.canary) if facts.canary else "The protocol declares none.",
        )
    passages = "\n".join(
        f"| Passages copied from {inline(host) if host else 'pages that are not named'} | {inline(licence)} |"
        for host, licence in facts.wikis.items()
    )
    return _WIKICONTRADICT.format(title=inline(facts.title), chosen=chosen, passages=passages)


_WIKICONTRADICT = """\
# Licences of {title}

| Part | Licence |
|---|---|
{passages}
| Stand-alone passages | adaptations of those passages, under the same licence |
| Annotations: claims, spans, types, questions, answers, comments | {chosen} |
| Words of the prompts, and the judge prompt | quoted from Hou et al. 2024, WikiContradict |
| Programs in `inspect/` and `lm_eval/` | Apache-2.0, as Sic et Non |

`attribution.csv` has the title, a permanent link and the licence of each passage. It also links the history of each
page, which names the authors. Where the source of a record names no revision, it says so. The licence of a wiki other
than Wikipedia is the one that it said when its pages were last fetched.
"""
_DECLARED = """\
# Licences of {title}

| Part | Licence |
|---|---|
| Records, as the protocol {protocol} says | {licence} |
| What was added here | {chosen} |

Source of the records: {source}

Canary: {canary}

The records name no page of a wiki, so there is no `attribution.csv`.
"""

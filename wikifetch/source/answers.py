"""What a wiki's API answers with, as this program's own records. Pure.

Shapes: format=json, formatversion=2; a missing page has `missing`, a hidden revision lacks what is hidden.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from wikifetch.history.pages_seen import ARTICLES, HiddenParts, PageSeen, RevisionSeen, storable
from wikifetch.history.tracing import Outline
from wikifetch.source.manners import WikiError
from wikifetch.wikitext.languages import WikiWords

CATEGORIES = 14  # the namespace
_NAMESPACES = {"file": 6, "category": CATEGORIES, "template": 10}
_MOST_WORDS, _LONGEST_WORD = 1_000, 60
_MONTHS = "january february march april may june july august september october november december"
# Messages of MediaWiki with the months' names, in the genitive too, and short: "may" is the short one of May.
MONTH_MESSAGES = {
    message: number
    for number, name in enumerate(_MONTHS.split(), 1)
    for message in ("may_long" if name == "may" else name, f"{name}-gen", name[:3])
}

NO_SUCH_TITLE = "The wiki has no page of this title."
NO_SUCH_PAGE = "The wiki has no such page any more."


@dataclass(frozen=True)
class TemplateSpellings:
    """The templates of one kind of tag on a wiki: the `targets` themselves, and all `names` with redirects."""

    targets: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class TitleResult:
    """What became of a title: its page's id, or a problem."""

    title: str
    pageid: int | None = None
    problem: str = ""


@dataclass(frozen=True)
class Members:
    """Part of a category: page id -> title; titles of the categories below it; what to send for `more`, or {}."""

    pages: dict[int, str]
    categories: list[str]
    more: dict[str, str]


def wiki_words(said: Any) -> WikiWords:
    """A wiki's words out of what it says of itself; what has another shape than usual is passed over."""
    said = said if isinstance(said, dict) else {}
    names: dict[int, set[str]] = {number: set() for number in _NAMESPACES.values()}
    spaces, aliases = said.get("namespaces"), said.get("namespacealiases")
    listed = [*(spaces.values() if isinstance(spaces, dict) else ()), *_list(aliases)]
    for space in filter(None, map(_dict, listed)):
        number = space.get("id")
        if isinstance(number, int) and number in names:
            spelled = (space.get(key) for key in ("name", "canonical", "alias"))
            names[number] |= {word for name in spelled for word in _word(name)}
    months: dict[str, int] = {}
    for message in filter(None, map(_dict, _list(said.get("allmessages")))):
        number = MONTH_MESSAGES.get(str(message.get("name")), 0)
        months |= dict.fromkeys(_word(message.get("content")), number) if number else {}
    by_key = {key: frozenset(names[number]) for key, number in _NAMESPACES.items()}
    return WikiWords(**by_key, months=months)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value[:_MOST_WORDS] if isinstance(value, list) else []


def _word(value: Any) -> Iterator[str]:
    """A name in lower case, if it can be one."""
    name = storable(value).strip().rstrip(".").lower() if isinstance(value, str) else ""
    if name and len(name) <= _LONGEST_WORD and not re.search(r"[\[\]{}|<>:#\n]", name):
        yield name


def without_namespace(title: str) -> str:
    return title.partition(":")[2] or title


def title_result(page: dict[str, Any]) -> TitleResult:
    title = storable(str(page.get("title", "")))
    if page.get("invalid"):
        reason = page.get("invalidreason", "")
        why = reason.get("text", "") if isinstance(reason, dict) else reason
        return TitleResult(title, problem=f"No valid title: {why}")
    if page.get("missing") or "pageid" not in page:
        return TitleResult(title, problem=NO_SUCH_TITLE)
    pageid = page["pageid"]
    if type(pageid) is not int or not 0 < pageid < 2**63:
        return TitleResult(title, problem=f"The wiki gave no page id that can be: {pageid!r:.40}")
    if page.get("ns") != ARTICLES:
        return TitleResult(
            title, problem="Not an article: only pages of the main namespace are fetched."
        )
    return TitleResult(title, pageid)


def title_results(
    titles: Iterable[str], answer: dict[str, Any]
) -> Iterator[tuple[str, TitleResult]]:
    """Each of the titles asked about, with what it leads to: a wiki names titles as it spells them."""
    steps = [*answer.get("normalized", []), *answer.get("redirects", [])]
    leads = {step["from"]: step["to"] for step in steps}
    results = {page.get("title"): title_result(page) for page in answer.get("pages", [])}
    for link in answer.get("interwiki", []):  # such as de:Berlin
        elsewhere = "It names a page of another wiki. Fetch it from there, without the prefix."
        results[link.get("title")] = TitleResult(
            storable(str(link.get("title", ""))), problem=elsewhere
        )
    for title in titles:
        end = title
        for _ in steps:  # a redirect to itself leads nowhere
            end = leads.get(end, end)
        yield (
            title,
            results.get(end) or TitleResult(title, problem="The wiki did not say where it leads."),
        )


def titles_by_page(pages: Iterable[dict[str, Any]]) -> dict[int, str]:
    """Page id -> title, "" where the wiki gave none."""
    return {page["pageid"]: storable(str(page.get("title", ""))) for page in pages}


def category_members(answer: dict[str, Any]) -> Members:
    listed = (answer.get("query") or {}).get("categorymembers", [])
    below = [storable(page["title"]) for page in listed if page.get("ns") == CATEGORIES]
    pages = titles_by_page(page for page in listed if page.get("ns") != CATEGORIES)
    more = {key: storable(str(value)) for key, value in (answer.get("continue") or {}).items()}
    return Members(pages, below, more)


def page_seen(page: dict[str, Any], title: str = "") -> PageSeen:
    revisions = tuple(map(revision_seen, page.get("revisions") or ()))
    is_missing = bool(page.get("missing"))
    problem = "" if revisions else "The wiki gave no revision of this page."
    return PageSeen(
        page.get("pageid", 0),
        storable(title or str(page.get("title", ""))),
        page.get("ns", ARTICLES),
        revisions=revisions,
        problem=NO_SUCH_PAGE if is_missing else problem,
        is_missing=is_missing,
    )


def parsed_html(answer: dict[str, Any], revid: int) -> str:
    """The HTML that action=parse gave. Raises WikiError where it is none, or that of another revision."""
    parsed = answer.get("parse")
    html = parsed.get("text") if isinstance(parsed, dict) else None
    if not isinstance(parsed, dict) or not isinstance(html, str) or not html.strip():
        raise WikiError("The wiki gave no HTML of this revision.", code="nohtml")
    if parsed.get("revid") != revid:
        raise WikiError("The wiki gave the HTML of another revision.", code="otherrevid")
    return storable(html)


def concealed(revision: dict[str, Any]) -> HiddenParts | None:
    flags = ("sha1hidden", "userhidden", "commenthidden")
    concealed = HiddenParts(*(bool(revision.get(flag)) for flag in flags))
    return concealed if any((concealed.text, concealed.editor, concealed.summary)) else None


def outline(revision: dict[str, Any]) -> Outline:
    size = int(revision.get("size", 0))
    return Outline(revision["revid"], _timestamp(revision), revision["sha1"], size)


def _timestamp(revision: dict[str, Any]) -> datetime | None:
    return datetime.fromisoformat(revision["timestamp"]) if "timestamp" in revision else None


def revision_seen(revision: dict[str, Any]) -> RevisionSeen:
    slot = (revision.get("slots") or {}).get("main") or {}
    text = slot.get("content")
    no_text = "" if isinstance(text, str) else "The wiki hides its text."
    if slot.get("contentmodel", "wikitext") != "wikitext":
        text, no_text = None, f"Its content is {slot['contentmodel']}, not wikitext."
    return RevisionSeen(
        revid=revision["revid"],
        parent_revid=revision.get("parentid") or None,
        timestamp=_timestamp(revision),
        editor=storable(revision.get("user", "")),
        summary=storable(revision.get("comment", "")),
        text=storable(text) if isinstance(text, str) else None,
        no_text=no_text,
    )

"""What a wiki's API answers with, as this program's own records. Pure.

Shapes: format=json, formatversion=2; a missing page has `missing`, a hidden revision says what is hidden.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from wikifetch.history.pages_seen import ARTICLES, HiddenParts, PageSeen, RevisionSeen, storable
from wikifetch.history.tracing import Outline
from wikifetch.source.api_refusals import words_of_html
from wikifetch.source.manners import WikiError
from wikifetch.source.shapes import (
    Reply,
    flag_in,
    more_of,
    number_in,
    query_of,
    record_in,
    records_in,
    text_in,
    time_in,
)
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

_LONGEST_RIGHTS = 200  # characters; a longer text is no name of a licence
_ADDRESS = re.compile(r"https?://[\w.-]+(?::\d{1,5})?/[^\s<>\"'`\\\x7f-\U0010ffff]*\Z", re.ASCII)

NO_SUCH_TITLE = "The wiki has no page of this title."
NO_SUCH_PAGE = "The wiki has no such page any more."
TEXT_HIDDEN = "The wiki hides its text."
NO_TEXT = "The wiki did not give its text, and did not say why. Fetch it again later."

# Of Parsoid's HTML (mediawiki.org, Specs/HTML).
_PAGE = re.compile(r"\s*<!DOCTYPE html>\s*<html\b[^>]*", re.IGNORECASE)
_REVISION = re.compile(r'\babout="[^"]*/revision/(\d{1,18})"')
# Words for one of several variants of a language: they are in an attribute, and the wiki's scripts show them.
_VARIANT = re.compile(r"\stypeof=[\"'](?:[^\"'<>]*\s)?mw:LanguageVariant\b")
_NO_HANDLER = re.compile(r"rest-no-match|did not match any known handler")


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


@dataclass(frozen=True)
class WikiRights:
    """The name and the address of the licence of a wiki's texts; "" where the wiki says none."""

    text: str = ""
    url: str = ""


def wiki_rights(said: Any) -> WikiRights:
    """The licence out of what a wiki says of itself; what has another shape than usual is passed over."""
    rights = _dict(_dict(said).get("rightsinfo"))
    text, url = rights.get("text"), rights.get("url")
    # It may have markup.
    plain = words_of_html(text) if isinstance(text, str) and len(text) < 2_000 else ""
    address = storable(url).strip() if isinstance(url, str) else ""
    address = f"https:{address}" if address.startswith("//") else address
    fits = len(address) <= _LONGEST_RIGHTS and _ADDRESS.match(address)
    return WikiRights(plain if len(plain) <= _LONGEST_RIGHTS else "", address if fits else "")


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
    title = text_in(page, "title")
    if page.get("invalid"):
        reason = page.get("invalidreason", "")
        why = reason.get("text", "") if isinstance(reason, dict) else reason
        return TitleResult(title, problem=f"No valid title: {storable(str(why))}")
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
    steps = [*records_in(answer, "normalized"), *records_in(answer, "redirects")]
    leads = {text_in(step, "from"): text_in(step, "to") for step in steps}
    results = {text_in(page, "title"): title_result(page) for page in records_in(answer, "pages")}
    for link in records_in(answer, "interwiki"):  # such as de:Berlin
        elsewhere = "It names a page of another wiki. Fetch it from there, without the prefix."
        title = text_in(link, "title")
        results[title] = TitleResult(title, problem=elsewhere)
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
    return {number_in(page, "pageid"): text_in(page, "title") for page in pages}


def category_members(answer: dict[str, Any]) -> Members:
    listed = records_in(query_of(answer), "categorymembers")
    below = [text_in(page, "title") for page in listed if page.get("ns") == CATEGORIES]
    pages = titles_by_page(page for page in listed if page.get("ns") != CATEGORIES)
    return Members(pages, [title for title in below if title], more_of(answer))


def category_size(answer: dict[str, Any]) -> tuple[int, int] | None:
    """How many pages and subcategories a category has, as its wiki counts them; None where there is none."""
    pages = records_in(query_of(answer), "pages")
    info = record_in(pages[0], "categoryinfo") if pages else {}
    if not info:
        return None
    counts = [info.get(name) for name in ("pages", "subcats")]
    articles, below = (count if type(count) is int else 0 for count in counts)
    return articles, below


def page_seen(page: dict[str, Any], title: str = "") -> PageSeen:
    revisions = tuple(map(revision_seen, records_in(page, "revisions")))
    is_missing = bool(page.get("missing"))
    problem = "" if revisions else "The wiki gave no revision of this page."
    return PageSeen(
        number_in(page, "pageid"),
        title or text_in(page, "title"),
        ARTICLES if page.get("ns") is None else page["ns"],
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


def is_rest_answer(reply: Reply) -> bool:
    """Whether it is an answer of the REST endpoint: HTML of a revision, or why it gives none of this one."""
    if reply.status == 200:
        return _revision_of(_decoded(reply)) is not None
    try:
        said = json.loads(reply.body)
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and "httpCode" in said and not _NO_HANDLER.search(_decoded(reply))


def rest_html(reply: Reply, revid: int) -> str:
    """A reply's HTML of this revision; "" where it has another one's or none, or not all of its words."""
    html = _decoded(reply) if reply.status == 200 else ""
    return "" if _revision_of(html) != revid or _VARIANT.search(html) else storable(html)


def _decoded(reply: Reply) -> str:
    return reply.body.decode("utf-8", "replace")


def _revision_of(html: str) -> int | None:
    page = _PAGE.match(html)
    number = _REVISION.search(page[0]) if page else None
    return int(number[1]) if number else None


def concealed(revision: dict[str, Any]) -> HiddenParts | None:
    flags = ("sha1hidden", "userhidden", "commenthidden")
    concealed = HiddenParts(*(flag_in(revision, name) for name in flags))
    return concealed if any((concealed.text, concealed.editor, concealed.summary)) else None


def outline(revision: dict[str, Any]) -> Outline | None:
    """None for a revision whose text is not to be had."""
    sha1 = text_in(revision, "sha1")
    if not sha1 or flag_in(revision, "sha1hidden"):
        return None
    size = number_in(revision, "size") if revision.get("size") else 0
    return Outline(number_in(revision, "revid"), time_in(revision, "timestamp"), sha1, size)


def revision_seen(revision: dict[str, Any]) -> RevisionSeen:
    """A revision; what the wiki hides is left out also where an account with more rights is shown it."""
    # Before 1.32 there are no slots: the text is the revision's own.
    slot = record_in(record_in(revision, "slots"), "main") or revision
    no_text = _why_no_text(revision, slot)
    return RevisionSeen(
        revid=number_in(revision, "revid"),
        parent_revid=number_in(revision, "parentid") if revision.get("parentid") else None,
        timestamp=time_in(revision, "timestamp"),
        editor="" if flag_in(revision, "userhidden") else text_in(revision, "user"),
        summary="" if flag_in(revision, "commenthidden") else text_in(revision, "comment"),
        text=None if no_text else text_in(slot, "content"),
        no_text=no_text,
    )


def _why_no_text(revision: dict[str, Any], slot: dict[str, Any]) -> str:
    if flag_in(slot, "texthidden") or flag_in(revision, "texthidden"):
        return TEXT_HIDDEN
    model = text_in(slot, "contentmodel") or "wikitext"
    if model != "wikitext":
        return f"Its content is {model[:40]}, not wikitext."
    if flag_in(slot, "textmissing"):
        return "The wiki has lost its text. Its operators may know why."
    return "" if isinstance(slot.get("content"), str) else NO_TEXT

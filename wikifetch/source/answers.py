"""What a wiki's API answers with, as this program's own records. Pure.

Shapes: format=json, formatversion=2; a missing page has `missing`, a hidden revision lacks what is hidden.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from wikifetch.history.revisions import ARTICLES, PageSeen, RevisionSeen, storable
from wikifetch.history.tracing import Outline

NO_SUCH_TITLE = "The wiki has no page of this title."
NO_SUCH_PAGE = "The wiki has no such page any more."


@dataclass(frozen=True)
class Spellings:
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
class Hidden:
    """What a wiki has hidden of a revision."""

    text: bool = False
    editor: bool = False
    summary: bool = False


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


def concealed(revision: dict[str, Any]) -> Hidden | None:
    flags = ("sha1hidden", "userhidden", "commenthidden")
    concealed = Hidden(*(bool(revision.get(flag)) for flag in flags))
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

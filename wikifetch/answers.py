"""What a wiki's API answers with, as this program's own records. Pure.

Shapes: format=json, formatversion=2; a missing page has `missing`, a hidden revision lacks what is hidden.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from wikifetch.revisions import ARTICLES, PageSeen, RevisionSeen, storable
from wikifetch.tracing import Outline


@dataclass(frozen=True)
class Spellings:
    """The templates of one kind of tag on a wiki: the `targets` themselves, and all `names` with redirects."""

    targets: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class TitleFound:
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


@dataclass(frozen=True)
class Standing:
    """By page id the newest revision of the pages asked about; by revision id what of it is hidden now."""

    newest: dict[int, int]
    hidden: dict[int, Hidden]


def without_namespace(title: str) -> str:
    return title.partition(":")[2] or title


def title_found(page: dict[str, Any]) -> TitleFound:
    title = storable(str(page.get("title", "")))
    if page.get("invalid"):
        reason = page.get("invalidreason", "")
        said = reason.get("text", "") if isinstance(reason, dict) else reason
        return TitleFound(title, problem=f"No valid title: {said}")
    if page.get("missing") or "pageid" not in page:
        return TitleFound(title, problem="The wiki has no page of this title.")
    pageid = page["pageid"]
    if type(pageid) is not int or not 0 < pageid < 2**63:
        return TitleFound(title, problem=f"The wiki gave no page id that can be: {pageid!r:.40}")
    if page.get("ns") != ARTICLES:
        return TitleFound(
            title, problem="Not an article: only pages of the main namespace are fetched."
        )
    return TitleFound(title, pageid)


def title_elsewhere(link: dict[str, Any]) -> TitleFound:
    """A title such as de:Berlin, which a wiki does not list among its pages."""
    title = storable(str(link.get("title", "")))
    return TitleFound(
        title, problem="It names a page of another wiki. Fetch it from there, without the prefix."
    )


def titles_behind(
    titles: Iterable[str], answer: dict[str, Any]
) -> Iterator[tuple[str, TitleFound]]:
    """Each of the titles asked about, with what it led to in the end: a wiki tells of titles as it spells them."""
    steps = [*answer.get("normalized", []), *answer.get("redirects", [])]
    leads = {step["from"]: step["to"] for step in steps}
    found = {page.get("title"): title_found(page) for page in answer.get("pages", [])}
    found |= {link.get("title"): title_elsewhere(link) for link in answer.get("interwiki", [])}
    for title in titles:
        end = title
        for _ in steps:  # a redirect to itself leads nowhere
            end = leads.get(end, end)
        yield (
            title,
            found.get(end) or TitleFound(title, problem="The wiki did not say where it leads."),
        )


def page_seen(page: dict[str, Any], title: str = "") -> PageSeen:
    title = storable(title or str(page.get("title", "")))
    revisions = page.get("revisions") or []
    seen = PageSeen(page.get("pageid", 0), title, page.get("ns", ARTICLES))
    if page.get("missing"):
        problem = "The wiki has no such page any more."
        return PageSeen(seen.pageid, title, problem=problem, is_missing=True)
    if not revisions:
        return PageSeen(seen.pageid, title, problem="The wiki gave no revision of this page.")
    return PageSeen(
        seen.pageid, title, seen.namespace, revisions=tuple(map(revision_seen, revisions))
    )


def concealed(revision: dict[str, Any]) -> Hidden | None:
    flags = ("sha1hidden", "userhidden", "commenthidden")
    concealed = Hidden(*(bool(revision.get(flag)) for flag in flags))
    return concealed if any((concealed.text, concealed.editor, concealed.summary)) else None


def outline(revision: dict[str, Any]) -> Outline:
    return Outline(
        revision["revid"],
        datetime.fromisoformat(revision["timestamp"]) if "timestamp" in revision else None,
        revision["sha1"],
        int(revision.get("size", 0)),
    )


def revision_seen(revision: dict[str, Any]) -> RevisionSeen:
    slot = (revision.get("slots") or {}).get("main") or {}
    text = slot.get("content")
    no_text = "" if isinstance(text, str) else "The wiki hides its text."
    if slot.get("contentmodel", "wikitext") != "wikitext":
        text, no_text = None, f"Its content is {slot['contentmodel']}, not wikitext."
    return RevisionSeen(
        revid=revision["revid"],
        parent_revid=revision.get("parentid") or None,
        timestamp=datetime.fromisoformat(revision["timestamp"])
        if "timestamp" in revision
        else None,
        editor=storable(revision.get("user", "")),
        summary=storable(revision.get("comment", "")),
        text=storable(text) if isinstance(text, str) else None,
        no_text=no_text,
    )

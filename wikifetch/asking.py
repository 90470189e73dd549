"""Asking for a fetch: the row that says what is wanted, from where, and how. `fetch` carries it out."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from accounts.models import Person
from leases.refusal import Refusal
from wikifetch import livesource, wikis
from wikifetch.dump import DumpError, read_dump
from wikifetch.manners import WikiError, articles_at
from wikifetch.models import ALL_KINDS, FetchRun, TagKind

MAX_TITLES = 50_000
MAX_UNPACKED = 4 * 1024**3  # of an upload; a file named on the command line has no limit


def ask_for_file(
    path: Path, *, by: Person | None, label: str = "", uploaded: bool = False
) -> FetchRun:
    """A run over a MediaWiki export on this machine. Raises Refusal when it is none."""
    options = {"path": str(path.resolve()), "uploaded": uploaded}
    try:
        dump = read_dump(path, name=label, max_bytes=MAX_UNPACKED if uploaded else None)
        wiki = wikis.wiki_of(dump, default_wiki())
    except DumpError as error:
        raise Refusal(str(error)) from error
    return FetchRun.objects.create(
        source=FetchRun.Source.XML,
        label=(label or path.name)[:300],
        wiki=wiki,
        options=options,
        queue_frozen=True,
        started_by=by,
    )


@dataclass(frozen=True)
class How:
    """How a live fetch goes about it.

    `wiki` is one of WIKI_ALLOWED, "" for the first; `history` asks for the edit that added each tag, a request or
    more a page; a `dry_run` lists what it would fetch, and pauses before it does; `contact` is whom the wiki's
    operators can reach, "" for WIKI_CONTACT.
    """

    wiki: str = ""
    history: bool = True
    dry_run: bool = False
    contact: str = ""


AS_USUAL = How()


def ask_for_titles(titles: Iterable[str], *, by: Person | None, how: How = AS_USUAL) -> FetchRun:
    """A run over articles by title, from the live API. Raises Refusal without titles, contact or leave."""
    wanted = clean_titles(titles)
    if not wanted:
        raise Refusal("There is no title. Write one article's title on each line.")
    if len(wanted) > MAX_TITLES:
        raise Refusal(f"These are {len(wanted)} titles; a fetch takes up to {MAX_TITLES}.")
    label = wanted[0] if len(wanted) == 1 else f"{len(wanted)} titles"
    return _ask_live(how, FetchRun.Source.TITLES, label, {"titles": wanted}, by)


def ask_for_kind(
    kind: str, *, by: Person | None, limit: int | None = None, how: How = AS_USUAL
) -> FetchRun:
    """A run over the articles that carry a kind of tag, or any of them, from the live API. Raises Refusal."""
    if kind not in (*TagKind.values, ALL_KINDS):
        raise Refusal(f"{kind!r} is no kind of tag; there are {', '.join(TagKind.values)}.")
    options = {"kind": kind, "limit": _limit(limit)}
    label = "all kinds of tag" if kind == ALL_KINDS else kind
    return _ask_live(how, FetchRun.Source.KIND, _bounded(label, limit), options, by)


def ask_for_category(
    category: str, *, by: Person | None, limit: int | None = None, how: How = AS_USUAL
) -> FetchRun:
    """A run over the articles of a category, from the live API; those below it are others. Raises Refusal."""
    names = clean_titles([category])
    name = names[0].removeprefix(":").removeprefix("Category:").strip() if names else ""
    if not name or "|" in name:
        raise Refusal("Write the name of one category, such as “Self-contradictory articles”.")
    options = {"category": name, "limit": _limit(limit)}
    return _ask_live(how, FetchRun.Source.CATEGORY, _bounded(name, limit), options, by)


def _limit(limit: int | None) -> int | None:
    if limit is not None and limit < 1:
        raise Refusal("The limit must be at least 1.")
    return limit


def _bounded(label: str, limit: int | None) -> str:
    return label if limit is None else f"{label}, at most {limit} pages"


def clean_titles(lines: Iterable[str]) -> list[str]:
    """Titles without blanks, control characters and link brackets, each once, in order."""
    titles: dict[str, None] = {}
    for line in lines:
        visible = "".join(c if c.isprintable() else " " for c in line)
        title = " ".join(visible.replace("_", " ").split()).removeprefix("[[").removesuffix("]]")
        if title:
            titles.setdefault(title)
    return list(titles)


def usual_contact(person: Person) -> str:
    """What this person is offered as the contact: the operator's setting, else what they gave last."""
    given = FetchRun.objects.filter(started_by=person).exclude(contact="")
    return settings.WIKI_CONTACT or given.values_list("contact", flat=True).first() or ""


def default_wiki() -> str:
    return settings.WIKI_ALLOWED[0]


def _ask_live(
    how: How, source: str, label: str, options: dict[str, Any], by: Person | None
) -> FetchRun:
    try:
        client = livesource.client_for(how.wiki or default_wiki(), contact=how.contact)
    except WikiError as error:
        raise Refusal(error.message) from error
    wiki = wikis.wiki_at(articles_at(client.base), api_url=client.api_url)
    options |= {"base": client.base, "history": how.history, "dry_run": how.dry_run}
    return FetchRun.objects.create(
        source=source,
        label=label[:300],
        wiki=wiki,
        options=options,
        contact=how.contact,
        started_by=by,
    )

"""A new fetch: the row that says what to fetch, from where, and with which options. fetch.py carries it out."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from accounts.models import Person
from leases.refusal import Refusal
from wikifetch.models import ALL_KINDS, FetchRun, TagKind
from wikifetch.source import livebatches, wikis
from wikifetch.source.dump import Dump, read_dump
from wikifetch.source.dump_files import in_natural_order
from wikifetch.source.manners import articles_at
from wikifetch.wikitext.languages import alternatives, spellings

MAX_TITLES = 50_000
USUAL_DEPTH = 1  # maintenance categories hold their articles in one for each month
MAX_DEPTH = 5
# The namespace of a category, in any language of the presets.
_CATEGORY = re.compile(rf"^:?\s*(?:(?:{alternatives(spellings('category'))})\s*:)?", re.IGNORECASE)
MAX_UNPACKED = 4 * 1024**3  # of an upload; a file named on the command line has no limit


def fetch_of_files(
    paths: Iterable[Path], *, by: Person | None = None, label: str = "", uploaded: bool = False
) -> FetchRun:
    """A run over the files of a MediaWiki export on this machine, in the natural order of their names.

    Only their heads are read. Raises Refusal for what is no export, and for exports of different wikis.
    """
    found, dump = opened(paths, label, MAX_UNPACKED if uploaded else None)
    label = label or found[0].name + (f" and {len(found) - 1} more" if found[1:] else "")
    return FetchRun.objects.create(
        source=FetchRun.Source.XML,
        label=label[:300],
        wiki=wikis.wiki_of(dump, default_wiki()),
        options={"paths": [*map(str, found)], "uploaded": uploaded},
        queue_frozen=True,
        started_by=by,
    )


def opened(
    paths: Iterable[Path], label: str = "", max_bytes: int | None = None
) -> tuple[list[Path], Dump]:
    """The files in their order, and the first one, of which the head was read. Raises Refusal as `fetch_of_files`."""
    found = in_natural_order(path.absolute() for path in paths)
    dumps = [read_dump(path, name=label, max_bytes=max_bytes) for path in found]
    for path, dump in zip(found, dumps, strict=True):
        if dump.base != dumps[0].base:
            raise Refusal(
                f"{path.name} is of another wiki ({dump.base or 'it names none'}) than {found[0].name} "
                f"({dumps[0].base or 'it names none'}). Fetch from them one after the other."
            )
    return found, dumps[0]


@dataclass(frozen=True)
class LiveOptions:
    """The options of a live fetch.

    `wiki` is one of WIKI_ALLOWED, "" for the first; `history` asks for the edit that added each tag, one request or
    more a page; a `dry_run` lists what it would fetch, then pauses; `contact` is whom the wiki's operators can reach,
    "" for WIKI_CONTACT.
    """

    wiki: str = ""
    history: bool = True
    dry_run: bool = False
    contact: str = ""


USUAL_OPTIONS = LiveOptions()


def fetch_of_titles(
    titles: Iterable[str], *, by: Person | None = None, options: LiveOptions = USUAL_OPTIONS
) -> FetchRun:
    """A run over articles by title, from the live API. Raises Refusal: no title, no contact, a wiki not allowed."""
    named = wanted_titles(titles)
    label = named[0] if len(named) == 1 else f"{len(named)} titles"
    return _live_fetch(options, FetchRun.Source.TITLES, label, {"titles": named}, by)


def wanted_titles(lines: Iterable[str]) -> list[str]:
    """The titles, each once. Raises Refusal for none, and for too many."""
    named = clean_titles(lines)
    if not named:
        raise Refusal("There is no title. Write one article's title on each line.")
    if len(named) > MAX_TITLES:
        raise Refusal(f"These are {len(named)} titles; a fetch takes up to {MAX_TITLES}.")
    return named


def fetch_of_kind(
    kind: str,
    *,
    by: Person | None = None,
    limit: int | None = None,
    options: LiveOptions = USUAL_OPTIONS,
) -> FetchRun:
    """A run over the articles that carry a kind of tag, or any of them, from the live API. Raises Refusal."""
    if kind not in (*TagKind.values, ALL_KINDS):
        raise Refusal(f"{kind!r} is no kind of tag; there are {', '.join(TagKind.values)}.")
    wanted = {"kind": kind, "limit": _limit(limit)}
    label = "all kinds of tag" if kind == ALL_KINDS else kind
    return _live_fetch(options, FetchRun.Source.KIND, _bounded(label, limit), wanted, by)


def fetch_of_category(
    category: str,
    *,
    by: Person | None = None,
    depth: int = USUAL_DEPTH,
    limit: int | None = None,
    options: LiveOptions = USUAL_OPTIONS,
) -> FetchRun:
    """A run over the articles of a category and of those up to `depth` levels below it. Raises Refusal."""
    name = category_named(category)
    if not 0 <= depth <= MAX_DEPTH:
        raise Refusal(f"Follow 0 to {MAX_DEPTH} levels of subcategories.")
    wanted = {"category": name, "depth": depth, "limit": _limit(limit)}
    return _live_fetch(options, FetchRun.Source.CATEGORY, _bounded(name, limit), wanted, by)


def category_named(given: str) -> str:
    """Its name without the namespace. Raises Refusal for none, or several."""
    names = clean_titles([given])
    name = _CATEGORY.sub("", names[0]).strip() if names else ""
    if not name or "|" in name:
        raise Refusal("Write the name of one category, such as “Self-contradictory articles”.")
    return name


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


def _live_fetch(
    options: LiveOptions, source: str, label: str, wanted: dict[str, Any], by: Person | None
) -> FetchRun:
    client = livebatches.client_for(options.wiki or default_wiki(), contact=options.contact)
    wiki = wikis.wiki_at(articles_at(client.base), api_url=client.api_url)
    wanted |= {"base": client.base, "history": options.history, "dry_run": options.dry_run}
    return FetchRun.objects.create(
        source=source,
        label=label[:300],
        wiki=wiki,
        options=wanted,
        contact=options.contact,
        started_by=by,
    )

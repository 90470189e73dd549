"""What a live fetch consists of: asked once, before the first page, and kept as the run's queue."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from django.conf import settings

from wikifetch.models import ALL_KINDS, FetchRun, Tag
from wikifetch.source.categories import CategoryWalk
from wikifetch.source.manners import WikiError
from wikifetch.source.shapes import Continuations
from wikifetch.source.wiki_client import WikiClient, in_batches
from wikifetch.source.wikis import keep_about
from wikifetch.wikitext.tag_names import CANONICAL, KNOWN_NAMES

_LISTED = 2_500  # titles whose page ids are asked for before they are kept: fifty requests


@dataclass(frozen=True)
class FrozenQueue:
    """The pages of a live fetch, or of a part of it.

    Page ids with titles ("": not known), the wiki's names of tags, problems by title, how far the listing is (options
    of the run for the next turn), and whether that is all.
    """

    pages: dict[int, str]
    names: dict[str, list[str]]
    problems: list[tuple[str, str]] = field(default_factory=list)
    progress: dict[str, Any] = field(default_factory=dict)
    is_whole: bool = True


def freeze_queue(client: WikiClient, run: FetchRun) -> Iterator[FrozenQueue]:
    """Ask once what a fetch consists of: the wiki's names of tags, and the page ids of what was asked for.

    Titles and categories come in parts, from where a stop left them; the others in one. Read the run again after each.
    """
    assert run.wiki is not None
    names: dict[str, list[str]] = run.options.get("names") or {}
    if not names:
        keep_about(run.wiki, *client.about())
    if run.source == FetchRun.Source.KIND:
        yield _freeze_list(client, run)
        return
    names = names or _names_here(client, "")[0]
    freeze_parts = _freeze_titles if run.source == FetchRun.Source.TITLES else _freeze_category
    yield from freeze_parts(client, run, names)


def _freeze_titles(
    client: WikiClient, run: FetchRun, names: dict[str, list[str]]
) -> Iterator[FrozenQueue]:
    titles, listed = run.options["titles"], run.options.get("listed", 0)
    for part in in_batches(titles[listed:], _LISTED):
        results = [result for _, result in client.follow_titles(part)]
        pages = {title.pageid: title.title for title in results if title.pageid is not None}
        problems = [(title.title, title.problem) for title in results if title.problem]
        listed += len(part)
        yield FrozenQueue(pages, names, problems, {"listed": listed}, listed == len(titles))


def _freeze_category(
    client: WikiClient, run: FetchRun, names: dict[str, list[str]]
) -> Iterator[FrozenQueue]:
    """A part for each request: the wiki may be busy at any of hundreds."""
    category, depth, limit = (run.options[name] for name in ("category", "depth", "limit"))
    if "walk" not in run.options:  # first of all the names are kept: they take four requests
        start = CategoryWalk([(f"Category:{category}", depth)])
        yield FrozenQueue({}, names, progress={"walk": start.as_json()}, is_whole=False)
    walk, sent = CategoryWalk.from_json(run.options["walk"]), Continuations()
    while (limit is None or len(run.queue) < limit) and (at := walk.next):
        title, below = at
        members = client.members(title, with_categories=below > 0, more=walk.more)
        if members.more:
            listed = ((title, entry) for entry in (*members.pages, *members.categories))
            sent.check(members.more | {"cmtitle": title}, listed)
        walk = walk.after(members)
        if not (run.queue or members.pages or walk.next):
            raise _empty(category, depth)  # not kept: a resumed run asks again
        known = {*run.queue}
        fresh = [page for page in members.pages.items() if page[0] not in known]
        room = None if limit is None else limit - len(known)
        yield FrozenQueue(
            dict(fresh[:room]), names, progress={"walk": walk.as_json()}, is_whole=False
        )
    yield FrozenQueue(
        {} if limit else dict.fromkeys(listed_before(run), ""), names, progress={"walk": {}}
    )


def _empty(category: str, depth: int) -> WikiError:
    below_it = ", nor do its subcategories" if depth else ""
    return WikiError(
        f"This wiki's category “{category}” does not exist or holds no article{below_it}. Look it up there, "
        "and write its name without “Category:”."
    )


def _freeze_list(client: WikiClient, run: FetchRun) -> FrozenQueue:
    names, targets = _names_here(client, run.options["kind"])
    limit = run.options["limit"]
    if not targets:
        kind, canonical = run.options["kind"], _canonical(client.base)
        wanted = " or ".join(
            chain.from_iterable(canonical.values()) if kind == ALL_KINDS else canonical[kind]
        )
        raise WikiError(f"This wiki has no template named {wanted}. Fetch by titles instead.")
    pages = client.pages_with(targets, limit)
    # Where all are asked for, those listed no longer too: their tags may be gone, or their texts hidden.
    whole = pages if limit else dict.fromkeys([*pages, *listed_before(run)], "") | pages
    return FrozenQueue(whole, names)


def listed_before(run: FetchRun) -> list[int]:
    """Ids of the known pages with a tag of this kind or any, or that this category had listed.

    Pages whose tags are gone count too: what the wiki has hidden of them since is still to be taken out.
    """
    tags = Tag.objects.filter(article__wiki=run.wiki)
    if run.source == FetchRun.Source.KIND and run.options["kind"] != ALL_KINDS:
        tags = tags.filter(kind=run.options["kind"])
    columns = tags.order_by("article__pageid").values_list("article__pageid", flat=True)
    known = list(columns.distinct())
    if run.source == FetchRun.Source.KIND:
        return known
    earlier = FetchRun.objects.filter(
        wiki=run.wiki,
        source=run.source,
        options__category=run.options["category"],
        options__depth__lte=run.options["depth"],
    )
    listed = set(chain.from_iterable(earlier.values_list("queue", flat=True)))
    return [pageid for pageid in known if pageid in listed]


def _canonical(base: str) -> dict[str, list[str]]:
    """Kind -> names of its templates on the wiki at `base`; English where the operator gave none."""
    return settings.WIKI_TEMPLATES.get(base, CANONICAL)


def _names_here(client: WikiClient, kind: str) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """Kind -> all names on this wiki, redirects too; and the templates of `kind`, or of all kinds."""
    names = KNOWN_NAMES.spellings() if client.base not in settings.WIKI_TEMPLATES else {}
    targets: tuple[str, ...] = ()
    for of, canonical in _canonical(client.base).items():
        here = client.spellings(canonical)
        names[of] = list(here.names) or names.get(of) or canonical
        if kind in {of, ALL_KINDS}:
            targets += here.targets
    return names, targets

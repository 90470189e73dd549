"""What a live fetch consists of: asked once, before the first page, and kept as the run's queue."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from django.conf import settings
from django.db.models import Q

from wikifetch.models import ALL_KINDS, FetchRun, Tag
from wikifetch.source.client import WikiClient, in_batches
from wikifetch.source.manners import WikiError
from wikifetch.wikitext.names import CANONICAL, KNOWN_NAMES

_LISTED = 2_500  # titles whose page ids are asked for before they are kept: fifty requests


@dataclass(frozen=True)
class Frozen:
    """The pages of a live fetch, or of a part of it.

    Page ids, the wiki's names of tags, problems by title; how many titles are listed now, and whether that is all.
    """

    pageids: list[int]
    names: dict[str, list[str]]
    problems: list[tuple[str, str]] = field(default_factory=list)
    listed: int = 0
    is_whole: bool = True


def freeze(client: WikiClient, run: FetchRun) -> Iterator[Frozen]:
    """Ask once what a fetch consists of: the wiki's names of tags, and the page ids of what was asked for.

    A list of titles in parts, from where a stop left it; the others in one.
    """
    if run.source == FetchRun.Source.TITLES:
        return _freeze_titles(client, run)
    return iter([_freeze_list(client, run)])


def _freeze_titles(client: WikiClient, run: FetchRun) -> Iterator[Frozen]:
    names = run.options.get("names") or _names_here(client, "")[0]
    titles, listed = run.options["titles"], run.options.get("listed", 0)
    for part in in_batches(titles[listed:], _LISTED):
        results = [result for _, result in client.follow_titles(part)]
        pageids = [title.pageid for title in results if title.pageid is not None]
        problems = [(title.title, title.problem) for title in results if title.problem]
        listed += len(part)
        yield Frozen(pageids, names, problems, listed, listed == len(titles))


def _freeze_list(client: WikiClient, run: FetchRun) -> Frozen:
    names, targets = _names_here(client, run.options.get("kind", ""))
    limit = run.options.get("limit")
    if run.source == FetchRun.Source.CATEGORY:
        pageids = client.pageids_in(run.options["category"], run.options.get("depth", 0), limit)
    elif targets:
        pageids = client.pageids_with(targets, limit)
    else:
        kind, canonical = run.options["kind"], _canonical(client.base)
        wanted = " or ".join(
            chain.from_iterable(canonical.values()) if kind == ALL_KINDS else canonical[kind]
        )
        raise WikiError(f"This wiki has no template named {wanted}. Fetch by titles instead.")
    # Where all are asked for, those listed no longer too: their tags may be gone, or their texts hidden.
    return Frozen(pageids if limit else [*pageids, *listed_before(run)], names)


def listed_before(run: FetchRun) -> list[int]:
    """Ids of the known pages with a tag of this kind or any, or that this category had listed.

    Also of those whose tags are gone: what the wiki has hidden of them since is still to be taken out.
    """
    tags = Tag.objects.filter(article__wiki=run.wiki)
    if run.source == FetchRun.Source.KIND and run.options["kind"] != ALL_KINDS:
        tags = tags.filter(kind=run.options["kind"])
    columns = tags.order_by("article__pageid").values_list("article__pageid", flat=True)
    known = list(columns.distinct())
    if run.source == FetchRun.Source.KIND:
        return known
    earlier = FetchRun.objects.filter(
        wiki=run.wiki, source=run.source, options__category=run.options["category"]
    ).filter(Q(options__depth__isnull=True) | Q(options__depth__lte=run.options.get("depth", 0)))
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

"""What a fetch would take, before it starts: by what was entered, or by one request to the wiki."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from leases.clock import now
from leases.refusal import Conflict, Refusal
from pages.counting import how_many
from wikifetch.models import Article, FetchRun, Wiki
from wikifetch.newfetch import LiveOptions, category_named, default_wiki, wanted_titles
from wikifetch.source.livebatches import manners_for
from wikifetch.source.manners import WikiError, articles_at
from wikifetch.source.wiki_client import WikiClient
from wikifetch.states import FetchState

_SECONDS = 8.0  # that somebody waits for a wiki's answer
_SHOWN = 30  # titles
_COMPARED = 500  # titles, with those of articles that are here


@dataclass(frozen=True)
class FetchPreview:
    """Sentences, and the first titles."""

    said: list[str]
    titles: list[str] = field(default_factory=list)


def preview_of_titles(lines: Iterable[str], wiki: str) -> FetchPreview:
    """The names of a list, without asking the wiki (one of WIKI_ALLOWED, or ""). Raises Refusal for no title."""
    given = [line for line in lines if line.strip()]
    titles = wanted_titles(given)
    said = [f"{how_many(len(titles), 'article')} would be asked for."]
    if again := len(given) - len(titles):
        said.append(f"{how_many(again, 'line')} left out: named before, or without a title.")
    if len(titles) <= _COMPARED:
        here = Article.objects.filter(wiki__base_url=articles_at(wiki or default_wiki()))
        if known := here.filter(title__in=titles).count():
            said.append(f"Fetched before, and updated only if changed: {known} of them.")
    return FetchPreview(said, titles[:_SHOWN])


def preview_of_category(
    category: str, depth: int, limit: int | None, options: LiveOptions
) -> FetchPreview:
    """The size of a category, by one request. Raises Refusal: none of this name, a wiki that cannot be asked now."""
    name, base = category_named(category), options.wiki or default_wiki()
    _check_free(base)
    manners = replace(manners_for(options.contact), timeout=_SECONDS, max_wait=0)
    size = WikiClient(base, manners).category_size(f"Category:{name}")
    if size is None:
        raise WikiError(f"This wiki has no category “{name}”. Write its name as on the wiki.")
    pages, below = (how_many(size[0], "page"), how_many(size[1], "subcategory", "subcategories"))
    said = [f"The category “{name}” has {pages} and {below} of its own."]
    if depth and size[1]:
        said.append(
            f"The articles of its subcategories come too, {how_many(depth, 'level')} down: they are counted when they "
            "are listed."
        )
    if limit:
        said.append(f"At most {how_many(limit, 'page')} would be fetched.")
    return FetchPreview(said)


def _check_free(base: str) -> None:
    """A wiki is asked one request at a time, so a preview does not ask beside a fetch, nor while the wiki is busy."""
    wiki = Wiki.objects.filter(base_url=articles_at(base)).first()
    if wiki is None:
        return
    runs = FetchRun.objects.filter(wiki=wiki, state=FetchState.RUNNING)
    if runs.exclude(source=FetchRun.Source.XML).exists():
        raise Conflict(
            "A fetch is asking this wiki now, and a wiki is asked one request at a time. Wait until it is done, or "
            "start this one with “List the pages, then pause”.",
            retry=True,
        )
    if wiki.busy_until and wiki.busy_until > now():
        raise Refusal("This wiki is busy now. Try again in some minutes.", retry=True)

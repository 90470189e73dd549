"""Batches out of the live API of a wiki: the pages of a run's queue, what belongs to them, and their histories."""

from collections.abc import Container, Iterator, Mapping, Sequence

from django.conf import settings

from wikifetch import others
from wikifetch.batches import Batch, add, history_of
from wikifetch.client import BATCH, WikiClient, in_batches
from wikifetch.history import PageHistory
from wikifetch.manners import REAL_CLOCK, Clock, Manners
from wikifetch.models import Article, FetchRun, Tag, Wiki
from wikifetch.origins import traced, untraced
from wikifetch.purging import known_revids
from wikifetch.revisions import PageSeen
from wikifetch.states import TagState
from wikifetch.wikitext import TagNames

_MOST_OTHERS = 200  # that the tags on a batch's pages may name; a few do


def manners(contact: str = "") -> Manners:
    """As the operator set them, under this contact if there is one."""
    return Manners(
        contact=contact or settings.WIKI_CONTACT,
        version=settings.VERSION,
        allowed=tuple(settings.WIKI_ALLOWED),
        per_second=settings.WIKI_REQUESTS_PER_SECOND,
        maxlag=settings.WIKI_MAXLAG,
        max_wait=settings.WIKI_MAX_WAIT,
    )


def client_for(base: str, clock: Clock = REAL_CLOCK, contact: str = "") -> WikiClient:
    """The API of the wiki at `base`. Raises WikiError without a contact, or for a wiki that is not allowed."""
    return WikiClient(base, manners(contact), clock)


def live_batches(client: WikiClient, run: FetchRun) -> Iterator[Batch]:
    """The queue from the cursor on, 50 pages at a time, then the histories of those whose tags need one."""
    assert run.wiki is not None
    names = TagNames.of(run.options["names"])
    yield from _history_batches(client, run, run.queue[: run.cursor], names)  # what a stop left
    done = run.cursor
    for pageids in in_batches(run.queue[done:], BATCH):
        done += len(pageids)
        yield _page_batch(client, run, pageids, names, done)
        yield from _history_batches(client, run, pageids, names)


def _page_batch(
    client: WikiClient, run: FetchRun, pageids: Sequence[int], names: TagNames, done: int
) -> Batch:
    """Those of the pages that have changed since they were fetched, with what belongs to them."""
    assert run.wiki is not None
    wiki, batch = run.wiki, Batch(done)
    kept = known_revids(wiki, pageids)
    changed = _changed(client, pageids, kept, batch)
    batch.unchanged = [pageid for pageid in pageids if pageid not in set(changed)]
    _add_changed(batch, wiki, _read(client, changed, names), kept)
    _add_others(batch, client, run, names)
    seen = (*batch.pages, *batch.others)
    tagged = [page.title for page, history in seen if history.reading.tags]
    for talk in client.talk_pages([*tagged, *_changed_talk(client, wiki, batch.unchanged)]):
        batch.talk += [(talk.title, revision) for revision in talk.revisions]
    return batch


def _changed(
    client: WikiClient, pageids: Sequence[int], kept: Mapping[int, set[int]], batch: Batch
) -> list[int]:
    """Those whose newest revision is not kept here; what the wiki hides of the others goes into the batch."""
    standing = client.standing(set().union(*kept.values()))
    batch.hidden |= standing.hidden
    return [p for p in pageids if standing.newest.get(p, 0) not in kept.get(p, ())]


def _read(
    client: WikiClient, pageids: Sequence[int], names: TagNames
) -> list[tuple[PageSeen, PageHistory]]:
    """The pages as they stand now, with what was read in them."""
    found = []
    for page in client.pages(pageids):
        client.beat()
        history = PageHistory() if page.problem else history_of(page.revisions, names)
        found.append((page, history))
    return found


def _add_changed(
    batch: Batch, wiki: Wiki, read: list[tuple[PageSeen, PageHistory]], kept: Container[int]
) -> None:
    """Into the batch what is to be kept of them, and which known ones the wiki has no more."""
    named = others.named_by_tags(wiki) | others.named_in(history for _, history in read)
    missing = [page.pageid for page, _ in read if page.is_missing and page.pageid in kept]
    batch.missing = missing
    # Of a page that was missing before it was told then.
    live = Tag.objects.filter(article__wiki=wiki, state=TagState.LIVE)
    new = set(live.filter(article__pageid__in=missing).values_list("article__pageid", flat=True))
    for page, history in read:
        if page.pageid not in missing or page.pageid in new:
            add(batch, page, history, page.pageid in kept or page.title in named)


def _add_others(batch: Batch, client: WikiClient, run: FetchRun, names: TagNames) -> None:
    """Into the batch the other articles that tags on its pages name, but those that the fetch takes anyway."""
    assert run.wiki is not None
    titles = others.named_in(history for _, history in batch.pages)
    _add_named(batch, client, sorted(titles | others.named_on(run.wiki, batch.unchanged)))
    wanted = sorted(set(batch.named.values()) - set(run.queue))
    kept = known_revids(run.wiki, wanted)
    for page, history in _read(client, _changed(client, wanted, kept, batch), names):
        add(batch, page, history, known=True, to=batch.others)


def _add_named(batch: Batch, client: WikiClient, titles: Sequence[str]) -> None:
    """Into the batch where these titles lead."""
    if len(titles) > _MOST_OTHERS:
        told = f"Tags here name {len(titles)} other articles; only {_MOST_OTHERS} were fetched."
        batch.problems.append((f"{len(batch.pages)} pages", told))
    for title, found in client.behind(titles[:_MOST_OTHERS]):
        if found.pageid is not None:
            batch.named[title] = found.pageid
        else:
            told = f"A tag names it as the other article. {found.problem}"
            batch.problems.append((title, told))


def _changed_talk(client: WikiClient, wiki: Wiki, pageids: Sequence[int]) -> list[str]:
    """Titles of the articles with tags, among these unchanged ones, whose talk page has changed."""
    tagged = Article.objects.filter(wiki=wiki, pageid__in=pageids, tags__state=TagState.LIVE)
    known = dict(tagged.distinct().values_list("title", "talk__revid"))
    newest = client.talk_revisions(list(known))
    return [title for title, revid in newest.items() if title in known and known[title] != revid]


def _history_batches(
    client: WikiClient, run: FetchRun, pageids: Sequence[int], names: TagNames
) -> Iterator[Batch]:
    """For each of the pages with a tag of unknown origin, one batch with its history, if the fetch wants it."""
    if not run.options.get("history", True):
        return
    assert run.wiki is not None
    for part in in_batches(pageids, 500):
        beside = others.pageids_named_on(run.wiki, part)
        for article in untraced(run.wiki, [*part, *beside]):
            yield Batch(run.cursor, traced=[traced(client, article, names)])

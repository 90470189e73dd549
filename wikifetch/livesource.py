"""Batches out of the live API of a wiki: the pages of a run's queue, what belongs to them, and their histories."""

from collections.abc import Container, Iterator, Mapping, Sequence

from django.conf import settings

from pages.counting import how_many
from wikifetch import others
from wikifetch.batches import Batch, add, history_of
from wikifetch.client import BATCH, WikiClient, in_batches
from wikifetch.history import PageHistory
from wikifetch.manners import REAL_CLOCK, Clock, Manners
from wikifetch.models import Article, FetchRun, Tag
from wikifetch.origins import traced, untraced
from wikifetch.purging import known_revids
from wikifetch.revisions import PageSeen
from wikifetch.states import TagState
from wikifetch.wikitext import TagNames

_MOST_OTHERS = 100  # that the tags on a batch's pages may name; a few do

Read = Sequence[tuple[PageSeen, PageHistory]]


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
    return _Live(client, run).batches()


class _Live:
    """One run, and what of it this process has asked: no other article is looked at twice, no title followed twice."""

    def __init__(self, client: WikiClient, run: FetchRun) -> None:
        assert run.wiki is not None
        self._client, self._run, self._wiki = client, run, run.wiki
        self._names = TagNames.of(run.options["names"])
        self._looked_at: set[int] = set()
        self._followed: set[str] = set()

    def batches(self) -> Iterator[Batch]:
        queue, done = self._run.queue, self._run.cursor
        yield from self._histories(queue[:done])  # what a stop left
        for pageids in in_batches(queue[done:], BATCH):
            done += len(pageids)
            yield self._page_batch(pageids, done)
            yield from self._histories(pageids)
        yield from self._beside()

    def _page_batch(self, pageids: Sequence[int], done: int) -> Batch:
        """Those of the pages that have changed since they were fetched, with what belongs to them."""
        batch = Batch(done)
        kept = known_revids(self._wiki, pageids)
        changed, batch.unchanged = self._compared(pageids, kept, batch)
        read = self._read(changed)
        self._add_changed(batch, read, kept)
        self._looked_at |= {*batch.unchanged, *(page.pageid for page, _ in batch.pages)}
        unchanged = [*batch.unchanged, *self._add_others(batch, read)]
        seen = (*batch.pages, *batch.others)
        tagged = [page.title for page, history in seen if history.reading.tags]
        for talk in self._client.talk_pages([*tagged, *self._changed_talk(unchanged)]):
            batch.talk += [(talk.title, revision) for revision in talk.revisions]
        return batch

    def _compared(
        self, pageids: Sequence[int], kept: Mapping[int, set[int]], batch: Batch
    ) -> tuple[list[int], list[int]]:
        """Those whose newest revision is not kept here, and the others; into the batch what the wiki hides of these."""
        standing = self._client.standing(set().union(*kept.values()))
        batch.hidden |= standing.hidden
        unchanged = {p for p in pageids if standing.newest.get(p, 0) in kept.get(p, ())}
        return [p for p in pageids if p not in unchanged], [p for p in pageids if p in unchanged]

    def _read(self, pageids: Sequence[int]) -> Read:
        """The pages as they stand now, with what was read in them."""
        found = []
        for page in self._client.pages(pageids):
            self._client.beat()
            history = PageHistory() if page.problem else history_of(page.revisions, self._names)
            found.append((page, history))
        return found

    def _add_changed(self, batch: Batch, read: Read, kept: Container[int]) -> None:
        """Into the batch what is to be kept of them, and which known ones the wiki has no more."""
        named = others.named_by_tags(self._wiki) | others.named_in(history for _, history in read)
        titles = {spelling for title in named for spelling in others.spellings(title)}
        led_to = others.led_to(self._wiki, [page.pageid for page, _ in read])
        told = self._add_missing(batch, read, kept)
        for page, history in read:
            known = page.pageid in kept or page.pageid in led_to or page.title in titles
            if page.pageid not in told:
                add(batch, page, history, known)

    def _add_missing(self, batch: Batch, read: Read, kept: Container[int]) -> set[int]:
        """Into the batch which known pages the wiki has no more; returns those that are not to be told (again)."""
        missing = {page.pageid for page, _ in read if page.is_missing and page.pageid in kept}
        batch.missing += sorted(missing)
        live = Tag.objects.filter(article__wiki=self._wiki, state=TagState.LIVE)
        new = live.filter(article__pageid__in=missing).values_list("article__pageid", flat=True)
        return missing - set(new)

    def _add_others(self, batch: Batch, read: Read) -> list[int]:
        """Into the batch the other articles that tags on its pages name; returns those that have not changed."""
        titles = others.named_in(history for _, history in batch.pages)
        hidden = [revid for revid, what in batch.hidden.items() if what.text]
        titles |= others.named_on(self._wiki, batch.unchanged, hidden)
        self._follow(batch, sorted(titles - self._followed), len(read) + len(batch.unchanged))
        led_to = {*batch.named.values(), *others.pageids_behind(self._wiki, titles)}
        for page, history in read:  # one without tags, in this very batch
            if page.pageid in led_to - self._looked_at and history.newest is not None:
                add(batch, page, history, known=True)
                self._looked_at.add(page.pageid)
        return self._look_at(batch, led_to - {*self._run.queue[batch.done :]})

    def _look_at(self, batch: Batch, pageids: set[int]) -> list[int]:
        """Into the batch those of these other articles that have changed; returns those that have not."""
        wanted = sorted(pageids - self._looked_at)
        self._looked_at |= {*wanted}
        kept = known_revids(self._wiki, wanted)
        changed, unchanged = self._compared(wanted, kept, batch)
        found = self._read(changed)
        told = self._add_missing(batch, found, kept)
        for page, history in found:
            if page.pageid not in told:
                add(batch, page, history, known=True, to=batch.others)
        return unchanged

    def _beside(self) -> Iterator[Batch]:
        """The other articles that are kept, though no tag may name them any more: the wiki may have hidden their texts.

        Where all pages with a kind of tag were asked for.
        """
        if self._run.source != FetchRun.Source.KIND or self._run.options.get("limit"):
            return
        kept = Article.objects.filter(wiki=self._wiki, tags__isnull=True)
        for part in in_batches(list(kept.values_list("pageid", flat=True)), BATCH):
            batch = Batch(self._run.cursor)
            self._look_at(batch, {*part})
            yield batch
            yield from self._histories(part)

    def _follow(self, batch: Batch, titles: Sequence[str], pages: int) -> None:
        """Into the batch where these titles lead."""
        self._followed |= {*titles}
        if len(titles) > _MOST_OTHERS:
            told = (
                f"Tags on them name {len(titles)} other articles; only {_MOST_OTHERS} were fetched."
            )
            batch.problems.append((how_many(pages, "page"), told))
        for title, found in self._client.behind(titles[:_MOST_OTHERS]):
            if found.pageid is not None:
                batch.named[title] = found.pageid
            else:
                batch.problems.append((title, f"{others.NAMED_BY_A_TAG} {found.problem}"))

    def _changed_talk(self, pageids: Sequence[int]) -> list[str]:
        """Titles of the articles with tags, among these unchanged ones, whose talk page has changed."""
        tagged = Article.objects.filter(
            wiki=self._wiki, pageid__in=pageids, tags__state=TagState.LIVE
        )
        known = dict(tagged.distinct().values_list("title", "talk__revid"))
        newest = self._client.talk_revisions(list(known))
        return [
            title for title, revid in newest.items() if title in known and known[title] != revid
        ]

    def _histories(self, pageids: Sequence[int]) -> Iterator[Batch]:
        """For each of the pages with a tag of unknown origin, one batch with its history, if the fetch wants it."""
        if not self._run.options.get("history", True):
            return
        for part in in_batches(pageids, 500):
            beside = others.pageids_behind(self._wiki, others.named_on(self._wiki, part))
            for article in untraced(self._wiki, [*part, *beside]):
                history = traced(self._client, article, self._names)
                yield Batch(self._run.cursor, traced=[history])

"""Batches out of a MediaWiki export, which is read more than once: what belongs to a tag may stand before it.

The cursor of such a fetch counts pages over all readings, so that each goes on where it was stopped.
"""

import time
from collections.abc import Callable, Generator, Iterator, Mapping

from wikifetch import others
from wikifetch.batches import Batch, add, history_of
from wikifetch.dump import Dump
from wikifetch.heartbeat import Heartbeat
from wikifetch.history import PageHistory
from wikifetch.models import Article, Wiki
from wikifetch.revisions import ARTICLES, TALK, PageSeen
from wikifetch.wikis import names_of

# A batch is written when it has this many pages to write, has read so many, or took so long.
_WRITTEN, _READ, _SECONDS = 50, 1_000, 10.0


def file_batches(
    opened: Callable[[], Dump], wiki: Wiki, skip: int, heart: Heartbeat
) -> Iterator[Batch]:
    """A file's tagged articles, then what belongs to their tags; without what was read up to the cursor `skip`."""
    pages = yield from _batches(opened(), _Tagged(wiki, heart), heart, skip)
    beside = _Beside(wiki, heart)
    yield from _batches(opened(), beside, heart, skip, pages)
    if beside.leads:
        redirected = _Redirected(wiki, heart, beside.leads)
        yield from _batches(opened(), redirected, heart, skip, pages, pages)


class _Reading:
    """What one reading of a file takes out of its pages."""

    def __init__(self, wiki: Wiki, heart: Heartbeat) -> None:
        self._wiki, self._heart, self._names = wiki, heart, names_of(wiki)

    def note(self, page: PageSeen) -> None:
        """Called for every page, also for those that were taken before a stop."""

    def take(self, batch: Batch, page: PageSeen) -> None:
        """Into the batch what is to be recorded of a page."""
        raise NotImplementedError

    def history(self, page: PageSeen) -> PageHistory:
        return history_of(self._heart.along(page.revisions), self._names)


def _batches(
    dump: Dump, reading: _Reading, heart: Heartbeat, skip: int, *before: int
) -> Generator[Batch, None, int]:
    """One reading's batches; `before` are the pages of each reading before it. Returns the number of pages."""
    start, number = sum(before), 0
    read = before[0] if before else None
    since, began = max(start, skip), time.monotonic()
    batch = Batch(since, read)
    for number, page in enumerate(heart.along(dump.pages), start=1):
        reading.note(page)
        if start + number <= skip:
            continue
        reading.take(batch, page)
        batch.done = start + number
        full = len(batch.pages) + len(batch.others) + len(batch.talk) >= _WRITTEN
        if full or number % _READ == 0 or time.monotonic() - began > _SECONDS:
            yield batch
            since, began = batch.done, time.monotonic()
            batch = Batch(since, read)
    if batch.done > since:
        yield batch
    return number


class _Tagged(_Reading):
    """Articles with tags, and those that had some. Pages of no interest are only counted."""

    def __init__(self, wiki: Wiki, heart: Heartbeat) -> None:
        super().__init__(wiki, heart)
        self._known = set(Article.objects.filter(wiki=wiki).values_list("pageid", flat=True))

    def take(self, batch: Batch, page: PageSeen) -> None:
        known = page.pageid in self._known
        # An article that became a redirect has lost its tags.
        if page.namespace == ARTICLES and (not page.is_redirect or known):
            add(batch, page, self.history(page), known)


class _Beside(_Reading):
    """The talk pages of the articles with tags, and the other articles that they name.

    `leads` says of those of the titles that are redirects where they lead.
    """

    def __init__(self, wiki: Wiki, heart: Heartbeat) -> None:
        super().__init__(wiki, heart)
        tagged = Article.objects.filter(wiki=wiki, tags__isnull=False)
        self._tagged = set(tagged.values_list("title", flat=True))
        self._named = _by_spelling(others.named_by_tags(wiki))
        self.leads: dict[str, str] = {}

    def note(self, page: PageSeen) -> None:
        if page.namespace == ARTICLES and page.is_redirect:
            for title in self._named.get(page.title, ()):
                self.leads[title] = page.redirect_to

    def take(self, batch: Batch, page: PageSeen) -> None:
        if page.namespace == ARTICLES and page.title in self._named and not page.is_redirect:
            batch.named |= dict.fromkeys(self._named[page.title], page.pageid)
            if page.title not in self._tagged:
                add(batch, page, self.history(page), known=True, to=batch.others)
        elif page.namespace == TALK and page.title.partition(":")[2] in self._tagged:
            newest = max(page.revisions, key=lambda revision: revision.revid, default=None)
            batch.talk += [(page.title.partition(":")[2], newest)] if newest else []


class _Redirected(_Reading):
    """The articles to which named redirects lead."""

    def __init__(self, wiki: Wiki, heart: Heartbeat, leads: Mapping[str, str]) -> None:
        super().__init__(wiki, heart)
        self._named: dict[str, list[str]] = {}
        for title, target in leads.items():
            self._named.setdefault(target, []).append(title)

    def take(self, batch: Batch, page: PageSeen) -> None:
        if page.namespace == ARTICLES and page.title in self._named and not page.is_redirect:
            batch.named |= dict.fromkeys(self._named[page.title], page.pageid)
            add(batch, page, self.history(page), known=True, to=batch.others)


def _by_spelling(titles: set[str]) -> dict[str, list[str]]:
    """Title of a page -> the titles in tags that may mean it."""
    found: dict[str, list[str]] = {}
    for title in titles:
        for spelling in set(others.spellings(title)):
            found.setdefault(spelling, []).append(title)
    return found

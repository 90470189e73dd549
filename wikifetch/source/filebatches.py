"""Batches out of a MediaWiki export, which is read more than once: what belongs to a tag may come before it.

The cursor of such a fetch counts pages over all readings, so that each goes on where it was stopped.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

from wikifetch import otherarticles
from wikifetch.heartbeat import Heartbeat
from wikifetch.history.introductions import PageHistory
from wikifetch.history.revisions import ARTICLES, TALK, PageSeen
from wikifetch.models import Article, Wiki
from wikifetch.source.batches import NOTHING, Batch, Part, history_of, joined, part_of
from wikifetch.source.dump import Dump
from wikifetch.source.wikis import names_of

# A batch is written when it has this many pages to write, has read so many, or took so long.
_WRITTEN, _READ, _SECONDS = 50, 1_000, 10.0


def file_batches(
    opened: Callable[[], Dump], wiki: Wiki, skip: int, heart: Heartbeat
) -> Iterator[Batch]:
    """A file's tagged articles, then what belongs to their tags; without what was read up to the cursor `skip`."""
    pages = yield from _batches(opened(), _Tagged(wiki, heart), heart, skip)
    belonging = _Belonging(wiki, heart)
    yield from _batches(opened(), belonging, heart, skip, pages)
    if belonging.leads:
        redirected = _Redirected(wiki, heart, belonging.leads)
        yield from _batches(opened(), redirected, heart, skip, pages, pages)


class _Reading:
    """What one reading of a file takes out of its pages."""

    def __init__(self, wiki: Wiki, heart: Heartbeat) -> None:
        self._wiki, self._heart, self._names = wiki, heart, names_of(wiki)

    def note(self, page: PageSeen) -> None:
        """Called for every page, also for those that were recorded before a stop."""

    def part(self, page: PageSeen) -> Part:
        """What is to be recorded of a page."""
        raise NotImplementedError

    def history(self, page: PageSeen) -> PageHistory:
        return history_of(self._heart.along(page.revisions), self._names)

    def other(self, page: PageSeen, titles: Iterable[str], *, is_new: bool = True) -> Part:
        """A page to which titles in tags lead, and where it is not recorded as a tagged one already, its text."""
        leads = Part(leads=tuple((title, page.pageid) for title in titles))
        if not is_new:
            return leads
        return joined(leads, part_of(page, self.history(page), is_known=True, is_other=True))


def _batches(
    dump: Dump, reading: _Reading, heart: Heartbeat, skip: int, *before: int
) -> Generator[Batch, None, int]:
    """One reading's batches; `before` are the pages of each reading before it. Returns the number of pages."""
    start, number = sum(before), 0
    pages_read = before[0] if before else None
    parts: list[Part] = []
    kept, began = 0, time.monotonic()
    for number, page in enumerate(heart.along(dump.pages), start=1):
        reading.note(page)
        if start + number <= skip:
            continue
        parts.append(reading.part(page))
        kept += parts[-1] is not NOTHING
        if kept >= _WRITTEN or number % _READ == 0 or time.monotonic() - began > _SECONDS:
            yield Batch(start + number, joined(*parts), pages_read)
            parts, kept, began = [], 0, time.monotonic()
    if parts:
        yield Batch(start + number, joined(*parts), pages_read)
    return number


class _Tagged(_Reading):
    """Articles with tags, and those that had some. Pages of no interest are only counted."""

    def __init__(self, wiki: Wiki, heart: Heartbeat) -> None:
        super().__init__(wiki, heart)
        self._known = set(Article.objects.filter(wiki=wiki).values_list("pageid", flat=True))

    def part(self, page: PageSeen) -> Part:
        is_known = page.pageid in self._known
        # An article that became a redirect has lost its tags.
        if page.namespace == ARTICLES and (not page.is_redirect or is_known):
            return part_of(page, self.history(page), is_known=is_known)
        return NOTHING


class _Belonging(_Reading):
    """The talk pages of the articles with tags, and the other articles that they name.

    `leads` says of those of the titles that are redirects where they lead.
    """

    def __init__(self, wiki: Wiki, heart: Heartbeat) -> None:
        super().__init__(wiki, heart)
        tagged = Article.objects.filter(wiki=wiki, tags__isnull=False)
        self._tagged = set(tagged.values_list("title", flat=True))
        self._named = _by_spelling(otherarticles.named_by_tags(wiki))
        self.leads: dict[str, str] = {}

    def note(self, page: PageSeen) -> None:
        if page.namespace == ARTICLES and page.is_redirect:
            for title in self._named.get(page.title, ()):
                self.leads[title] = page.redirect_to

    def part(self, page: PageSeen) -> Part:
        if page.namespace == ARTICLES and page.title in self._named and not page.is_redirect:
            return self.other(page, self._named[page.title], is_new=page.title not in self._tagged)
        title = page.title.partition(":")[2]
        if page.namespace == TALK and title in self._tagged:
            newest = max(page.revisions, key=lambda revision: revision.revid, default=None)
            return Part(talk=((title, newest),)) if newest else NOTHING
        return NOTHING


class _Redirected(_Reading):
    """The articles to which named redirects lead."""

    def __init__(self, wiki: Wiki, heart: Heartbeat, leads: Mapping[str, str]) -> None:
        super().__init__(wiki, heart)
        self._named: dict[str, list[str]] = {}
        for title, target in leads.items():
            self._named.setdefault(target, []).append(title)

    def part(self, page: PageSeen) -> Part:
        if page.namespace != ARTICLES or page.title not in self._named or page.is_redirect:
            return NOTHING
        return self.other(page, self._named[page.title])


def _by_spelling(titles: set[str]) -> dict[str, list[str]]:
    """Title of a page -> the titles in tags that may mean it."""
    named: dict[str, list[str]] = {}
    for title in titles:
        for spelling in set(otherarticles.spellings(title)):
            named.setdefault(spelling, []).append(title)
    return named

"""What one reading of a dump takes out of its pages: those with tags, or those of some titles. Pure.

Each is asked about parts of XML, to be parsed only if they may be wanted, and about the pages that were parsed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Protocol
from zlib import crc32

from wikifetch.history.introductions import PageHistory, PageRead, history_of
from wikifetch.history.pages_seen import ARTICLES, TALK, TEMPLATES, PageSeen
from wikifetch.source.tag_search import TagSearch
from wikifetch.wikitext import TagNames
from wikifetch.wikitext.limits import MAX_PAGE_BYTES


class PageXml(NamedTuple):
    """A page within the XML of a stream: what its head says, and where it begins and ends.

    `is_plain`: each of its revisions has one text and no character is a numeric reference.
    """

    pageid: int
    namespace: int
    title: str
    start: int
    end: int
    is_plain: bool


class Wanted(Protocol):
    """What a reading takes; it is sent to other processes."""

    def may_take(self, page: PageXml, xml: bytes) -> bool:
        """Whether `take` may give something of this page of the XML."""

    def may_be_among(self, titles: Iterable[int]) -> bool:
        """Whether it may give something of a page of one of these titles, which are numbers of `number_of_title`."""

    def take(self, page: PageSeen) -> PageRead | None:
        """The page without its revisions, and its history; of a talk page with the newest revision alone."""


@dataclass(frozen=True)
class TaggedPages:
    """Articles with tags, with problems, or known by their ids, which may have had tags."""

    names: TagNames
    known: frozenset[int] = frozenset()

    @cached_property
    def _search(self) -> TagSearch:
        return TagSearch(self.names)

    def may_take(self, page: PageXml, xml: bytes) -> bool:
        if page.namespace != ARTICLES:
            return False
        odd = not page.is_plain or page.end - page.start > MAX_PAGE_BYTES
        return odd or page.pageid in self.known or self._search.may_find(xml, page.start, page.end)

    def may_be_among(self, titles: Iterable[int]) -> bool:
        return True

    def take(self, page: PageSeen) -> PageRead | None:
        is_known = page.pageid in self.known
        # An article that became a redirect has lost its tags.
        if page.namespace != ARTICLES or (page.is_redirect and not is_known):
            return None
        history = history_of(page.revisions, self.names)
        reading = history.reading
        if is_known or history.problem or reading.tags or reading.problems or reading.set_aside:
            return replace(page, revisions=()), history
        return None


@dataclass(frozen=True)
class TemplateRedirects:
    """Templates that are redirects to those of these tags."""

    names: TagNames

    def may_take(self, page: PageXml, xml: bytes) -> bool:
        return page.namespace == TEMPLATES and xml.find(b"<redirect", page.start, page.end) >= 0

    def may_be_among(self, titles: Iterable[int]) -> bool:
        return True

    def take(self, page: PageSeen) -> PageRead | None:
        target = page.redirect_to.partition(":")[2]
        is_tag = page.namespace == TEMPLATES and self.names.kind_of(target)
        return (replace(page, revisions=()), PageHistory()) if is_tag else None


@dataclass(frozen=True)
class TitledPages:
    """Articles and redirects of these titles, and talk pages of articles of these titles."""

    names: TagNames
    articles: frozenset[str]
    talk_of: frozenset[str] = frozenset()

    @cached_property
    def _numbers(self) -> frozenset[int]:
        of_articles = (number_of_title(ARTICLES, title) for title in self.articles)
        return frozenset(
            {*of_articles, *(number_of_title(TALK, f":{title}") for title in self.talk_of)}
        )

    def may_take(self, page: PageXml, xml: bytes) -> bool:
        return self._wants(page.namespace, page.title)

    def may_be_among(self, titles: Iterable[int]) -> bool:
        return not self._numbers.isdisjoint(titles)

    def take(self, page: PageSeen) -> PageRead | None:
        if not self._wants(page.namespace, page.title):
            return None
        if page.namespace == TALK:
            newest = max(page.revisions, key=lambda revision: revision.revid, default=None)
            return (replace(page, revisions=(newest,)), PageHistory()) if newest else None
        history = PageHistory() if page.is_redirect else history_of(page.revisions, self.names)
        return replace(page, revisions=()), history

    def _wants(self, namespace: int, title: str) -> bool:
        if namespace == TALK:
            return title.partition(":")[2] in self.talk_of
        return namespace == ARTICLES and title in self.articles


def number_of_title(namespace: int, title: str) -> int:
    """32 bits for a page's title; of a talk page for what follows the colon, as namespaces have many names."""
    return crc32(f"{namespace}:{title.partition(':')[2] if namespace == TALK else title}".encode())

"""Batches out of a MediaWiki export, which is read more than once: what belongs to a tag may stand before it."""

import time
from collections.abc import Generator, Iterator, Mapping

from wikifetch import others
from wikifetch.batches import Batch, add, history_of
from wikifetch.dump import Dump
from wikifetch.heartbeat import Heartbeat
from wikifetch.models import Article, Wiki
from wikifetch.revisions import ARTICLES, TALK
from wikifetch.wikis import names_of

# A batch is written when it has this many pages to write, has read so many, or took so long.
_WRITTEN, _READ, _SECONDS = 50, 1_000, 10.0


def file_batches(dump: Dump, wiki: Wiki, skip: int, heart: Heartbeat) -> Iterator[Batch]:
    """Batches of a file's articles, without the first `skip` pages. Pages of no interest are only counted."""
    known = set(Article.objects.filter(wiki=wiki).values_list("pageid", flat=True))
    names = names_of(wiki)
    batch, began, done = Batch(skip), time.monotonic(), 0
    for done, page in enumerate(heart.along(dump.pages), start=1):
        if done <= skip:
            continue
        # An article that became a redirect has lost its tags.
        if page.namespace == ARTICLES and (not page.is_redirect or page.pageid in known):
            history = history_of(heart.along(page.revisions), names)
            add(batch, page, history, page.pageid in known)
        batch.done = done
        full = len(batch.pages) >= _WRITTEN or done % _READ == 0
        if full or time.monotonic() - began > _SECONDS:
            yield batch
            batch, began = Batch(done), time.monotonic()
    yield batch


def beside_batches(
    dump: Dump, wiki: Wiki, done: int, heart: Heartbeat
) -> Generator[Batch, None, dict[str, str]]:
    """What belongs to the tags in a file: the talk pages of their articles, and the other articles that they name.

    A second reading, since either may come first. Returns where those of the titles lead that are redirects.
    """
    titles = set(
        Article.objects.filter(wiki=wiki, tags__isnull=False).values_list("title", flat=True)
    )
    named, names = others.named_by_tags(wiki) - titles, names_of(wiki)
    batch, leads = Batch(done), {}
    for page in heart.along(dump.pages):
        subject = page.title.partition(":")[2]
        if page.namespace == ARTICLES and page.title in named and page.is_redirect:
            leads[page.title] = page.redirect_to
        elif page.namespace == ARTICLES and page.title in named:
            add(batch, page, history_of(heart.along(page.revisions), names), known=True)
        elif page.namespace == TALK and subject in titles:
            newest = max(page.revisions, key=lambda revision: revision.revid, default=None)
            batch.talk += [(subject, newest)] if newest else []
        if len(batch.talk) + len(batch.pages) >= _WRITTEN:
            yield batch
            batch = Batch(done)
    yield batch
    return leads


def redirected_batches(
    dump: Dump, wiki: Wiki, leads: Mapping[str, str], done: int, heart: Heartbeat
) -> Iterator[Batch]:
    """The articles of a file to which the titles that tags name lead. A third reading, where there are such."""
    named_as: dict[str, list[str]] = {}
    for title, target in leads.items():
        named_as.setdefault(target, []).append(title)
    names = names_of(wiki)
    for page in heart.along(dump.pages):
        if page.namespace == ARTICLES and page.title in named_as and not page.is_redirect:
            batch = Batch(done, named=dict.fromkeys(named_as[page.title], page.pageid))
            add(batch, page, history_of(heart.along(page.revisions), names), known=True)
            yield batch

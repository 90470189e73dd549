"""Batches out of a MediaWiki export, which is read more than once: what belongs to a tag may come before it.

The cursor counts pages over all readings, so that each goes on where it was stopped.
"""

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

from wikifetch import otherarticles
from wikifetch.history.introductions import PageRead
from wikifetch.history.pages_seen import ARTICLES, TALK
from wikifetch.models import Article, FetchRun, Wiki
from wikifetch.source.batches import NOTHING, Batch, BatchPart, joined_parts, part_of
from wikifetch.source.dump_files import DumpFiles
from wikifetch.source.dump_streams import PagesTaken
from wikifetch.source.dump_wanted import TaggedPages, TitledPages
from wikifetch.source.wikis import words_of_wiki
from wikifetch.wikitext import TagNames

# A batch is written when it has this many pages to write, has read so many, or took so long.
_WRITTEN, _READ, _SECONDS = 50, 1_000, 10.0

PartOf = Callable[[PageRead], BatchPart]  # what is recorded of a page that a reading took


def file_batches(files: DumpFiles, run: FetchRun) -> Iterator[Batch]:
    """The files' tagged articles, then what belongs to their tags; without what was read up to the run's cursor."""
    assert run.wiki is not None
    wiki, skip = run.wiki, run.cursor
    names = TagNames.from_spellings(run.options["names"], words_of_wiki(wiki))
    elsewhere: Counter[str] = Counter()  # pages in each other namespace, by its name
    known = frozenset(Article.objects.filter(wiki=wiki).values_list("pageid", flat=True))

    def tagged(read: PageRead) -> BatchPart:
        return part_of(*read, is_known=read[0].pageid in known)

    taken = _noted(files.read(TaggedPages(names, known), skip), elsewhere)
    pages = yield from _batches(taken, tagged, skip)
    has_none = elsewhere and FetchRun.objects.filter(pk=run.pk, tags_found=0).exists()
    why = (
        BatchPart(problems=((run.label, _why_no_tags(elsewhere, pages)),)) if has_none else NOTHING
    )
    named = _by_spelling(otherarticles.named_by_tags(wiki))
    with_tags = _titles_with_tags(wiki)
    leads: dict[str, str] = {}  # where those of the named titles lead that are redirects
    wanted = TitledPages(names, frozenset(named), with_tags)
    taken = _leading(files.read(wanted, skip - pages), named, leads)
    yield from _batches(taken, _belonging(named, with_tags), skip, pages, first=why)
    if leads:
        targets: dict[str, list[str]] = {}
        for title, target in leads.items():
            targets.setdefault(target, []).append(title)
        taken = files.read(TitledPages(names, frozenset(targets)), skip - 2 * pages)
        yield from _batches(taken, _redirected(targets), skip, pages, pages)


def _noted(taken: Iterable[PagesTaken], elsewhere: Counter[str]) -> Iterator[PagesTaken]:
    """What was taken; also of pages that were recorded before a stop, those elsewhere are counted."""
    for pages in taken:
        elsewhere.update(pages.elsewhere)
        yield pages


def _leading(
    taken: Iterable[PagesTaken], named: Mapping[str, list[str]], leads: dict[str, str]
) -> Iterator[PagesTaken]:
    """What was taken; also of pages that were recorded before a stop, it is noted where redirects lead."""
    for pages in taken:
        for page, _ in pages.taken:
            if page.is_redirect and page.namespace == ARTICLES:
                leads.update(dict.fromkeys(named[page.title], page.redirect_to))
        yield pages


def _why_no_tags(elsewhere: Counter[str], pages: int) -> str:
    names = ", ".join(name for name, _ in elsewhere.most_common(5))
    return (
        "No tag was found. Only articles are read for tags; pages outside the main namespace: "
        f"{elsewhere.total()} of {pages} ({names})."
    )


def _batches(
    taken: Iterable[PagesTaken],
    part: PartOf,
    skip: int,
    *before: int,
    first: BatchPart = NOTHING,
) -> Generator[Batch, None, int]:
    """One reading's batches; `before` are the pages of each reading before it. Returns the number of pages.

    `first` is recorded with the next batch.
    """
    start, number = sum(before), 0
    pages_read = before[0] if before else None
    parts = [first]
    kept, began, written = 0, time.monotonic(), 0
    for pages in taken:
        number += pages.pages
        if start + number <= skip:
            continue
        parts += map(part, pages.taken)
        kept += len(pages.taken)
        long = number - written >= _READ or time.monotonic() - began > _SECONDS
        if kept >= _WRITTEN or long:
            yield Batch(start + number, joined_parts(*parts), pages_read)
            parts, kept, began, written = [], 0, time.monotonic(), number
    if (parts or number > written) and start + number > skip:
        yield Batch(start + number, joined_parts(*parts), pages_read)
    return number


def _titles_with_tags(wiki: Wiki) -> frozenset[str]:
    rows = Article.objects.filter(wiki=wiki, tags__isnull=False)
    return frozenset(rows.values_list("title", flat=True))


def _belonging(named: Mapping[str, list[str]], with_tags: frozenset[str]) -> PartOf:
    """The talk pages of the articles with tags, and the other articles that they name."""

    def part(read: PageRead) -> BatchPart:
        page = read[0]
        if page.namespace == TALK:
            title = page.title.partition(":")[2]
            return BatchPart(talk=tuple((title, newest) for newest in page.revisions))
        if page.is_redirect:
            return NOTHING
        leads = _leads(page.pageid, named[page.title])
        # A tagged one is recorded already.
        return leads if page.title in with_tags else joined_parts(leads, _other(read))

    return part


def _redirected(targets: Mapping[str, list[str]]) -> PartOf:
    """The articles to which named redirects lead."""

    def part(read: PageRead) -> BatchPart:
        page = read[0]
        if page.is_redirect:
            return NOTHING
        return joined_parts(_leads(page.pageid, targets[page.title]), _other(read))

    return part


def _leads(pageid: int, titles: Iterable[str]) -> BatchPart:
    return BatchPart(leads=tuple((title, pageid) for title in titles))


def _other(read: PageRead) -> BatchPart:
    return part_of(*read, is_known=True, is_other=True)


def _by_spelling(titles: set[str]) -> dict[str, list[str]]:
    """Title of a page -> the titles in tags that may mean it."""
    named: dict[str, list[str]] = {}
    for title in titles:
        for spelling in set(otherarticles.spellings(title)):
            named.setdefault(spelling, []).append(title)
    return named

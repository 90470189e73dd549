"""Batches out of a MediaWiki export, which is read more than once: what belongs to a tag may come before it.

The cursor counts pages over all readings, so that each goes on where it was stopped.
"""

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import partial

from wikifetch import otherarticles
from wikifetch.history.introductions import PageHistory
from wikifetch.history.pages_seen import ARTICLES, TALK, PageSeen
from wikifetch.models import Article, FetchRun, Wiki
from wikifetch.source.batches import NOTHING, Batch, BatchPart, history_of, joined_parts, part_of
from wikifetch.source.dump import Dump
from wikifetch.source.heartbeat import FetchHeartbeat
from wikifetch.source.wikis import names_of

# A batch is written when it has this many pages to write, has read so many, or took so long.
_WRITTEN, _READ, _SECONDS = 50, 1_000, 10.0


PartOf = Callable[[PageSeen], BatchPart]  # what one reading of a file takes out of a page
HistoryOf = Callable[[PageSeen], PageHistory]


def file_batches(
    opened: Callable[[], Dump], run: FetchRun, heart: FetchHeartbeat
) -> Iterator[Batch]:
    """A file's tagged articles, then what belongs to their tags; without what was read up to the run's cursor."""
    assert run.wiki is not None
    wiki, skip = run.wiki, run.cursor
    names = names_of(wiki)

    def history(page: PageSeen) -> PageHistory:
        return history_of(heart.along(page.revisions), names)

    def note(page: PageSeen) -> None:
        if page.namespace == ARTICLES and page.is_redirect:
            leads.update(dict.fromkeys(named.get(page.title, ()), page.redirect_to))

    elsewhere: Counter[str] = Counter()  # pages in each other namespace, by its name
    tagged = _tagged(wiki, history)
    pages = yield from _batches(opened(), tagged, heart, skip, note=partial(_note_other, elsewhere))
    has_none = elsewhere and FetchRun.objects.filter(pk=run.pk, tags_found=0).exists()
    why = (
        BatchPart(problems=((run.label, _why_no_tags(elsewhere, pages)),)) if has_none else NOTHING
    )
    named = _by_spelling(otherarticles.named_by_tags(wiki))
    leads: dict[str, str] = {}  # where those of the named titles lead that are redirects
    belonging = _belonging(wiki, history, named)
    yield from _batches(opened(), belonging, heart, skip, pages, note=note, first=why)
    if leads:
        redirected = _redirected(history, leads)
        yield from _batches(opened(), redirected, heart, skip, pages, pages)


def _note_other(elsewhere: Counter[str], page: PageSeen) -> None:
    if page.namespace != ARTICLES:
        elsewhere[page.title.partition(":")[0][:40]] += 1


def _why_no_tags(elsewhere: Counter[str], pages: int) -> str:
    names = ", ".join(name for name, _ in elsewhere.most_common(5))
    return (
        "No tag was found. Only articles are read for tags; pages outside the main namespace: "
        f"{elsewhere.total()} of {pages} ({names})."
    )


def _batches(
    dump: Dump,
    part: PartOf,
    heart: FetchHeartbeat,
    skip: int,
    *before: int,
    note: Callable[[PageSeen], None] = lambda page: None,
    first: BatchPart = NOTHING,
) -> Generator[Batch, None, int]:
    """One reading's batches; `before` are the pages of each reading before it. Returns the number of pages.

    `note` is called for every page, also for those recorded before a stop; `first` is recorded with the next batch.
    """
    start, number = sum(before), 0
    pages_read = before[0] if before else None
    parts = [first]
    kept, began = 0, time.monotonic()
    for number, page in enumerate(heart.along(dump.pages), start=1):
        note(page)
        if start + number <= skip:
            continue
        parts.append(part(page))
        kept += parts[-1] is not NOTHING
        if kept >= _WRITTEN or number % _READ == 0 or time.monotonic() - began > _SECONDS:
            yield Batch(start + number, joined_parts(*parts), pages_read)
            parts, kept, began = [], 0, time.monotonic()
    if parts and start + number > skip:
        yield Batch(start + number, joined_parts(*parts), pages_read)
    return number


def _tagged(wiki: Wiki, history: HistoryOf) -> PartOf:
    """Articles with tags, and those that had some. Pages of no interest are only counted."""
    known = set(Article.objects.filter(wiki=wiki).values_list("pageid", flat=True))

    def part(page: PageSeen) -> BatchPart:
        is_known = page.pageid in known
        # An article that became a redirect has lost its tags.
        if page.namespace == ARTICLES and (not page.is_redirect or is_known):
            return part_of(page, history(page), is_known=is_known)
        return NOTHING

    return part


def _belonging(wiki: Wiki, history: HistoryOf, named: Mapping[str, list[str]]) -> PartOf:
    """The talk pages of the articles with tags, and the other articles that they name."""
    rows = Article.objects.filter(wiki=wiki, tags__isnull=False)
    tagged = set(rows.values_list("title", flat=True))

    def part(page: PageSeen) -> BatchPart:
        if page.namespace == ARTICLES and page.title in named and not page.is_redirect:
            leads = _leads(page, named[page.title])
            # A tagged one is recorded already.
            return leads if page.title in tagged else joined_parts(leads, _other(page, history))
        title = page.title.partition(":")[2]
        if page.namespace == TALK and title in tagged:
            newest = max(page.revisions, key=lambda revision: revision.revid, default=None)
            return BatchPart(talk=((title, newest),)) if newest else NOTHING
        return NOTHING

    return part


def _redirected(history: HistoryOf, leads: Mapping[str, str]) -> PartOf:
    """The articles to which named redirects lead."""
    named: dict[str, list[str]] = {}
    for title, target in leads.items():
        named.setdefault(target, []).append(title)

    def part(page: PageSeen) -> BatchPart:
        if page.namespace != ARTICLES or page.title not in named or page.is_redirect:
            return NOTHING
        return joined_parts(_leads(page, named[page.title]), _other(page, history))

    return part


def _leads(page: PageSeen, titles: Iterable[str]) -> BatchPart:
    return BatchPart(leads=tuple((title, page.pageid) for title in titles))


def _other(page: PageSeen, history: HistoryOf) -> BatchPart:
    return part_of(page, history(page), is_known=True, is_other=True)


def _by_spelling(titles: set[str]) -> dict[str, list[str]]:
    """Title of a page -> the titles in tags that may mean it."""
    named: dict[str, list[str]] = {}
    for title in titles:
        for spelling in set(otherarticles.spellings(title)):
            named.setdefault(spelling, []).append(title)
    return named

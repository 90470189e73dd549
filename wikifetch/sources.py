"""Where a fetch's pages come from: a file, or the live API. Both give the same batches."""

import time
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.conf import settings

from wikifetch.answers import Hidden
from wikifetch.client import BATCH, WikiClient, in_batches
from wikifetch.dump import Dump, DumpError
from wikifetch.heartbeat import Heartbeat
from wikifetch.history import PageHistory, read_history
from wikifetch.manners import REAL_CLOCK, Clock, Manners, articles_at
from wikifetch.models import Article, FetchRun, Sighting, Tag, Wiki
from wikifetch.origins import Traced, traced, untraced
from wikifetch.purging import known_revids
from wikifetch.revisions import ARTICLES, TALK, PageSeen, RevisionSeen
from wikifetch.states import TagState
from wikifetch.wikitext import TagNames
from wikifetch.wikitext.names import KNOWN_NAMES

# A batch of a file is written when it has this many pages to write, has read so many, or took so long.
_WRITTEN, _READ, _SECONDS = 50, 1_000, 10.0


@dataclass
class Batch:
    """What to record; `done` is the cursor after it.

    Pages with what was read in them, talk pages by the article's title, problems by page, ids of pages that had not
    changed and of known ones that the wiki has no more, histories, and what is hidden by revision.
    """

    done: int
    pages: list[tuple[PageSeen, PageHistory]] = field(default_factory=list)
    talk: list[tuple[str, RevisionSeen]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    unchanged: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    traced: list[Traced] = field(default_factory=list)
    hidden: dict[int, Hidden] = field(default_factory=dict)


# ---------------------------------------------------------------- files


def wiki_of(dump: Dump, fallback: str) -> Wiki:
    """The wiki that a file says it comes from; where it says none, the one at `fallback`."""
    base = dump.base or f"{fallback}/wiki/Main_Page"
    if not _is_page_address(base):
        raise DumpError(f"The file names {base[:100]!r} as its wiki, which is no web address.")
    root = base[: base.rindex("/") + 1]
    if "title=" in base:
        root = base[: base.index("title=") + len("title=")]
    same = Wiki.objects.filter(base_url__in={root, root.replace("http://", "https://", 1)}).first()
    return same or wiki_at(root, name=dump.site_name)


def _is_page_address(address: str) -> bool:
    """Whether it can be the address of a wiki's main page: links are made from it."""
    try:
        parts = urlsplit(address)
        usual = parts.scheme in {"http", "https"} and parts.port != 0 and not parts.username
    except ValueError:
        return False
    spelled = address.isprintable() and " " not in address and len(address) <= 290
    return bool(usual and spelled and parts.hostname and parts.path)


def wiki_at(base_url: str, *, name: str = "", api_url: str = "") -> Wiki:
    """The row of a wiki, made where there is none; an address of its API is added to one made from a file."""
    host = urlsplit(base_url).netloc
    label = f"{name} ({host})" if name else host
    wiki, _ = Wiki.objects.get_or_create(
        base_url=base_url, defaults={"name": label[:120], "api_url": api_url}
    )
    if api_url and wiki.api_url != api_url:
        wiki.api_url = api_url
        wiki.save(update_fields=["api_url"])
    return wiki


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
            history = _history(heart.along(page.revisions), names)
            _add(batch, page, history, page.pageid in known)
        batch.done = done
        full = len(batch.pages) >= _WRITTEN or done % _READ == 0
        if full or time.monotonic() - began > _SECONDS:
            yield batch
            batch, began = Batch(done), time.monotonic()
    yield batch


def beside_batches(dump: Dump, wiki: Wiki, done: int, heart: Heartbeat) -> Iterator[Batch]:
    """What belongs to the tags in a file: the talk pages of their articles, and the other articles that they name.

    A second reading, since either may come first.
    """
    titles = set(
        Article.objects.filter(wiki=wiki, tags__isnull=False).values_list("title", flat=True)
    )
    others, names = named_by_tags(wiki) - titles, names_of(wiki)
    batch = Batch(done)
    for page in heart.along(dump.pages):
        subject = page.title.partition(":")[2]
        if page.namespace == ARTICLES and page.title in others and not page.is_redirect:
            _add(batch, page, _history(heart.along(page.revisions), names), known=True)
        elif page.namespace == TALK and subject in titles:
            newest = max(page.revisions, key=lambda revision: revision.revid, default=None)
            batch.talk += [(subject, newest)] if newest else []
        if len(batch.talk) + len(batch.pages) >= _WRITTEN:
            yield batch
            batch = Batch(done)
    yield batch


def named_by_tags(wiki: Wiki) -> set[str]:
    """Titles of the articles that tags of this wiki name as the other one: kept though they have no tag."""
    named = Sighting.objects.filter(tag__article__wiki=wiki).exclude(other_article="")
    return set(map(_capital, named.order_by().values_list("other_article", flat=True).distinct()))


def _capital(title: str) -> str:
    return title[:1].upper() + title[1:]


def _history(revisions: Iterable[RevisionSeen], names: TagNames) -> PageHistory:
    """A page's history, and at once the words of what is kept of it: no transaction is to wait for them."""
    history = read_history(revisions, names)
    history.reading.words()
    return history


def _add(batch: Batch, page: PageSeen, history: PageHistory, known: bool) -> None:
    """Into the batch, if there is anything to keep or to tell of the page."""
    problems = [page.problem, history.problem, history.reading.set_aside, *history.reading.problems]
    label = page.title or f"page {page.pageid}"
    batch.problems += [(label, problem) for problem in problems if problem]
    interesting = known or history.reading.tags or history.reading.set_aside
    if history.newest is not None and interesting and page.title:
        batch.pages.append((page, history))


# ---------------------------------------------------------------- the live API


def manners() -> Manners:
    """As the operator set them."""
    return Manners(
        contact=settings.WIKI_CONTACT,
        version=settings.VERSION,
        allowed=tuple(settings.WIKI_ALLOWED),
        per_second=settings.WIKI_REQUESTS_PER_SECOND,
        maxlag=settings.WIKI_MAXLAG,
        max_wait=settings.WIKI_MAX_WAIT,
    )


def client_for(base: str, clock: Clock = REAL_CLOCK) -> WikiClient:
    """The API of the wiki at `base`. Raises WikiError without a contact, or for a wiki that is not allowed."""
    return WikiClient(base, manners(), clock)


def names_of(wiki: Wiki) -> TagNames:
    """The names of tags on a wiki that is read from a file: the operator's for it, else the English ones."""
    for base, templates in settings.WIKI_TEMPLATES.items():
        if wiki.base_url.startswith((articles_at(base), f"{base}/")):
            return TagNames.of(templates)
    return KNOWN_NAMES


def live_batches(client: WikiClient, run: FetchRun) -> Iterator[Batch]:
    """The queue from the cursor on, 50 pages at a time, then the histories of those whose tags need one."""
    assert run.wiki is not None
    names = TagNames.of(run.options["names"])
    yield from _history_batches(client, run, run.queue[: run.cursor], names)  # what a stop left
    done = run.cursor
    for pageids in in_batches(run.queue[done:], BATCH):
        done += len(pageids)
        yield _page_batch(client, run.wiki, pageids, names, done)
        yield from _history_batches(client, run, pageids, names)


def _page_batch(
    client: WikiClient, wiki: Wiki, pageids: Sequence[int], names: TagNames, done: int
) -> Batch:
    """Those of the pages that have changed since they were fetched, with their talk pages."""
    batch = Batch(done)
    kept = known_revids(wiki, pageids)
    standing = client.standing(set().union(*kept.values()))
    batch.hidden = standing.hidden
    batch.unchanged = [p for p in pageids if standing.newest.get(p, 0) in kept.get(p, ())]
    changed = [pageid for pageid in pageids if pageid not in set(batch.unchanged)]
    _add_changed(batch, wiki, _read(client, changed, names), kept)
    tagged = [page.title for page, history in batch.pages if history.reading.tags]
    for talk in client.talk_pages([*tagged, *_changed_talk(client, wiki, batch.unchanged)]):
        batch.talk += [(talk.title, revision) for revision in talk.revisions]
    return batch


def _read(
    client: WikiClient, pageids: Sequence[int], names: TagNames
) -> list[tuple[PageSeen, PageHistory]]:
    """The pages as they stand now, with what was read in them."""
    found = []
    for page in client.pages(pageids):
        client.beat()
        history = PageHistory() if page.problem else _history(page.revisions, names)
        found.append((page, history))
    return found


def _add_changed(
    batch: Batch, wiki: Wiki, read: list[tuple[PageSeen, PageHistory]], kept: Container[int]
) -> None:
    """Into the batch what is to be kept of them, and which known ones the wiki has no more."""
    others = named_by_tags(wiki)
    others |= {_capital(tag.other_article) for _, history in read for tag in history.reading.tags}
    missing = [page.pageid for page, _ in read if page.is_missing and page.pageid in kept]
    batch.missing = missing
    # Of a page that was missing before it was told then.
    live = Tag.objects.filter(article__wiki=wiki, state=TagState.LIVE)
    new = set(live.filter(article__pageid__in=missing).values_list("article__pageid", flat=True))
    for page, history in read:
        if page.pageid not in missing or page.pageid in new:
            _add(batch, page, history, page.pageid in kept or page.title in others)


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
        for article in untraced(run.wiki, part):
            yield Batch(run.cursor, traced=[traced(client, article, names)])

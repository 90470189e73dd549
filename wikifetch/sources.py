"""Where a fetch's pages come from: a file, or the live API. Both give the same batches."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.conf import settings

from wikifetch.client import BATCH, WikiClient, in_batches
from wikifetch.dump import Dump, DumpError
from wikifetch.heartbeat import Heartbeat
from wikifetch.history import PageHistory, read_history
from wikifetch.manners import REAL_CLOCK, Clock, Manners, WikiError
from wikifetch.models import Article, FetchRun, Wiki
from wikifetch.revisions import ARTICLES, TALK, PageSeen, RevisionSeen
from wikifetch.wikitext import TagNames
from wikifetch.wikitext.names import CANONICAL, KNOWN_NAMES

# A batch of a file is written when it has this many pages to write, has read so many, or took so long.
_WRITTEN, _READ, _SECONDS = 50, 1_000, 10.0


@dataclass
class Batch:
    """Pages to record, talk pages of articles, problems by page; `done` is the cursor after it."""

    done: int
    pages: list[tuple[PageSeen, PageHistory]] = field(default_factory=list)
    talk: list[tuple[str, RevisionSeen]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Frozen:
    """What a live fetch was found to consist of: page ids, the wiki's names of tags, titles not found."""

    pageids: list[int]
    names: dict[str, list[str]]
    problems: list[tuple[str, str]]


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
    batch, began, done = Batch(skip), time.monotonic(), 0
    for done, page in enumerate(heart.along(dump.pages), start=1):
        if done <= skip:
            continue
        # An article that became a redirect has lost its tags.
        if page.namespace == ARTICLES and (not page.is_redirect or page.pageid in known):
            history = read_history(heart.along(page.revisions))
            _add(batch, page, history, page.pageid in known)
        batch.done = done
        full = len(batch.pages) >= _WRITTEN or done % _READ == 0
        if full or time.monotonic() - began > _SECONDS:
            yield batch
            batch, began = Batch(done), time.monotonic()
    yield batch


def talk_batches(dump: Dump, wiki: Wiki, done: int, heart: Heartbeat) -> Iterator[Batch]:
    """The talk pages in a file of articles that have tags: a second reading, since either may come first."""
    titles = set(
        Article.objects.filter(wiki=wiki, tags__isnull=False).values_list("title", flat=True)
    )
    batch = Batch(done)
    for page in heart.along(dump.pages):
        subject = page.title.partition(":")[2]
        if page.namespace == TALK and subject in titles:
            newest = max(page.revisions, key=lambda revision: revision.revid, default=None)
            batch.talk += [(subject, newest)] if newest else []
        if len(batch.talk) >= _WRITTEN:
            yield batch
            batch = Batch(done)
    yield batch


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


def freeze(client: WikiClient, run: FetchRun) -> Frozen:
    """Ask once what a fetch consists of: the wiki's names of tags, and the page ids behind what was asked."""
    names = KNOWN_NAMES.spellings()
    targets: tuple[str, ...] = ()
    for kind, canonical in CANONICAL.items():
        here = client.spellings(canonical)
        if here.names:
            names[kind] = list(here.names)
        if kind == run.options.get("kind"):
            targets = here.targets
    if run.source == FetchRun.Source.TITLES:
        found = list(client.pageids_of(run.options["titles"]))
        pageids = [title.pageid for title in found if title.pageid is not None]
        return Frozen(_once(pageids), names, [(t.title, t.problem) for t in found if t.problem])
    if not targets:
        wanted = " or ".join(CANONICAL[run.options["kind"]])
        raise WikiError(f"This wiki has no template named {wanted}. Fetch by titles instead.")
    return Frozen(client.pageids_with(targets, run.options.get("limit")), names, [])


def live_batches(client: WikiClient, run: FetchRun) -> Iterator[Batch]:
    """The queue from the cursor on, 50 pages at a time, each with the talk pages of those with tags."""
    names = TagNames.of(run.options["names"])
    known = set(Article.objects.filter(wiki=run.wiki).values_list("pageid", flat=True))
    done = run.cursor
    for pageids in in_batches(run.queue[done:], BATCH):
        done += len(pageids)
        batch = Batch(done)
        for page in client.pages(pageids):
            history = PageHistory() if page.problem else read_history(page.revisions, names)
            _add(batch, page, history, page.pageid in known)
        tagged = [page.title for page, history in batch.pages if history.reading.tags]
        for talk in client.talk_pages(tagged):
            batch.talk += [(talk.title, revision) for revision in talk.revisions]
        yield batch


def _once(pageids: list[int]) -> list[int]:
    return list(dict.fromkeys(pageids))

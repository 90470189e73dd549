"""The tags as other rooms and pages see them: the live ones, those of a kind or with some words, as records."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.db.models import Func, Q, QuerySet, Subquery
from django.utils.text import Truncator

from pages.paging import ByKey
from wikifetch import tagfilters
from wikifetch.models import FetchRun, Sighting, Tag, TagKind, is_invented, words_of_reason
from wikifetch.otherarticles import other_revision
from wikifetch.states import TagState

# Characters of a reason in the list.
MOST_WORDS = 160
SEEN = (
    "name", "raw", "date", "reason", "other_article", "section", "block", "block_clean", "block_text",
)  # fmt: skip


def seen_tags() -> QuerySet[Tag]:
    """Every tag with what was last seen of it, by article and place."""
    return (
        Tag.objects.filter(latest__isnull=False)
        .select_related("article__wiki", "latest__revision")
        .defer("latest__revision__wikitext")
        .order_by("article__title", "latest__position", "pk")
    )


def live_tags() -> QuerySet[Tag]:
    """The tags in the newest fetched revision of their article."""
    return seen_tags().filter(state=TagState.LIVE)


@dataclass(frozen=True)
class TagLine:
    """A line of the list of tags: what was last seen of one. Not a row with its texts: a page has fifty."""

    pk: int
    title: str
    wiki: str
    kind: str
    state: str
    section: str
    other_article: str
    reason: str
    name: str
    date: str

    @property
    def is_demonstration(self) -> bool:
        return is_invented(self.wiki)

    @property
    def kind_label(self) -> str:
        return TagKind(self.kind).label

    @property
    def state_label(self) -> str:
        return TagState(self.state).label

    @property
    def reason_words(self) -> str:
        words = words_of_reason(self.reason) or self.reason
        return words if len(words) <= MOST_WORDS else Truncator(words).chars(MOST_WORDS)


class TagLines(ByKey):
    """Pages of seen tags, each tag as its line."""

    def rows(self, of_page: QuerySet[Any]) -> Iterable[TagLine]:
        seen = (
            f"latest__{name}" for name in ("section", "other_article", "reason", "name", "date")
        )
        columns = ("pk", "article__title", "article__wiki__base_url", "kind", "state", *seen)
        return [TagLine(*row) for row in of_page.values_list(*columns)]


@dataclass(frozen=True)
class TagNarrowing:
    """What a list of tags is narrowed to; an empty value narrows nothing.

    `reason` is "yes" or "no"; `since` and `until` are years of the tag's month; `fetch` is a fetch's key; `words` are
    in the article's title, the tag or the headings above it; `others` are values of registered filters by name.
    """

    kind: str = ""
    state: str = ""
    reason: str = ""
    since: int | None = None
    until: int | None = None
    fetch: int | None = None
    words: str = ""
    others: Mapping[str, str] = field(default_factory=dict)


def narrowed_tags(tags: QuerySet[Tag], to: TagNarrowing) -> QuerySet[Tag]:
    """The tags that fit all of it."""
    if to.kind:
        tags = tags.filter(kind=to.kind)
    if to.state:
        tags = tags.filter(state=to.state)
    if to.reason:
        without = Q(latest__reason="")
        tags = tags.exclude(without) if to.reason == "yes" else tags.filter(without)
    if to.since:
        tags = tags.filter(latest__month__gte=date(to.since, 1, 1))
    if to.until:
        tags = tags.filter(latest__month__lte=date(to.until, 12, 31))
    if to.fetch:
        tags = _of_fetch(tags, to.fetch)
    for known in tagfilters.tag_filters():
        if chosen := to.others.get(known.name):
            tags = known.narrow(tags, chosen)
    for word in to.words.split()[:8]:
        tags = tags.filter(
            Q(article__title__icontains=word)
            | Q(latest__raw__icontains=word)
            | Q(latest__section__icontains=word)
        )
    return tags


def _of_fetch(tags: QuerySet[Tag], key: int) -> QuerySet[Tag]:
    """The tags on the pages that this fetch has taken, as pages_of() has them."""
    run = FetchRun.objects.only("wiki", "source", "cursor").filter(pk=key).first()
    if run is None or run.wiki_id is None:
        return tags.none()
    most = None if run.source == FetchRun.Source.XML else run.cursor
    queue = FetchRun.objects.filter(pk=key).order_by().values("queue")
    pages = _FirstOfQueue(Subquery(queue), most=most)
    return tags.filter(article__wiki=run.wiki_id, article__pageid__in=pages)


class _FirstOfQueue(Func):
    """The first `most` page ids of a queue, as the rows of a subquery: a queue may be longer than a list in SQL."""

    def __init__(self, queue: Any, *, most: int | None) -> None:
        super().__init__(queue, most=2**31 if most is None else most)

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = "(SELECT value FROM json_each(%(expressions)s) WHERE key < %(most)s)"
        return self.as_sql(compiler, connection, template=template, **more)

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = (
            "(SELECT value::bigint FROM jsonb_array_elements_text(%(expressions)s) WITH ORDINALITY AS each(value, n) "
            "WHERE n <= %(most)s)"
        )
        return self.as_sql(compiler, connection, template=template, **more)


def pages_of(runs: Iterable[FetchRun]) -> set[tuple[int | None, int]]:
    """(wiki, page id) of the pages that these fetches have taken; of a file, of those with tags."""
    is_file = FetchRun.Source.XML
    taken = {run: run.queue if run.source == is_file else run.queue[: run.cursor] for run in runs}
    return {(run.wiki_id, pageid) for run, pageids in taken.items() for pageid in pageids}


def tag_record(tag: Tag) -> dict[str, object]:
    """A tag as list_tags gives it: what was last seen of it, and where."""
    seen = tag.latest
    assert seen is not None
    return {
        "title": tag.article.title,
        "pageid": tag.article.pageid,
        "revid": seen.revision.revid,
        "kind": tag.kind,
        **{name: getattr(seen, name) for name in SEEN},
    }


def other_record(seen: Sighting) -> dict[str, object] | None:
    """The other article as it is kept here; None where the tag names none, or it was not fetched."""
    other = other_revision(seen)
    if other is None:
        return None
    return {"title": other.article.title, "pageid": other.article.pageid, "revid": other.revid}


def introduction_record(tag: Tag) -> dict[str, object] | None:
    """The edit that added the tag; None where it is not known."""
    if tag.introduced_revid is None:
        return None
    return {
        "revid": tag.introduced_revid,
        "at": tag.introduced_at.isoformat() if tag.introduced_at else None,
        "by": tag.introduced_by,
        "summary": tag.introduced_summary,
    }

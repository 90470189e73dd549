"""From a batch to rows: one way for files and the live API, for new pages and known ones.

A new fetch adds sightings; it doubles no tag and changes no revision, because annotations pin them. Pages without tags
leave no row, unless one was there or a tag names them as the other article.
"""

import zlib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from django.db import DatabaseError, OperationalError, transaction
from django.db.models import OuterRef, QuerySet, Subquery

from leases.bulk import insert
from wikifetch.history.introductions import Introduction, PageHistory
from wikifetch.history.pages_seen import PageSeen, RevisionSeen, storable
from wikifetch.history.tag_identity import TagPlace, place_of, returned_tags, same_tags
from wikifetch.models import Article, Revision, RevisionHtml, Sighting, Tag, TalkPage, Wiki
from wikifetch.otherarticles import record_leads
from wikifetch.purging import purge
from wikifetch.row_columns import introduction_columns, revision_columns, sighting_columns
from wikifetch.source.batches import BatchPart, PageRead
from wikifetch.source.htmls import HtmlAsked
from wikifetch.source.origins import Traced
from wikifetch.states import TAG, TagState
from wikifetch.wikitext import TagSeen


@dataclass(frozen=True)
class RecordedPages:
    """How many tags the pages have, how many of them no earlier fetch had seen, and the pages refused."""

    tags: int = 0
    new: int = 0
    refused: tuple[tuple[PageSeen, DatabaseError], ...] = ()


def record_part(wiki: Wiki, part: BatchPart) -> RecordedPages:
    """Keep what was read; tags of other articles are not counted. For use in a transaction. Raises OperationalError."""
    pages, others = record_pages(wiki, part.pages), record_pages(wiki, part.others)
    record_leads(wiki, dict(part.leads))
    record_talk(wiki, part.talk)
    for traced in part.traced:
        record_trace(traced)
    record_htmls(part.htmls)
    if part.missing:  # the wiki no longer has these pages: their tags are gone
        tags = Tag.objects.filter(article__wiki=wiki, article__pageid__in=part.missing)
        TAG.move(tags, "vanish")
    if part.hidden:
        purge(wiki, dict(part.hidden))
    return RecordedPages(pages.tags, pages.new, (*pages.refused, *others.refused))


def record_pages(wiki: Wiki, pages: Sequence[PageRead]) -> RecordedPages:
    """Keep pages, in a few statements for all; one that the database refuses is left out. For use in a transaction.

    Raises OperationalError: that is no page's fault.
    """
    if not pages:
        return RecordedPages()
    is_each_once = len({page.pageid for page, _ in pages}) == len(pages)
    try:
        if is_each_once:
            return _record_together(wiki, pages)
    except OperationalError:
        raise
    except DatabaseError as error:
        if len(pages) == 1:
            return RecordedPages(refused=((pages[0][0], error),))
    alone = [record_pages(wiki, [page]) for page in pages]
    refused = tuple(refusal for page in alone for refusal in page.refused)
    return RecordedPages(sum(page.tags for page in alone), sum(page.new for page in alone), refused)


@dataclass(frozen=True)
class _Page:
    """A page's row and its revision's, saved or not, what was read in that, and whether no later one is recorded."""

    article: Article
    revision: Revision
    history: PageHistory
    is_newest: bool


@transaction.atomic
def _record_together(wiki: Wiki, pages: Sequence[PageRead]) -> RecordedPages:
    """Keep the newest revision of each page with its tags; follow tags that stayed, went or came back."""
    # Two fetches lock rows in one order.
    pages = sorted(pages, key=lambda read: read[0].pageid)
    articles = _locked_articles(wiki, pages)
    known = _known_revisions(articles)
    read = [
        _page(article, history, known.get(article.pk, {}))
        for article, (_, history) in zip(articles, pages, strict=True)
    ]
    before = [page for page in read if page.article.pk in known]
    _rename([page.article for page in before if page.is_newest])
    fresh = [page for page in read if page.revision.pk is None]
    insert([page.revision for page in fresh])
    new = _record_tags(fresh, _known_tags(fresh, known))
    _record_introductions(before)
    return RecordedPages(sum(len(page.history.reading.tags) for page in read), new)


def _locked_articles(wiki: Wiki, pages: Sequence[PageRead]) -> list[Article]:
    """The pages' rows, old or new, held until the transaction ends: two fetches of one page take turns."""
    rows = [Article(wiki=wiki, pageid=page.pageid, title=page.title) for page, _ in pages]
    return Article.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["wiki", "pageid"], update_fields=["pageid"]
    )


def _known_revisions(articles: Sequence[Article]) -> dict[int, dict[int, int]]:
    """Article -> revision id -> row, of the articles that have any."""
    known: dict[int, dict[int, int]] = {}
    rows = Revision.objects.filter(article__in=articles).order_by()
    for article, revid, row in rows.values_list("article", "revid", "pk"):
        known.setdefault(article, {})[revid] = row
    return known


def _page(article: Article, history: PageHistory, known: Mapping[int, int]) -> _Page:
    assert history.newest is not None
    revid = history.newest.revid
    revision = Revision(pk=known.get(revid), article=article, **revision_columns(history))
    return _Page(article, revision, history, revid >= max(known, default=0))


def _rename(articles: Sequence[Article]) -> None:
    """These have the title that was read; their rows may have an earlier one."""
    rows = Article.objects.filter(pk__in=[article.pk for article in articles])
    titles = dict(rows.values_list("pk", "title"))
    renamed = [article for article in articles if titles[article.pk] != article.title]
    Article.objects.bulk_update(renamed, ["title"])


def _known_tags(pages: Sequence[_Page], known: Container[int]) -> dict[int, list[Tag]]:
    """Article -> its tags in the order of their places."""
    articles = [page.article for page in pages if page.article.pk in known]
    tags: dict[int, list[Tag]] = {}
    rows = Tag.objects.filter(article__in=articles).select_related("latest")
    for tag in rows.order_by("latest__position", "pk"):
        tags.setdefault(tag.article_id, []).append(tag)
    return tags


def _record_tags(pages: Sequence[_Page], known: Mapping[int, list[Tag]]) -> int:
    """Sightings of the tags in new revisions; returns how many tags are new."""
    sightings: list[Sighting] = []
    stayed: set[int] = set()
    gone: set[int] = set()
    for page in pages:
        if page.history.reading.set_aside:
            continue
        before = known.get(page.article.pk, [])
        followed = _followed(before, page.history)
        for index, (seen, introduction) in enumerate(page.history.introduced_tags()):
            tag = followed.get(index) or _new_tag(page, seen, introduction)
            columns = sighting_columns(seen)
            sightings.append(Sighting(tag=tag, revision=page.revision, **columns))
        if page.is_newest:
            here = {tag.pk for tag in followed.values()}
            stayed |= here
            gone |= {tag.pk for tag in before} - here
    new = [sighting.tag for sighting in sightings if sighting.tag.pk is None]
    insert(new)
    for sighting in sightings:
        sighting.tag_id = sighting.tag.pk
    insert(sightings)
    _update_tags(pages, [tag.pk for tag in new], stayed, gone)
    return len(new)


def _new_tag(page: _Page, seen: TagSeen, introduction: Introduction | None) -> Tag:
    state = TagState.LIVE if page.is_newest else TagState.GONE
    columns = introduction_columns(introduction)
    return Tag(article=page.article, kind=seen.kind, state=state, **columns)


def _update_tags(
    pages: Sequence[_Page], new: Sequence[int], stayed: set[int], gone: set[int]
) -> None:
    """What was last seen of the new tags and those that stayed; the states of known ones."""
    seen = Sighting.objects.filter(
        tag=OuterRef("pk"), revision__in=[page.revision for page in pages]
    ).order_by()
    latest, kind = Subquery(seen.values("pk")), Subquery(seen.values("kind"))
    Tag.objects.filter(pk__in=[*new, *stayed]).update(latest=latest, kind=kind)
    if stayed:
        TAG.move(Tag.objects.filter(pk__in=stayed), "return")
    if gone:
        TAG.move(Tag.objects.filter(pk__in=gone), "vanish")


def _followed(known: list[Tag], history: PageHistory) -> dict[int, Tag]:
    """Index of a tag that was read -> the known one that it is: still there, or gone and back."""
    assert history.newest is not None
    places = [place_of(tag) for tag in history.reading.tags]
    live = [tag for tag in known if tag.state == TagState.LIVE and tag.latest]
    gone = [tag for tag in known if tag.state == TagState.GONE and tag.latest]
    same = same_tags([_place(tag) for tag in live], places, history.newest.text or "")
    followed = {n: live[b] for n, b in same.items()}
    left = [n for n in range(len(places)) if n not in followed]
    back = returned_tags([_place(tag) for tag in gone], [places[n] for n in left])
    return followed | {left[n]: gone[b] for n, b in back.items()}


def _place(tag: Tag) -> TagPlace:
    seen = tag.latest
    assert seen is not None
    return TagPlace(
        seen.raw, seen.kind, seen.section, seen.block, seen.reason, is_banner=bool(seen.scope)
    )


def _record_introductions(pages: Sequence[_Page]) -> None:
    """Who added the known tags of these revisions, where this history says so and no earlier one did."""
    revisions = {page.revision.pk: page for page in pages if any(page.history.introductions)}
    unknown = Sighting.objects.filter(revision__in=revisions, tag__introduced_revid=None)
    for revision in set(unknown.order_by().values_list("revision", flat=True)):
        sightings = Sighting.objects.filter(revision=revision)
        _introduce(sightings, revisions[revision].history)


def _introduce(sightings: QuerySet[Sighting], history: PageHistory) -> None:
    """Who added the tags of one revision, where that is not known yet."""
    for seen, introduction in history.introduced_tags():
        if introduction is not None:
            here = sightings.filter(position=seen.position).values("tag")
            tags = Tag.objects.filter(pk__in=here, introduced_revid=None)
            tags.update(**introduction_columns(introduction))


def record_trace(traced: Traced) -> None:
    """Keep who added the tags of an article's revision, and that the wiki was asked from there."""
    article, history = traced
    sightings = Sighting.objects.filter(
        revision__article=article.article_id, revision__revid=article.revid
    )
    _introduce(sightings, history)
    Article.objects.filter(pk=article.article_id).update(traced_revid=article.revid)


def record_htmls(htmls: Sequence[HtmlAsked]) -> None:
    """Keep what the wiki answered when it was asked for HTML; the last answer counts."""
    rows = [
        RevisionHtml(
            revision_id=asked.revision,
            packed=None if asked.problem else zlib.compress(asked.html.encode(), 9),
            problem=asked.problem,
            ask_again=asked.ask_again,
        )
        for asked in htmls
    ]
    RevisionHtml.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["revision"],
        update_fields=["packed", "problem", "ask_again", "asked_at"],
    )


def record_talk(wiki: Wiki, talk: Sequence[tuple[str, RevisionSeen]]) -> None:
    """Keep the talk pages of articles that have tags, by the article's title."""
    texts = {title: revision for title, revision in talk if revision.text is not None}
    if not texts:
        return
    tagged = Article.objects.filter(wiki=wiki, title__in=texts, tags__isnull=False).distinct()
    rows = [
        TalkPage(
            article=article,
            revid=texts[article.title].revid,
            wikitext=storable(texts[article.title].text or ""),
        )
        for article in tagged
    ]
    TalkPage.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["article"], update_fields=["revid", "wikitext"]
    )

"""From what was read of a page to rows. The same code for a file and for the live API.

A new fetch adds sightings, never doubles a tag and never changes a revision, since annotations pin them.
Pages without tags leave no row, unless one stood there before or a tag names them as the other article.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db import DatabaseError, OperationalError, transaction
from django.db.models import QuerySet

from wikifetch.columns import introduction_columns, revision_columns, sighting_columns
from wikifetch.history import PageHistory
from wikifetch.identity import Place, place_of, same_tags, unchanged
from wikifetch.models import Article, Revision, Sighting, Tag, TalkPage, Wiki
from wikifetch.newpages import Pages, record_new_pages
from wikifetch.origins import Untraced
from wikifetch.revisions import PageSeen, RevisionSeen, storable
from wikifetch.states import TAG, TagState
from wikifetch.wikitext import TagSeen


@dataclass(frozen=True)
class Recorded:
    """How many tags a page has, and how many of them no earlier fetch had seen."""

    found: int = 0
    new: int = 0


@dataclass
class Outcome:
    """What became of a batch's pages: how many tags they have, how many of them are new, and the pages refused."""

    found: int = 0
    new: int = 0
    refused: list[tuple[PageSeen, DatabaseError]] = field(default_factory=list)


def record_pages(wiki: Wiki, pages: Pages) -> Outcome:
    """Keep a batch's pages, the new ones together; a page that the database refuses is left out and told alone.

    For use in a transaction. Raises OperationalError: that is no page's fault.
    """
    new, others = _parted(wiki, pages) if pages else ([], [])
    tags = _record_together(wiki, new) if new else 0
    if tags is None:
        tags, others = 0, pages
    outcome = Outcome(tags, tags)
    for page, history in others:
        try:
            recorded = record_page(wiki, page, history)
        except OperationalError:
            raise  # not this page's fault: the whole batch is done again
        except DatabaseError as error:
            outcome.refused.append((page, error))
        else:
            outcome.found += recorded.found
            outcome.new += recorded.new
    return outcome


def _parted(wiki: Wiki, pages: Pages) -> tuple[Pages, Pages]:
    """The pages of which there is no row, each once, and the others."""
    known = Article.objects.filter(wiki=wiki, pageid__in=[page.pageid for page, _ in pages])
    seen = set(known.values_list("pageid", flat=True))
    new: list[tuple[PageSeen, PageHistory]] = []
    others: list[tuple[PageSeen, PageHistory]] = []
    for page, history in pages:
        (others if page.pageid in seen else new).append((page, history))
        seen.add(page.pageid)
    return new, others


def _record_together(wiki: Wiki, new: Pages) -> int | None:
    """How many tags the new pages have; None where one of them is at fault, or another fetch was faster."""
    try:
        with transaction.atomic():
            return record_new_pages(wiki, new)
    except OperationalError:
        raise
    except DatabaseError:
        return None  # each by itself then tells


@transaction.atomic
def record_page(wiki: Wiki, page: PageSeen, history: PageHistory) -> Recorded:
    """Keep the newest revision of a page with its tags; follow tags that stayed, went or came back."""
    assert history.newest is not None
    article, is_first = _locked_article(wiki, page)
    columns = revision_columns(history)
    if is_first:
        is_newest = is_fresh = True
        revision = Revision.objects.create(article=article, **columns)
    else:
        is_newest = _follow_article(article, page, history.newest)
        revision, is_fresh = Revision.objects.get_or_create(
            article=article, revid=history.newest.revid, defaults=columns
        )
    new = 0
    if is_fresh and not history.reading.set_aside:
        known = [] if is_first else _known_tags(article)
        new = _record_tags(revision, history.reading.tags, known, is_newest)
    _record_introductions(revision.sightings.all(), history)
    return Recorded(len(history.reading.tags), new)


def record_talk(wiki: Wiki, title: str, revision: RevisionSeen) -> bool:
    """Keep the talk page of an article that has tags; False where there is no such article."""
    article = Article.objects.filter(wiki=wiki, title=title, tags__isnull=False).first()
    if article is None or revision.text is None:
        return False
    columns = {"revid": revision.revid, "wikitext": storable(revision.text)}
    TalkPage.objects.update_or_create(article=article, defaults=columns)
    return True


def record_trace(article: Untraced, history: PageHistory) -> None:
    """Keep who added these tags of an article's revision, and that the wiki was asked from there."""
    for seen, introduction in history.told():
        if introduction is not None and seen.position in article.tags:
            tag = Tag.objects.filter(pk=article.tags[seen.position], introduced_revid=None)
            tag.update(**introduction_columns(introduction))
    Article.objects.filter(pk=article.article_id).update(traced_revid=article.revid)


def record_missing(wiki: Wiki, pageids: Sequence[int]) -> None:
    """The wiki has these pages no more: their tags are gone."""
    TAG.move(Tag.objects.filter(article__wiki=wiki, article__pageid__in=pageids), "vanish")


def _locked_article(wiki: Wiki, page: PageSeen) -> tuple[Article, bool]:
    """The article's row, held until the transaction ends, and whether it is a new one.

    Two fetches of one page take turns.
    """
    article, is_first = Article.objects.get_or_create(
        wiki=wiki, pageid=page.pageid, defaults={"title": page.title}
    )
    return article if is_first else Article.objects.select_for_update().get(pk=article.pk), is_first


def _follow_article(article: Article, page: PageSeen, newest: RevisionSeen) -> bool:
    """Whether no later revision of the article was seen before; if so it takes the page's title."""
    known_newest = article.revisions.order_by("-revid").values_list("revid", flat=True).first()
    is_newest = known_newest is None or newest.revid >= known_newest
    if is_newest and article.title != page.title:
        article.title = page.title
        article.save(update_fields=["title"])
    return is_newest


def _known_tags(article: Article) -> list[Tag]:
    return list(article.tags.select_related("latest").order_by("latest__position", "pk"))


def _record_tags(
    revision: Revision, tags: Sequence[TagSeen], known: list[Tag], is_newest: bool
) -> int:
    """Sightings of one revision's tags; returns how many tags are new."""
    followed = _followed(known, [place_of(tag) for tag in tags])
    new = 0
    for index, seen in enumerate(tags):
        tag = followed.get(index)
        if tag is None:
            state = TagState.LIVE if is_newest else TagState.GONE
            tag = Tag.objects.create(article=revision.article, kind=seen.kind, state=state)
            new += 1
        sighting = Sighting.objects.create(tag=tag, revision=revision, **sighting_columns(seen))
        if is_newest or tag.latest_id is None:
            tag.latest, tag.kind = sighting, seen.kind
            tag.save(update_fields=["latest", "kind"])
    if is_newest and known:
        here = {tag.pk for tag in followed.values()}
        TAG.move(Tag.objects.filter(pk__in=here), "return")
        TAG.move(revision.article.tags.filter(pk__in={t.pk for t in known} - here), "vanish")
    return new


def _followed(known: list[Tag], places: list[Place]) -> dict[int, Tag]:
    """Index of a place -> the tag that it is: one still standing, or one that had gone and is back."""
    live = [tag for tag in known if tag.state == TagState.LIVE and tag.latest]
    gone = [tag for tag in known if tag.state == TagState.GONE and tag.latest]
    found = {n: live[b] for n, b in same_tags([_place(tag) for tag in live], places).items()}
    left = [n for n in range(len(places)) if n not in found]
    back = unchanged([_place(tag) for tag in gone], [places[n] for n in left])
    return found | {left[n]: gone[b] for n, b in back.items()}


def _place(tag: Tag) -> Place:
    seen = tag.latest
    assert seen is not None
    return Place(seen.raw, seen.kind, seen.section, seen.block_clean, seen.reason)


def _record_introductions(sightings: QuerySet[Sighting], history: PageHistory) -> None:
    """Who added each tag of one revision, where the source's history tells and no earlier one has."""
    for seen, introduction in history.told():
        if introduction is not None:
            here = sightings.filter(position=seen.position).values("tag")
            unknown = Tag.objects.filter(pk__in=here, introduced_revid=None)
            unknown.update(**introduction_columns(introduction))

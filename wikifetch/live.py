"""The tags as other rooms and pages see them: which are live, found by kind and words, as records."""

from django.db.models import Q, QuerySet

from wikifetch.models import Tag
from wikifetch.states import TagState


def seen_tags() -> QuerySet[Tag]:
    """Every tag with what was last seen of it, by article and place."""
    return (
        Tag.objects.filter(latest__isnull=False)
        .select_related("article__wiki", "latest__revision")
        .defer("latest__revision__wikitext", "latest__revision__html")
        .order_by("article__title", "latest__position", "pk")
    )


def live_tags() -> QuerySet[Tag]:
    """The tags that stand in the newest fetched revision of their article."""
    return seen_tags().filter(state=TagState.LIVE)


def narrowed(
    tags: QuerySet[Tag], *, kind: str = "", state: str = "", words: str = ""
) -> QuerySet[Tag]:
    """Tags of a kind, in a state, with words in the article's title, the tag or its reason; "" for all."""
    if kind:
        tags = tags.filter(kind=kind)
    if state:
        tags = tags.filter(state=state)
    for word in words.split()[:8]:
        tags = tags.filter(
            Q(article__title__icontains=word)
            | Q(latest__raw__icontains=word)
            | Q(latest__section__icontains=word)
        )
    return tags


def tag_record(tag: Tag) -> dict[str, object]:
    """A tag as the commands and the JSON twin give it: what was last seen of it, and where."""
    seen = tag.latest
    assert seen is not None
    return {
        "title": tag.article.title,
        "pageid": tag.article.pageid,
        "revid": seen.revision.revid,
        "kind": tag.kind,
        "name": seen.name,
        "raw": seen.raw,
        "date": seen.date,
        "reason": seen.reason,
        "other_article": seen.other_article,
        "section": seen.section,
        "block": seen.block,
        "block_clean": seen.block_clean,
        "block_text": seen.block_text,
    }

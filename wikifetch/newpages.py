"""Pages that no fetch had found tags on before, in a few statements for all of them: most of a first fetch.

The rows are those that `recording.record_page` makes of each page alone.
"""

from collections.abc import Sequence

from django.db.models import OuterRef, Subquery

from wikifetch.columns import introduction_columns, revision_columns, sighting_columns
from wikifetch.history import PageHistory
from wikifetch.models import Article, Revision, Sighting, Tag, Wiki
from wikifetch.revisions import PageSeen
from wikifetch.states import TagState

Pages = Sequence[tuple[PageSeen, PageHistory]]


def record_new_pages(wiki: Wiki, pages: Pages) -> int:
    """Keep pages of which there is no row yet, each once; returns how many tags they have.

    All or nothing, so for use in a transaction. Raises DatabaseError for what one page is at fault for, and
    IntegrityError where another fetch has recorded one of them meanwhile.
    """
    articles = Article.objects.bulk_create(
        [Article(wiki=wiki, pageid=page.pageid, title=page.title) for page, _ in pages]
    )
    revisions = Revision.objects.bulk_create(
        [
            Revision(article=article, **revision_columns(history))
            for article, (_, history) in zip(articles, pages, strict=True)
        ]
    )
    found = [
        (revision, seen, introduction)
        for revision, (_, history) in zip(revisions, pages, strict=True)
        for seen, introduction in history.told()
    ]
    tags = Tag.objects.bulk_create(
        [
            Tag(
                article=revision.article,
                kind=seen.kind,
                state=TagState.LIVE,
                **introduction_columns(introduction),
            )
            for revision, seen, introduction in found
        ]
    )
    Sighting.objects.bulk_create(
        [
            Sighting(tag=tag, revision=revision, **sighting_columns(seen))
            for tag, (revision, seen, _) in zip(tags, found, strict=True)
        ]
    )
    # A new tag has been sighted once.
    only = Sighting.objects.filter(tag=OuterRef("pk")).order_by().values("pk")
    Tag.objects.filter(article__in=articles).update(latest=Subquery(only))
    return len(tags)

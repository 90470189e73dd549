"""The other articles that tags name: where their titles lead, and which page that is. Annotators compare both.

A tag may name a redirect: NamedArticle keeps which page a title led to when the wiki was last asked.
"""

from collections.abc import Iterable, Mapping

from wikifetch.history import PageHistory
from wikifetch.models import Article, NamedArticle, Revision, Sighting, Tag, Wiki
from wikifetch.states import TagState


def as_title(named: str) -> str:
    """A title as the wiki writes it: it begins with a capital."""
    words = " ".join(named.replace("_", " ").split())
    return words[:1].upper() + words[1:]


def named_by_tags(wiki: Wiki) -> set[str]:
    """Titles that any tag of this wiki names: these pages are kept though they have no tag."""
    named = Sighting.objects.filter(tag__article__wiki=wiki).exclude(other_article="")
    return set(map(as_title, named.order_by().values_list("other_article", flat=True).distinct()))


def named_in(histories: Iterable[PageHistory]) -> set[str]:
    """Titles that the tags of pages name which were just read."""
    tags = (tag for history in histories for tag in history.reading.tags)
    return {as_title(tag.other_article) for tag in tags if tag.other_article}


def named_on(wiki: Wiki, pageids: Iterable[int]) -> set[str]:
    """Titles that the tags name which stand on these pages, as they are kept here."""
    tags = Tag.objects.filter(article__wiki=wiki, article__pageid__in=pageids, state=TagState.LIVE)
    named = tags.exclude(latest__other_article="").exclude(latest=None)
    return set(map(as_title, named.values_list("latest__other_article", flat=True)))


def pageids_named_on(wiki: Wiki, pageids: Iterable[int]) -> list[int]:
    """Ids of the pages to which those titles led."""
    led = NamedArticle.objects.filter(wiki=wiki, title__in=named_on(wiki, pageids))
    return sorted(set(led.values_list("pageid", flat=True)))


def record_named(wiki: Wiki, named: Mapping[str, int]) -> None:
    """Keep which page each title leads to now."""
    NamedArticle.objects.bulk_create(
        [NamedArticle(wiki=wiki, title=title, pageid=pageid) for title, pageid in named.items()],
        update_conflicts=True,
        unique_fields=["wiki", "title"],
        update_fields=["pageid"],
    )


def other_revision(sighting: Sighting) -> Revision | None:
    """The latest fetched revision of the article that the tag names as the other one; None where there is none here."""
    title = as_title(sighting.other_article)
    if not title:
        return None
    wiki = sighting.revision.article.wiki
    led = NamedArticle.objects.filter(wiki=wiki, title=title).values("pageid")
    here = Article.objects.filter(wiki=wiki)
    article = here.filter(pageid__in=led).first() or here.filter(title=title).first()
    return article.revisions.first() if article else None

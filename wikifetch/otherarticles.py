"""The other articles that tags name, for annotators to compare: where their titles lead.

A tag may name a redirect: NamedArticle keeps which page a title led to when its wiki, or a file, was last read.
"""

from collections.abc import Iterable, Mapping

from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Replace

from wikifetch.history.introductions import PageHistory
from wikifetch.models import Article, NamedArticle, Revision, Sighting, Tag, Wiki
from wikifetch.states import TagState

NAMED_BY_A_TAG = "A tag names it as the other article."


def cleaned(named: str) -> str:
    """A title as a tag names it, without underscores and needless blanks. How it is capitalised the wiki knows."""
    return " ".join(named.replace("_", " ").split())


def titles_of(named: str) -> list[str]:
    """The titles in what a tag names, which may be several."""
    return [title for title in map(cleaned, named.split("|")) if title]


def titles_in(named: Iterable[str]) -> set[str]:
    return {title for words in named for title in titles_of(words)}


def spellings(title: str) -> tuple[str, str]:
    """The titles that a page may have which is named so: as written, and as most wikis capitalise it."""
    return title, title[:1].upper() + title[1:]


def named_by_tags(wiki: Wiki) -> set[str]:
    """What any tag of this wiki names: these pages are kept though they have no tag."""
    named = Sighting.objects.filter(tag__article__wiki=wiki).exclude(other_article="")
    return titles_in(named.order_by().values_list("other_article", flat=True).distinct())


def named_in(histories: Iterable[PageHistory]) -> set[str]:
    """What the tags of pages name which were just read."""
    tags = (tag for history in histories for tag in history.reading.tags)
    return titles_in(tag.other_article for tag in tags)


def named_on(wiki: Wiki, pageids: Iterable[int], hidden: Iterable[int] = ()) -> set[str]:
    """What the tags on these pages name, as they are kept here; but not in `hidden` revisions."""
    tags = Tag.objects.filter(article__wiki=wiki, article__pageid__in=pageids, state=TagState.LIVE)
    named = tags.exclude(latest__other_article="").exclude(latest=None)
    named = named.exclude(latest__revision__revid__in=hidden)
    return titles_in(named.values_list("latest__other_article", flat=True))


def pageids_of_titles(wiki: Wiki, titles: Iterable[str]) -> set[int]:
    """Ids of the pages to which these titles led when they were last followed."""
    led = NamedArticle.objects.filter(wiki=wiki, title__in=titles)
    return set(led.values_list("pageid", flat=True))


def led_to(wiki: Wiki, pageids: Iterable[int]) -> set[int]:
    """Which of these pages some title led to."""
    led = NamedArticle.objects.filter(wiki=wiki, pageid__in=pageids)
    return set(led.values_list("pageid", flat=True))


def naming(revisions: QuerySet[Revision]) -> QuerySet[Sighting]:
    """The sightings of tags whose other article may be one of those of which these are revisions."""
    articles = Article.objects.filter(revisions__in=revisions)
    wikis, pageids, titles = set(), set(), set()
    for wiki, pageid, title in articles.values_list("wiki", "pageid", "title"):
        wikis.add(wiki)
        pageids.add(pageid)
        titles |= {title, title[:1].lower() + title[1:]}
    led = NamedArticle.objects.filter(wiki__in=wikis, pageid__in=pageids)
    named = Sighting.objects.filter(revision__article__wiki__in=wikis).exclude(other_article="")
    spelt = Replace(F("other_article"), Value("_"), Value(" "))
    titles.update(led.values_list("title", flat=True))
    several = named.filter(other_article__contains="|").values_list("pk", "other_article")
    one_of_several = [pk for pk, words in several if titles & titles_in([words])]
    return named.alias(spelt=spelt).filter(Q(spelt__in=titles) | Q(pk__in=one_of_several))


def record_leads(wiki: Wiki, leads: Mapping[str, int]) -> None:
    """Keep which page each title leads to now."""
    NamedArticle.objects.bulk_create(
        [NamedArticle(wiki=wiki, title=title, pageid=pageid) for title, pageid in leads.items()],
        update_conflicts=True,
        unique_fields=["wiki", "title"],
        update_fields=["pageid"],
    )


def other_revisions(sighting: Sighting) -> dict[str, Revision | None]:
    """Each title that the tag names -> the latest fetched revision of that article; None where there is none here."""
    return {title: _revision_of(sighting, title) for title in titles_of(sighting.other_article)}


def other_revision(sighting: Sighting) -> Revision | None:
    """The first of them that there is."""
    return next(filter(None, other_revisions(sighting).values()), None)


def _revision_of(sighting: Sighting, title: str) -> Revision | None:
    wiki = sighting.revision.article.wiki
    here = Article.objects.filter(wiki=wiki)
    article = here.filter(pageid__in=pageids_of_titles(wiki, [title])).first()
    for spelling in spellings(title):
        article = article or here.filter(title=spelling).first()
    return article.revisions.first() if article else None

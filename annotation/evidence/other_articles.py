"""The tab of other articles: the one that the tag names, and those that the author asked for, one of them shown."""

from dataclasses import dataclass
from functools import cached_property

from annotation.evidence.article_text import text_sha256
from annotation.models import Annotation, AskedArticle
from annotation.states import AskedState
from wikifetch.models import Revision
from wikifetch.otherarticles import other_revisions
from wikifetch.shownarticle import ShownArticle, shown_article

NAMED = "named"  # the key of the article that the tag names
WAITING = (AskedState.ASKED, AskedState.FETCHING)


@dataclass(frozen=True)
class OtherArticle:
    """An article that can be shown; `elsewhere` names its wiki where that is not the tagged article's."""

    key: str
    revision: Revision
    elsewhere: str = ""


@dataclass(frozen=True)
class OtherArticles:
    """Those of one annotation, and of `more` of the same tag; `key` says which to show, the newest if it is unknown.

    `none_asked`: the annotation is new, so the requests need not be read.
    """

    annotation: Annotation
    key: str = ""
    more: tuple[Annotation, ...] = ()
    none_asked: bool = False

    @cached_property
    def rows(self) -> list[AskedArticle]:
        """What was asked for, newest first; of an article that was asked for again, the last row."""
        if self.none_asked:
            return []
        once: dict[tuple[object, ...], AskedArticle] = {}
        asked = AskedArticle.objects.filter(annotation__in=(self.annotation, *self.more))
        for row in asked.select_related("wiki", "revision__article__wiki").order_by("-pk"):
            once.setdefault((row.wiki_id, row.title, row.revid), row)
        return list(once.values())

    @property
    def waiting(self) -> list[AskedArticle]:
        return [row for row in self.rows if row.state in WAITING]

    @property
    def failed(self) -> list[AskedArticle]:
        return [row for row in self.rows if row.state == AskedState.FAILED]

    @cached_property
    def choices(self) -> list[OtherArticle]:
        sighting = self.annotation.sighting
        own = sighting.revision.article.wiki_id
        chosen: dict[int, OtherArticle] = {}
        for row in self.rows:
            if revision := row.revision:
                wiki = revision.article.wiki
                elsewhere = "" if wiki.pk == own else wiki.name
                chosen.setdefault(revision.pk, OtherArticle(str(row.pk), revision, elsewhere))
        for number, revision in enumerate(filter(None, self.named.values()), start=1):
            key = NAMED if number == 1 else f"{NAMED}-{number}"
            chosen.setdefault(revision.pk, OtherArticle(key, revision))
        return list(chosen.values())

    @cached_property
    def named(self) -> dict[str, Revision | None]:
        """The articles that the tag names, by their titles; None of those that are not stored here."""
        return other_revisions(self.annotation.sighting)

    @property
    def missing(self) -> str:
        """The titles that the tag names of which no article is stored here."""
        return ", ".join(title for title, revision in self.named.items() if revision is None)

    @cached_property
    def chosen(self) -> OtherArticle | None:
        first = self.choices[0] if self.choices else None
        return next((choice for choice in self.choices if choice.key == self.key), first)

    @property
    def languages(self) -> dict[int, str]:
        """Revision's key -> the language of its text, of the tagged article and of those that can be shown."""
        tagged = self.annotation.sighting.revision
        own = tagged.article.wiki.language
        others = {
            each.revision.pk: each.revision.article.wiki.language if each.elsewhere else own
            for each in self.choices
        }
        return {tagged.pk: own, **others}

    @cached_property
    def article(self) -> ShownArticle | None:
        return shown_article(self.chosen.revision) if self.chosen else None

    @property
    def sha256(self) -> str:
        return text_sha256(self.article.html) if self.article else ""

    @property
    def version(self) -> str:
        """Changes with what the tab shows."""
        states = " ".join(f"{row.pk}:{row.state}:{row.waited}" for row in self.rows)
        return f"{self.chosen.key if self.chosen else ''} {states}"

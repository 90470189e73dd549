"""Whose tags' origin is not known yet, and asking a wiki for it: which edit added them (see tracing)."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F, Q

from wikifetch.client import WikiClient
from wikifetch.history import PageHistory
from wikifetch.manners import WikiError
from wikifetch.models import Tag, Wiki
from wikifetch.revisions import RevisionSeen
from wikifetch.states import TagState
from wikifetch.tracing import Outlines, trace
from wikifetch.wikitext import TagNames


@dataclass(frozen=True)
class Untraced:
    """An article (its row and its page), the revision to trace its tags from, and by position the tags' rows."""

    article_id: int
    pageid: int
    revid: int
    tags: dict[int, int]


@dataclass(frozen=True)
class Traced:
    """An article's history, walked back from that revision."""

    article: Untraced
    history: PageHistory


def untraced(wiki: Wiki, pageids: Sequence[int]) -> list[Untraced]:
    """The pages with a live tag whose origin the wiki was not asked for, from the tag's newest revision on."""
    tags = Tag.objects.filter(
        article__wiki=wiki,
        article__pageid__in=pageids,
        state=TagState.LIVE,
        introduced_revid=None,
        latest__isnull=False,
    )
    asked = Q(article__traced_revid=F("latest__revision__revid"))
    place = ("article__pageid", "latest__revision__revid")
    found: dict[tuple[int, int], Untraced] = {}
    rows = tags.exclude(asked).order_by(*place, "latest__position")
    for pageid, revid, article_id, position, tag_id in rows.values_list(
        *place, "article_id", "latest__position", "pk"
    ):
        article = found.setdefault((pageid, revid), Untraced(article_id, pageid, revid, {}))
        article.tags[position] = tag_id
    return list(found.values())


def traced(client: WikiClient, article: Untraced, names: TagNames) -> Traced:
    """Its history; one that tells nothing where the wiki has this revision no more. Raises WikiError."""
    try:
        history = trace(_LiveHistory(client, article.pageid, article.revid), names)
    except WikiError as error:
        if error.code != "badid_rvstartid":
            raise
        history = PageHistory()
    return Traced(article, history)


@dataclass(frozen=True)
class _LiveHistory:
    """One page's history up to a revision, asked of its wiki (see tracing.History)."""

    client: WikiClient
    pageid: int
    revid: int

    def newest(self) -> tuple[list[RevisionSeen], bool]:
        return self.client.newest_revisions(self.pageid, self.revid)

    def outlines(self) -> Outlines:
        return self.client.outlines(self.pageid, self.revid)

    def texts(self, revids: Sequence[int]) -> dict[int, RevisionSeen]:
        return self.client.texts(revids)

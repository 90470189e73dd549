"""Tags whose introducing edit is not known yet, and asking a wiki for it (see history.tracing)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from django.db.models import Count, F, Min, Q

from wikifetch.history.introductions import PageHistory
from wikifetch.history.tracing import EARLIER, trace
from wikifetch.models import Tag, Wiki
from wikifetch.source.manners import WikiError
from wikifetch.source.wiki_client import WikiClient
from wikifetch.states import TagState
from wikifetch.wikitext import TagNames


@dataclass(frozen=True)
class Untraced:
    """An article (its row's key and its page's id), and the revision to trace its tags from, back to `since`.

    That is long enough before the months that the tags give; None if one gives none.
    """

    article_id: int
    pageid: int
    revid: int
    since: datetime | None = None


Traced = tuple[Untraced, PageHistory]  # its history, read back from that revision


def untraced(wiki: Wiki, pageids: Sequence[int]) -> list[Untraced]:
    """The pages with a live tag whose origin the wiki was not asked for, from the tag's newest revision on."""
    tags = Tag.objects.filter(
        article__wiki=wiki,
        article__pageid__in=pageids,
        state=TagState.LIVE,
        introduced_revid=None,
        latest__isnull=False,
    )
    is_traced = Q(article__traced_revid=F("latest__revision__revid"))
    columns = (
        "article__pageid",
        "latest__revision__revid",
        "article_id",
        "latest__revision__timestamp",
    )
    rows = tags.exclude(is_traced).order_by(*columns).values_list(*columns)
    months = rows.annotate(Min("latest__month"), Count("pk"), Count("latest__month"))
    return [
        Untraced(article_id, pageid, revid, _since(month, newest) if tags == dated else None)
        for pageid, revid, article_id, newest, month, tags, dated in months
    ]


def _since(month: date, newest: datetime | None) -> datetime | None:
    """None for a month after the newest revision."""
    since = datetime(month.year, month.month, 1, tzinfo=UTC) - EARLIER
    return since if newest and since < newest else None


def traced(client: WikiClient, article: Untraced, names: TagNames) -> Traced:
    """Its history; an empty one where the wiki no longer has this revision. Raises WikiError."""
    try:
        history = trace(client, article.pageid, article.revid, names, article.since)
    except WikiError as error:
        if error.wikis_code != "badid_rvstartid":
            raise
        history = PageHistory()
    return article, history

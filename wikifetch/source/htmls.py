"""Which revisions lack the wiki's own HTML, and asking the wiki for it: once, unless it was busy.

HTML that a wiki does not give is no failure of a fetch: our own rendering is shown instead.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from wikifetch.models import Revision, RevisionHtml, Sighting, Wiki
from wikifetch.source.manners import WikiBusy, WikiError
from wikifetch.source.wiki_client import WikiClient
from wikifetch.wikihtml.html_limits import too_much

# Seconds that a run waits for a busy wiki before it goes on without a page's HTML, which may be too much for that wiki.
MOST_WAITED = 120


@dataclass(frozen=True)
class HtmlAsked:
    """What a wiki answered about one of our revisions (its row's key): its HTML, or the `problem`.

    `ask_again`: the wiki was too busy to look at it, so a later fetch asks again.
    """

    revision: int
    html: str = ""
    problem: str = ""
    ask_again: bool = False


def without_html(
    wiki: Wiki, pageids: Sequence[int], others: Collection[int], since: datetime
) -> list[tuple[int, int]]:
    """(Row's key, revision id) of what annotators read of these pages, where its HTML is to be asked for.

    Those are revisions with tags, and the newest revision of pages in `others`. Those for which the wiki was too busy
    before `since` come last: a page that is always too much for it must not hold up the rest.
    """
    asked = RevisionHtml.objects.filter(revision=OuterRef("pk"))
    is_done = Exists(asked.exclude(ask_again=True, asked_at__lt=since))
    rows = Revision.objects.filter(article__wiki=wiki, article__pageid__in={*pageids, *others})
    newest = Revision.objects.filter(article=OuterRef("article"), revid__gt=OuterRef("revid"))
    is_other = Q(article__pageid__in=others) & ~Exists(newest)
    is_tagged = Exists(Sighting.objects.filter(revision=OuterRef("pk")))
    wanted = rows.filter(is_tagged | is_other).exclude(wikitext="").exclude(is_done)
    return list(wanted.order_by(Exists(asked), "revid").values_list("pk", "revid"))


def asked_for_html(client: WikiClient, revision: int, revid: int, waited: int) -> HtmlAsked:
    """What the wiki answers, after `waited` seconds of waiting without progress.

    Raises WikiBusy if it says when to come back: nothing else may be asked before.
    """
    try:
        html = client.html_of(revid)
    except WikiBusy as busy:
        if busy.seconds is not None and waited < MOST_WAITED:
            raise
        return HtmlAsked(revision, problem=str(busy), ask_again=True)
    except WikiError as error:
        return HtmlAsked(revision, problem=str(error), ask_again=not error.wikis_code)
    if problem := too_much(html):
        return HtmlAsked(revision, problem=problem)
    return HtmlAsked(revision, html)

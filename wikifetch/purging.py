"""Take out what a wiki has hidden since it was fetched: texts, editors' names, summaries.

Suppressed text is mostly libel or a person's private data: a copy must not outlive it. The rows stay, because
annotations pin them, and so do an annotator's own words. A room above removes what it has copied itself.
"""

from collections.abc import Iterable, Mapping

from django.db.models import Q, QuerySet

from leases.extension import ExtensionPoint
from wikifetch.history.pages_seen import HiddenParts
from wikifetch.models import (
    FetchProblem,
    NamedArticle,
    Revision,
    RevisionHtml,
    Sighting,
    Tag,
    TalkPage,
    Wiki,
)
from wikifetch.otherarticles import NAMED_BY_A_TAG, named_by_tags, titles_in

TEXT_HIDDEN = "The wiki has hidden this text since it was fetched."
# The columns of a sighting with words of the wiki's text.
WORDS = (
    "raw", "date", "reason", "other_article", "section", "block", "block_clean", "block_text",
)  # fmt: skip
# Removes copies of the text of these revisions, in purge's transaction, while their rows still hold it, unless an
# earlier fetch has reported them too.
removes_copies: ExtensionPoint[[QuerySet[Revision]], None] = ExtensionPoint(
    "wikifetch.purging.removes_copies"
)


def known_revids(wiki: Wiki, pageids: Iterable[int]) -> dict[int, set[int]]:
    """Page id -> the revisions of which something is kept that the wiki may have hidden since."""
    revids_of: dict[int, set[int]] = {}
    stored = Revision.objects.filter(article__wiki=wiki, article__pageid__in=pageids)
    for pageid, revid in stored.values_list("article__pageid", "revid"):
        revids_of.setdefault(pageid, set()).add(revid)
    tags = Tag.objects.filter(article__wiki=wiki, article__pageid__in=pageids)
    columns = ("article__pageid", "introduced_revid", "introduced_parent_revid")
    for pageid, *revids in tags.values_list(*columns):
        revids_of.setdefault(pageid, set()).update(filter(None, revids))
    talk = TalkPage.objects.filter(article__wiki=wiki, article__pageid__in=pageids)
    for pageid, talk_revid in talk.values_list("article__pageid", "revid"):
        revids_of.setdefault(pageid, set()).update(filter(None, [talk_revid]))
    return revids_of


def purge(wiki: Wiki, hidden: Mapping[int, HiddenParts]) -> None:
    """Take out what is hidden now, by revision id. For use in a transaction."""
    editors = [revid for revid, what in hidden.items() if what.editor]
    summaries = [revid for revid, what in hidden.items() if what.summary]
    revisions = Revision.objects.filter(article__wiki=wiki)
    tags = Tag.objects.filter(article__wiki=wiki)
    revisions.filter(revid__in=editors).update(editor="")
    revisions.filter(revid__in=summaries).update(summary="")
    tags.filter(introduced_revid__in=editors).update(introduced_by="")
    tags.filter(introduced_revid__in=summaries).update(introduced_summary="")
    _purge_texts(wiki, [revid for revid, what in hidden.items() if what.text])


def _purge_texts(wiki: Wiki, revids: list[int]) -> None:
    gone = Revision.objects.filter(article__wiki=wiki, revid__in=revids)
    pages = set(gone.exclude(set_aside=TEXT_HIDDEN).values_list("article__title", flat=True))
    named = set(gone.values_list("sightings__other_article", flat=True)) - {None, ""}
    if revids:
        removes_copies(gone)
    RevisionHtml.objects.filter(revision__in=gone).delete()
    gone.update(wikitext="", set_aside=TEXT_HIDDEN)
    Sighting.objects.filter(revision__in=gone).update(
        **dict.fromkeys(WORDS, ""), month=None, dropped=[]
    )
    _purge_problems(wiki, pages, named)
    tags = Tag.objects.filter(article__wiki=wiki)
    tags.filter(introduced_revid__in=revids).update(introduced_raw="", introduced_block="")
    around = Q(introduced_parent_revid__in=revids) | Q(introduced_revid__in=revids)
    tags.filter(around).update(introduced_parent_block="")
    TalkPage.objects.filter(article__wiki=wiki, revid__in=revids).update(wikitext="")


def _purge_problems(wiki: Wiki, pages: set[str], named: set[str]) -> None:
    """Problems of these pages may quote them, and titles that only their tags named are part of their text."""
    words = titles_in(named) - named_by_tags(wiki)
    of_words = Q(page__in=words, problem__startswith=NAMED_BY_A_TAG)
    FetchProblem.objects.filter(Q(page__in=pages) | of_words, run__wiki=wiki).delete()
    NamedArticle.objects.filter(wiki=wiki, title__in=words).delete()

"""An article to read: the wiki's own HTML with the tagged block found in it, or our rendering of its wikitext."""

from dataclasses import dataclass

import nh3
from django.conf import settings
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from pages.memory import ARTICLES
from wikifetch.article_html import article_html, sanitised
from wikifetch.models import Revision, RevisionHtml, Sighting
from wikifetch.source.wikis import words_of_wiki
from wikifetch.wikihtml import elements
from wikifetch.wikihtml.block_finding import Sought, find_block
from wikifetch.wikihtml.html_blocks import WrittenArticle
from wikifetch.wikihtml.writing import WikiHtmlWriter
from wikifetch.wikitext.languages import speaking
from wikifetch.wikitext.readable import readable

OWN = "Shown as rendered here: "


@dataclass(frozen=True)
class ShownArticle:
    """HTML as article_html gives it, and a line on where it comes from, "" where the wiki was not asked."""

    html: SafeString
    origin: str = ""


def shown_article(revision: Revision, sighting: Sighting | None = None) -> ShownArticle:
    """The article at this revision, with the block that holds the sighting's tag marked."""
    kept: RevisionHtml | None = getattr(revision, "html", None) if settings.WIKI_HTML else None
    if kept is None:
        return ShownArticle(article_html(revision, sighting))
    if kept.packed is None:
        why = f"{OWN}the wiki did not give its own HTML. {kept.problem}"
        return ShownArticle(article_html(revision, sighting), why)
    html = _wikis_html(kept.text, _sought(sighting) if sighting else None)
    if html is None:
        why = f"{OWN}the tagged passage was not found in the wiki's own HTML, or more than once."
        return ShownArticle(article_html(revision, sighting), why)
    asked = date_format(localtime(kept.asked_at), "j F Y")
    origin = f"The wiki's own HTML of this revision, as it was on {asked}."
    return ShownArticle(html, origin)


@ARTICLES.remembers
def _wikis_html(html: str, sought: Sought | None) -> SafeString | None:
    """A wiki's HTML to show, with the block that is sought marked; None where it is not found."""
    article = wikis_article(html)
    blocks = find_block(article, sought) if sought else []
    return sanitised(article.marked(blocks)) if blocks or not sought else None


def wikis_article(html: str) -> WrittenArticle:
    """A wiki's HTML in the elements of our rendering, not sanitised yet. First it is parsed, as a browser would."""
    parsed = nh3.clean(
        html,
        tags=elements.PARSED_ELEMENTS,
        attributes=elements.PARSED_ATTRIBUTES,
        clean_content_tags=elements.DROPPED_WITH_CONTENTS,
        link_rel=None,
    )
    return WikiHtmlWriter().written(parsed)


def _sought(sighting: Sighting) -> Sought:
    heading = sighting.section.rpartition(" / ")[2]
    with speaking(words_of_wiki(sighting.revision.article.wiki)):
        text = readable(sighting.block_clean, sighting.block_kind).text
    # A tag that is alone in its block speaks of the unit before.
    return Sought(sighting.block_kind, text or sighting.block_text, heading)

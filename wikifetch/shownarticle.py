"""An article to read: the wiki's own HTML with the tagged block found in it, or our rendering of its wikitext."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import nh3
from django.conf import settings
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from pages.memory import ARTICLES
from wikifetch.article_html import article_html, names_with, sanitised, tag_among
from wikifetch.models import Revision, RevisionHtml, Sighting
from wikifetch.source.wikis import names_shown
from wikifetch.wikihtml import elements
from wikifetch.wikihtml.block_finding import Sought, find_block, find_tag
from wikifetch.wikihtml.calls import TagCall, tag_call
from wikifetch.wikihtml.html_blocks import WrittenArticle
from wikifetch.wikihtml.writing import WikiHtmlWriter
from wikifetch.wikitext import TagSeen, find_tags
from wikifetch.wikitext.languages import speaking
from wikifetch.wikitext.layout import Layout
from wikifetch.wikitext.readable import readable
from wikifetch.wikitext.sections import path_to

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
    html = next(
        filter(None, (_wikis_html(kept.text, sought) for sought in _all_sought(sighting))), None
    )
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
    if sought is None:
        return sanitised(article.marked([]))
    blocks = find_block(article, sought)
    return sanitised(article.marked(blocks, find_tag(article, blocks, sought))) if blocks else None


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


def _all_sought(sighting: Sighting | None) -> list[Sought | None]:
    """What to look for, the best first; [None], nothing, without a sighting."""
    if sighting is None:
        return [None]
    names = names_with(sighting, names_shown(sighting.revision.article.wiki))
    heading = sighting.section.rpartition(" / ")[2]
    with speaking(names.words):
        text = readable(sighting.block_clean, sighting.block_kind).text or sighting.block_text
        block = Sought(sighting.block_kind, text, heading)
        if block.kind == "section":
            block = replace(block, same_heading=_same_headings(sighting))
        tags = find_tags(sighting.revision.wikitext, names).tags
        tag = tag_among(tags, sighting)
        if tag is None:
            return [block]
        call = _call_among(tags, tag)
        block = replace(block, call=call)
        around = [each for each in tags if _is_beside(each, tag)]
        if tag in around:
            block = replace(block, number=around.index(tag), among=len(around))
        there = [each for each in tags if each.passage == tag.passage]
        passage = Sought(
            "table" if tag.passage.kind == "lead" else tag.passage.kind,
            tag.words.text,
            heading,
            number=there.index(tag),
            among=len(there),
            is_apart=not tag.passage.start <= tag.position < tag.passage.end,
            same_heading=block.same_heading,
            call=call,
        )
    same = _same_passages(tags, tag)
    if not tag.has_passage:
        return [replace(block, same=same)]
    # Words that a template wraps may be a part of a unit there; a note, and a unit before the tag, are their own.
    is_part = passage.kind == "paragraph" and not passage.is_apart
    return [replace(passage, same=same), *[block] * is_part]


def _same_headings(sighting: Sighting) -> tuple[int, int]:
    """Number of the heading above a tag among those of the same words, and how many there are."""
    headings = Layout(sighting.revision.wikitext).headings
    own = path_to(headings, sighting.position)[-1:]
    same = [heading for heading in headings if own and heading.text == own[0].text]
    return (same.index(own[0]), len(same)) if own else (0, 1)


def _call_among(tags: Sequence[TagSeen], tag: TagSeen) -> TagCall | None:
    """How the wikitext calls the tag's template, and which of the equal calls it is; None where it is no template."""
    if not tag.raw.startswith("{{"):
        return None
    equal = [each.position for each in tags if _call(each).is_equal(_call(tag))]
    return replace(_call(tag), number=equal.index(tag.position), among=len(equal))


def _call(tag: TagSeen) -> TagCall:
    return tag_call(tag.name, tag.params, in_note=tag.passage.kind == "note")


def _is_beside(other: TagSeen, tag: TagSeen) -> bool:
    """Whether it is in the tag's block too; not in a note, nor of a sentence where the tag is a banner."""
    is_in_block = tag.block_start <= other.position < tag.block_start + len(tag.block)
    return is_in_block and other.passage.kind != "note" and other.scope == tag.scope


def _same_passages(tags: Sequence[TagSeen], tag: TagSeen) -> tuple[int, int]:
    """Number of the tag's passage among those of the same words, and how many there are."""
    words = _unmarked(tag)
    starts = sorted({each.passage.start for each in tags if _unmarked(each) == words})
    return starts.index(tag.passage.start), len(starts)


def _unmarked(tag: TagSeen) -> str:
    return tag.passage_clean.strip("*#:; \n")

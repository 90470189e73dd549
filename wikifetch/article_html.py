"""Articles as HTML that is safe to show: what an annotator reads and copies from."""

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from pages.memory import ARTICLES
from wikifetch.models import Revision, Sighting
from wikifetch.source.wikis import names_shown
from wikifetch.wikitext import KNOWN_NAMES, TagNames, find_tags
from wikifetch.wikitext.article import MAX_SECONDS, render_article
from wikifetch.wikitext.languages import speaking
from wikifetch.wikitext.tag_names import fold

_TAGS = {
    "h3", "h4", "h5", "h6", "p", "ul", "ol", "dl", "li", "dt", "dd", "div", "table", "caption", "tr", "th", "td",
    "b", "i", "s", "u", "sup", "sub", "small", "blockquote", "br", "span", "code", "pre",
}  # fmt: skip
_ATTRIBUTES = {
    "*": {"class", "id"},
    "div": {"tabindex", "role", "aria-label"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "span": {"title"},
}


def article_html(revision: Revision, sighting: Sighting | None = None) -> SafeString:
    """The article at this revision, with the passage that the sighting's tag speaks of marked.

    Its first element has id="tagged-block", all of them class="tagged". What is copied from the article leaves out
    <sup class="reference">, <span class="wiki-tag"> (an inconsistency tag) and <span class="left-out"> (a template that
    is not shown).
    """
    names = names_shown(revision.article.wiki)
    if sighting is None:
        return _remembered(revision.wikitext, None, names)
    names = _names_with(sighting, names)
    return _remembered(revision.wikitext, _passage_span(sighting, names), names)


@ARTICLES.remembers
def _remembered(wikitext: str, marked: tuple[int, int] | None, names: TagNames) -> SafeString:
    return wikitext_html(wikitext, marked, names)


def wikitext_html(
    wikitext: str,
    marked: tuple[int, int] | None = None,
    names: TagNames = KNOWN_NAMES,
    *,
    seconds: float = MAX_SECONDS,
) -> SafeString:
    """Any page's text to read, units over `marked` (offsets) marked as above; wikitext after `seconds` of CPU."""
    with speaking(names.words):
        return sanitised(render_article(wikitext, marked, names, seconds))


def sanitised(html: str) -> SafeString:
    """HTML reduced to what articles are shown in."""
    clean = nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, link_rel=None)
    return mark_safe(clean)  # noqa: S308 - sanitised in the line above


def _names_with(sighting: Sighting, names: TagNames) -> TagNames:
    """These and this tag's, which may have another one on its wiki since."""
    name, braces = sighting.raw[2:].partition("|")[0].removesuffix("}}"), sighting.raw[:2]
    if braces != "{{" or names.kind_of(name):
        return names
    return TagNames({**names.kinds, fold(name): sighting.tag.kind}, names.words)


def _passage_span(sighting: Sighting, names: TagNames) -> tuple[int, int] | None:
    """Offsets of what the tag speaks of where that is not its block (see wikitext.passages), else of the block."""
    block = block_span(sighting)
    for tag in find_tags(sighting.revision.wikitext, names).tags if block else ():
        if tag.position == sighting.position and tag.raw == sighting.raw and tag.has_passage:
            return tag.passage.start, tag.passage.end
    return block


def block_span(sighting: Sighting) -> tuple[int, int] | None:
    """Offsets of a sighting's block in its revision's wikitext; None where it is not there."""
    text, block = sighting.revision.wikitext, sighting.block
    start = text.find(block, max(0, sighting.position - len(block)))
    if not block or start < 0 or start > sighting.position:
        return None
    return start, start + len(block)


def marked_block(sighting: Sighting) -> SafeString:
    """The block's wikitext, escaped, with every copy of the tag in a <mark>."""
    if not sighting.raw:  # the wiki has hidden it since (see purging)
        return escape(sighting.block)
    tag, pieces = escape(sighting.raw), sighting.block.split(sighting.raw)
    return mark_safe(f"<mark>{tag}</mark>".join(map(escape, pieces)))  # noqa: S308 - escaped here

"""Articles as HTML that is safe to show: what an annotator reads and copies from."""

from collections.abc import Iterable

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from pages.memory import ARTICLES
from wikifetch.models import Revision, Sighting
from wikifetch.source.wikis import names_shown
from wikifetch.wikitext import KNOWN_NAMES, TagNames, TagSeen, find_tags
from wikifetch.wikitext.article import MAX_SECONDS, render_article
from wikifetch.wikitext.languages import speaking
from wikifetch.wikitext.positions.spans import Span
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
    "span": {"title", "aria-current"},
}


def article_html(revision: Revision, sighting: Sighting | None = None) -> SafeString:
    """The article at this revision, with the passage that the sighting's tag speaks of marked.

    Its first element has id="tagged-block", all of them class="tagged"; the tag itself has aria-current="true". What
    is copied from the article leaves out <sup class="reference">, <span class="wiki-tag"> (an inconsistency tag) and
    <span class="left-out"> (a template that is not shown).
    """
    names = names_shown(revision.article.wiki)
    if sighting is None:
        return _remembered(revision.wikitext, None, None, names)
    names = names_with(sighting, names)
    tag = tag_among(find_tags(revision.wikitext, names).tags, sighting)
    speaks_of = tag.passage if tag and tag.has_passage else None
    marked = (speaks_of.start, speaks_of.end) if speaks_of else block_span(sighting)
    span = (sighting.position, sighting.position + len(sighting.raw))
    return _remembered(revision.wikitext, marked, span, names)


@ARTICLES.remembers
def _remembered(
    wikitext: str, marked: Span | None, tag: Span | None, names: TagNames
) -> SafeString:
    return wikitext_html(wikitext, marked, names, tag=tag)


def wikitext_html(
    wikitext: str,
    marked: Span | None = None,
    names: TagNames = KNOWN_NAMES,
    *,
    seconds: float = MAX_SECONDS,
    tag: Span | None = None,
) -> SafeString:
    """Any page's text to read, units over `marked` and `tag` (offsets) marked; wikitext after `seconds` of CPU."""
    with speaking(names.words):
        return sanitised(render_article(wikitext, marked, names, seconds, tag))


def sanitised(html: str) -> SafeString:
    """HTML reduced to what articles are shown in."""
    clean = nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, link_rel=None)
    return mark_safe(clean)  # noqa: S308 - sanitised in the line above


def names_with(sighting: Sighting, names: TagNames) -> TagNames:
    """These and this tag's, which may have another one on its wiki since."""
    name, braces = sighting.raw[2:].partition("|")[0].removesuffix("}}"), sighting.raw[:2]
    if braces != "{{" or names.kind_of(name):
        return names
    return TagNames({**names.kinds, fold(name): sighting.tag.kind}, names.words)


def tag_among(tags: Iterable[TagSeen], sighting: Sighting) -> TagSeen | None:
    """The sighting's tag as its revision is read now; None where it is not there, as where the wiki has hidden it."""
    place = (sighting.position, sighting.raw)
    return next((tag for tag in tags if (tag.position, tag.raw) == place), None)


def block_span(sighting: Sighting) -> tuple[int, int] | None:
    """Offsets of a sighting's block in its revision's wikitext; None where it is not there."""
    text, block = sighting.revision.wikitext, sighting.block
    start = text.find(block, max(0, sighting.position - len(block)))
    if not block or start < 0 or start > sighting.position:
        return None
    return start, start + len(block)


def place_in_block(sighting: Sighting) -> int:
    """The tag's offset in its block; that of the first of its copies where its own is not known, and -1 without any."""
    span = block_span(sighting)
    own = sighting.position - span[0] if span else 0
    return sighting.block.find(
        sighting.raw, own if sighting.block.startswith(sighting.raw, own) else 0
    )


def marked_block(sighting: Sighting) -> SafeString:
    """The block's wikitext, escaped, with the tag in a <mark>."""
    at = place_in_block(sighting)
    if not sighting.raw or at < 0:  # the wiki has hidden it since (see purging)
        return escape(sighting.block)
    end = at + len(sighting.raw)
    before, tag, after = sighting.block[:at], sighting.block[at:end], sighting.block[end:]
    marked = f"{escape(before)}<mark>{escape(tag)}</mark>{escape(after)}"
    return mark_safe(marked)  # noqa: S308 - escaped here

"""What becomes of each element of a wiki's HTML. Pure.

Classes are MediaWiki's and those of the English Wikipedia's templates: its skins and scripts hide what is dropped.
"""

import re
from collections.abc import Mapping
from enum import Enum
from html import unescape

_DISPLAY_NONE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_CELL = re.compile(r"<td\b[^>]*>(.*?)</td>", re.DOTALL)
_NUMBER = re.compile(r"[+−–-]?(?:\d+|\d{1,3}(?:[,.’'\s]\d{3})+)(?:[.,]\d+)?\s?%?")
_ATTRIBUTE = re.compile(r'([^\s=]+)="([^"]*)"')

# Not for readers of the article: ways to other pages, buttons, what is hidden, the wiki's own notices.
_DROPPED_CLASSES = {
    "mw-editsection", "vertical-navbox", "navbox-styles", "sidebar", "toc", "mw-jump-link", "catlinks",
    "printfooter", "sortkey", "mw-cite-backlink", "magnify", "sistersitebox", "portalbox", "portal", "metadata",
    "noprint", "shortdescription", "authority-control", "mw-empty-elt", "mw-references-columns-hidden", "nomobile",
    "mw-linkback-text", "mw-broken-media",
}  # fmt: skip
_BANNERS = {"ambox", "tmbox", "ombox", "fmbox", "multiple-issues-text"}
_BACK = "mw:referencedBy"  # Parsoid's way from a note back to the text
_SHOWN_FIGURE = re.compile(r"/(?:Thumb|Frame)$")
# One that a wiki's reader sees as the same thing.
_SAME = {
    "em": "i", "strong": "b", "del": "s", "strike": "s", "ins": "u", "tt": "code", "kbd": "code", "samp": "code",
    "var": "i", "dfn": "i", "h1": "h3", "h2": "h3", "h3": "h4", "h4": "h5", "h5": "h6",
}  # fmt: skip
_KEPT = {
    "h3", "h4", "h5", "h6", "p", "ul", "ol", "dl", "li", "dt", "dd", "div", "table", "caption", "tr", "th", "td",
    "b", "i", "s", "u", "sup", "sub", "small", "blockquote", "br", "code", "pre",
}  # fmt: skip
_UNWRAPPED = {
    "a", "span", "figure", "figcaption", "math", "annotation", "img", "q", "h1", "h2", "center", "cite",
}  # fmt: skip

# What is parsed, and looked at before it is rewritten; the result is sanitised again (article_html._TAGS).
PARSED_ELEMENTS = _KEPT | _UNWRAPPED | set(_SAME) | {"link"}
PARSED_ATTRIBUTES = {
    "*": {"class", "style", "id", "data-mw"},
    "a": {"href", "title", "rel"},
    "span": {"rel"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "math": {"alttext"},
    "img": {"alt"},
    "figure": {"typeof"},
}
DROPPED_WITH_CONTENTS = {
    "script", "style", "svg", "iframe", "noscript", "template", "object", "embed", "video", "audio", "select",
    "textarea", "button", "title", "noembed", "noframes", "xmp", "canvas", "map", "form",
}  # fmt: skip


class ElementFate(Enum):
    """Of an element that is not kept under a name: its contents go with it, or stay, or are something else."""

    REMOVE = "remove"
    UNWRAP = "unwrap"
    FORMULA = "formula"
    BANNER = "banner"
    LINE = "line"  # a line apart: caption, hatnote
    NAVIGATION = "navigation"  # stays if its cells hold numbers


def attributes_of(written: str) -> dict[str, str]:
    """Of a start tag as the sanitiser writes it."""
    return {name: unescape(value) for name, value in _ATTRIBUTE.findall(written)}


def fate_of(tag: str, attributes: Mapping[str, str]) -> ElementFate | str:
    """The element's name here, or its fate."""
    classes = set(attributes.get("class", "").split())
    if "mwe-math-element" in classes or tag == "math":
        return ElementFate.FORMULA
    if classes & _BANNERS and tag in {"table", "div"}:
        return ElementFate.BANNER
    if _is_dropped(tag, classes, attributes):
        return ElementFate.REMOVE
    if "navbox" in classes:
        return ElementFate.NAVIGATION if tag in {"table", "div"} else ElementFate.REMOVE
    if tag == "figcaption" or "thumbcaption" in classes or "infobox-caption" in classes:
        return ElementFate.LINE
    if "hatnote" in classes and tag == "div":
        return ElementFate.LINE
    name = _SAME.get(tag, tag)
    return name if name in _KEPT else ElementFate.UNWRAP


def _is_dropped(tag: str, classes: set[str], attributes: Mapping[str, str]) -> bool:
    if tag == "img" or attributes.get("id") == "toc" or attributes.get("rel") == _BACK:
        return True
    if tag == "sup" and "Inline-Template" in classes:
        return False
    if tag == "figure" and "typeof" in attributes:
        return not _SHOWN_FIGURE.search(attributes["typeof"])
    return bool(classes & _DROPPED_CLASSES or _DISPLAY_NONE.search(attributes.get("style", "")))


def holds_numbers(html: str) -> bool:
    """Whether a third or more of the cells, as written here, are a number that is no link: of cities, one in three."""
    cells = [re.sub(r"<sup.*?</sup>", "", cell).strip() for cell in _CELL.findall(html)]
    said = [cell for cell in cells if re.sub(r"<[^>]*>", "", cell).strip()]
    numbers = sum(bool(_NUMBER.fullmatch(re.sub(r"</?[bi]>", "", cell).strip())) for cell in said)
    return numbers >= 3 and 3 * numbers >= len(said)


def class_of_line(attributes: Mapping[str, str]) -> str:
    """Of a line apart, in our rendering's words."""
    return "hatnote" if "hatnote" in attributes.get("class", "").split() else "caption"

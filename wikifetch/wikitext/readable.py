"""A block as a person reads it, with a list of what was left out. Pure."""

import re
from dataclasses import dataclass

from wikifetch.wikitext.captions import caption_of
from wikifetch.wikitext.limits import MAX_BLOCK_CHARS, too_hostile
from wikifetch.wikitext.plain import plain_text, tidy
from wikifetch.wikitext.plain_sink import ReadableSink, cells_apart
from wikifetch.wikitext.settled import settled
from wikifetch.wikitext.tree import walk

MAX_LISTED = 100
MAX_RAW = 200

_COMMENTS = re.compile(r"<!--.*?-->", re.DOTALL)
_GAP = re.compile(r"[ \t]+([.,;:!?)])(?=\s|$)")
_CAPTION_STYLE = re.compile(r"[^|\[\]{}]*=[^|\[\]{}]*\|(?!\|)")  # |+ style="…" | The caption
_FIELD = re.compile(r"\|?([^=]*)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class ReadableBlock:
    """`text`; `left_out` as (what it is, its wikitext, cut to 200 characters); whether it was read plainly."""

    text: str
    left_out: tuple[tuple[str, str], ...] = ()
    plain: bool = False


def readable(block: str, kind: str = "paragraph") -> ReadableBlock:
    """The words of a block; `kind` as in blocks. A block too hostile to parse is read plainly, and says so."""
    if too_hostile(block):
        return ReadableBlock(plain_text(block[:MAX_BLOCK_CHARS]), (), plain=True)
    label, wikitext = prepared(block, kind)
    words = ReadableSink()
    walk(wikitext, words)
    text = tidy(cells_apart("".join(words.parts)))
    if words.left_out:
        text = _GAP.sub(r"\1", text)
    listed = tuple((what, raw[:MAX_RAW]) for what, raw in words.left_out[:MAX_LISTED])
    return ReadableBlock(f"{label}: {text}" if label else text, listed)


def prepared(block: str, kind: str) -> tuple[str, str]:
    """A label to set before the text, and the wikitext that the tree parser reads rightly by itself.

    "table caption" and "value" are kinds of the articles' HTML alone; as a block, a caption is a row of its own.
    """
    if kind == "table caption":
        words = settled(block.strip().removeprefix("|+"))
        return "", _CAPTION_STYLE.sub("", words, count=1) if _CAPTION_STYLE.match(words) else words
    block = settled(block)
    if kind == "table row" and block[:3].lower() != "<tr":
        return "", f"{{|\n|-\n{block}\n|}}"
    if kind == "infobox field" and (field := _FIELD.match(block)):
        return field[1].strip(" |\n\t"), field[2].strip()
    if kind == "value":  # of a template, without a name
        return "", block.removeprefix("|")
    if kind == "list" and block[:8].lower() == "<gallery":
        return "", "\n\n".join(caption_of(line).wikitext for line in block.split("\n")[1:-1])
    if kind in {"gallery", "caption"}:
        return "", caption_of(block).wikitext
    if kind == "list item":
        return "", _COMMENTS.sub("", block).lstrip("*#:; ")
    if kind == "heading":
        return "", block.strip("= \t")
    return "", block

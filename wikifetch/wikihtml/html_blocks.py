"""An article as it was written from a wiki's HTML: its pieces and its blocks. Pure."""

import re
from dataclasses import dataclass, field
from html import unescape


@dataclass
class HtmlBlock:
    """A unit that a reader sees: text, item, row, cell (of an infobox), caption or heading.

    `at` is where it begins in the article's pieces, `level` a heading's on the wiki; `notes` are the ids of notes that
    it refers to, `name` its own id; `is_outermost`: in no other block.
    """

    kind: str
    at: int
    level: int = 0
    name: str = ""
    is_outermost: bool = True
    has_tag: bool = False
    parts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.parts)


@dataclass
class WrittenArticle:
    """The pieces of HTML, one for each start, end and text; and the blocks in their order."""

    pieces: list[str]
    blocks: list[HtmlBlock]

    def text_between(self, start: int, end: int) -> str:
        """The words of these pieces, without markup."""
        return unescape(re.sub(r"<[^>]*>", " ", "".join(self.pieces[start:end])))

    def marked(self, blocks: list[HtmlBlock]) -> str:
        """The HTML with the first of these blocks as id="tagged-block" and all as class="tagged"."""
        pieces = list(self.pieces)
        for n, block in enumerate(sorted(blocks, key=lambda marked: marked.at)):
            pieces[block.at] = _with_mark(pieces[block.at], is_first=n == 0)
        return "".join(pieces)


def _with_mark(start: str, *, is_first: bool) -> str:
    match = re.fullmatch(r'<(\w+)((?: (?:col|row)span="\d+")*)(?: class="([^"]*)")?>', start)
    assert match is not None
    classes = " ".join(filter(None, [match[3], "tagged"]))
    identity = ' id="tagged-block"' if is_first else ""
    return f'<{match[1]}{identity} class="{classes}"{match[2]}>'

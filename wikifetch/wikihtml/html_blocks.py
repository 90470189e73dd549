"""An article as it was written from a wiki's HTML: its pieces and its blocks. Pure."""

import re
from dataclasses import dataclass, field
from html import unescape


@dataclass
class HtmlBlock:
    """A unit that a reader sees: text, item, note, row, cell (of an infobox), caption or heading.

    [at, end) are its pieces of the article, `level` a heading's on the wiki; `is_outermost`: in no other block. `tags`
    says where those that are in its text begin.
    """

    kind: str
    at: int
    end: int = 0
    level: int = 0
    is_outermost: bool = True
    tags: list[int] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.parts)

    @property
    def has_tag(self) -> bool:
        return bool(self.tags)


@dataclass
class WrittenArticle:
    """The pieces of HTML, one for each start, end and text; the blocks in their order, and where tags begin.

    `made` says where what a template made begins, and the data-mw of that, which Parsoid gives and action=parse not.
    """

    pieces: list[str]
    blocks: list[HtmlBlock]
    tags: list[int]
    made: list[tuple[int, str]]

    def is_banner(self, tag: int) -> bool:
        """Whether the tag that begins at this piece is a line of its own."""
        return self.pieces[tag].startswith("<p")

    def text_between(self, start: int, end: int) -> str:
        """The words of these pieces, without markup."""
        return unescape(re.sub(r"<[^>]*>", " ", "".join(self.pieces[start:end])))

    def marked(self, blocks: list[HtmlBlock], tag: int | None = None) -> str:
        """The HTML with the first of these blocks as id="tagged-block", all as class="tagged", and the open tag."""
        pieces = list(self.pieces)
        for n, block in enumerate(sorted(blocks, key=lambda marked: marked.at)):
            pieces[block.at] = _with_mark(pieces[block.at], is_first=n == 0)
        if tag is not None:
            current = 'class="wiki-tag" aria-current="true"'
            pieces[tag] = pieces[tag].replace('class="wiki-tag"', current)
        return "".join(pieces)


def _with_mark(start: str, *, is_first: bool) -> str:
    match = re.fullmatch(r'<(\w+)((?: (?:col|row)span="\d+")*)(?: class="([^"]*)")?>', start)
    assert match is not None
    classes = " ".join(filter(None, [match[3], "tagged"]))
    identity = ' id="tagged-block"' if is_first else ""
    return f'<{match[1]}{identity} class="{classes}"{match[2]}>'

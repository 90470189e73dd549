"""What a line is, and which lines are one paragraph. Pure."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from wikifetch.wikitext.languages import spoken
from wikifetch.wikitext.layout import MAX_ASIDE, Layout, WikitextBlock
from wikifetch.wikitext.limits import MAX_BLOCK_CHARS
from wikifetch.wikitext.positions.spans import Span, Spans
from wikifetch.wikitext.sections import heading_at
from wikifetch.wikitext.tag_names import FILL

_LINK_ENDS = re.compile(r"\[\[|\]\]")
_IN_TERM = re.compile(
    r":|<(/?)\w[^<>]*?(/?)>|\[?\b[a-z]{3,6}://[^\s\[\]]*[^\s\[\].:]", re.IGNORECASE
)
_MOST_LINES = 1_000  # of a paragraph, above the tag and below


def line_kind(layout: Layout, line: Span, position: int) -> str:
    """That of the block which a line is; "" of one of a paragraph."""
    text = layout.line_text(line)
    if text[:1] in {"*", "#", ":", ";"}:
        return "list item"
    if layout.galleries.over(position, position + 1):
        return "gallery"
    if has_only_files(layout.links[slice(*line)]):
        return "caption"
    if text[:1] == "=" and heading_at(layout.headings, position):
        return "heading"
    return ""


def has_only_files(line: str) -> bool:
    """Whether links to files are all that is on a line; the words next to one are a paragraph's."""
    depth = end = 0
    for mark in _LINK_ENDS.finditer(line):
        if mark.group() == "[[":
            if depth == 0 and (
                line[end : mark.start()].strip(f" \t]{FILL}")
                or not spoken().file_link.match(line, mark.start())
            ):
                return False
            depth += 1
        elif depth:
            depth, end = depth - 1, mark.end()
    return end > 0 == depth and not line[end:].strip(f" \t]{FILL}")


def file_link(layout: Layout, line: Span, span: Span) -> Span | None:
    """The innermost link to a file on these lines that holds the span: its caption is the unit."""
    first, last = max(line[0], span[0] - MAX_ASIDE), min(line[1], span[1] + MAX_ASIDE)
    if not spoken().file_link.search(layout.links, first, span[0]):
        return None
    opened: list[int] = []
    for mark in _LINK_ENDS.finditer(layout.links, first, last):
        if mark.group() == "[[":
            opened.append(mark.start())
        elif opened:
            begin = opened.pop()
            if (
                begin <= span[0]
                and mark.end() >= span[1]
                and spoken().file_link.match(layout.links, begin)
            ):
                # Of three brackets the first ends a link to another page in the caption.
                inner = layout.masked[begin + 2 : mark.start()]
                return begin, mark.end() + (
                    layout.masked.startswith("]", mark.end()) and "[" in inner
                )
    return None


@dataclass(frozen=True)
class LinesAround:
    """The lines of a tag, which is in the template `within`, or in none that holds lines of its own."""

    layout: Layout
    tag: Span
    within: Span | None

    def item(self, line: Span) -> Span:
        """Of a line that is a term and its definition, the one that holds the tag."""
        marks = re.match(f"{FILL}*[*#:;]*", self.layout.masked[slice(*line)])
        if not marks or not marks.group().endswith(";"):
            return line
        depth = 0
        for mark in _IN_TERM.finditer(self.layout.masked, line[0] + marks.end(), line[1]):
            if not self._is_beside(mark.start()):
                continue
            if mark.group() != ":":
                depth += 0 if mark[1] is None or mark[2] else -1 if mark[1] else 1
            elif depth <= 0:
                before = mark.start() < self.tag[0]
                return (mark.end(), line[1]) if before else (line[0], mark.start())
        return line

    def between_elements(self, span: Span) -> Span:
        """Of a text the part that holds the tag, between the elements that have lines of their own."""
        begin, close = span
        for mark in self._block_tags(span):
            if mark[1] <= self.tag[0]:
                begin = mark[1]
            elif mark[0] >= self.tag[1]:
                close = mark[0]
                break
        return begin, close

    def paragraph(self, holder: WikitextBlock, line: Span) -> Span:
        """The lines next to the tag's that are one paragraph with it, and are in its holder."""
        start, end = line
        standing = self.layout.standing_templates
        apart = Spans([t for t in standing if t[1] <= start or t[0] >= end])
        looks = self._looks(self.layout.line(*self.tag, self.within))
        first = max(holder.start, line[0] - MAX_BLOCK_CHARS)
        last = min(holder.end, line[1] + MAX_BLOCK_CHARS)
        for _ in range(_MOST_LINES):
            above = self._continues(start - 1, looks, apart, holder) if start > first else None
            if not above:
                break
            start = above[0]
        for _ in range(_MOST_LINES):
            below = self._continues(end + 1, looks, apart, holder) if end < last else None
            if not below:
                break
            end = below[1]
        return self.between_elements((start, end))

    def _looks(self, line: Span) -> str:
        """Lines of one paragraph look alike: with elements that have lines of their own, preformatted, or neither."""
        if next(self._block_tags(line), None) or self.layout.thumbnails.over(*line):
            return "elements"
        text = self.layout.line_text(line)
        return "preformatted" if text[:1] == " " and text.strip() else ""

    def _block_tags(self, span: Span) -> Iterator[Span]:
        first = bisect_left(self.layout.block_tags, (span[0], 0))
        for mark in islice(self.layout.block_tags, first, None):
            if mark[0] >= span[1]:
                break
            if self._is_beside(mark[0]):
                yield mark

    def _is_beside(self, position: int) -> bool:
        """Whether it is in no template, note or link, but for those around the lines."""
        around = self.layout.nesting.over(position)
        within = self.within
        return not around or bool(within and around[0] <= within[0] and within[1] <= around[1])

    def _continues(
        self, position: int, looks: str, apart: Spans, holder: WikitextBlock
    ) -> Span | None:
        """The line at a position, if it belongs to the paragraph next to it."""
        whole = self.layout.line(position, position, self.within)
        line = max(whole[0], holder.start), min(whole[1], holder.end)
        text = self.layout.masked[slice(*line)]
        if not text.strip() or text[:2] in {"{|", "|}", "|-", "|+"}:
            return None
        if self.layout.lone_facts.over(*line) == line:
            return None
        if line_kind(self.layout, line, line[0]) or apart.over(*line):
            return None
        return line if self._looks(whole) == looks else None

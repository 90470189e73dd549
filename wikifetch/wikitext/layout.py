"""What is where in a page's wikitext: templates, notes, headings, tables, lines. Pure."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, pairwise

from wikifetch.wikitext.captions import is_framed
from wikifetch.wikitext.languages import spoken
from wikifetch.wikitext.limits import MAX_BLOCK_CHARS
from wikifetch.wikitext.positions.braces import Braces, match_braces
from wikifetch.wikitext.positions.html_units import HtmlUnit, html_units
from wikifetch.wikitext.positions.spans import Nesting, Span, Spans, outermost
from wikifetch.wikitext.positions.table_rows import Tables, find_tables
from wikifetch.wikitext.positions.unread import masked, reading_of
from wikifetch.wikitext.sections import Heading, headings
from wikifetch.wikitext.tag_names import FILL
from wikifetch.wikitext.templates.words import is_inline, may_state_facts

_COMMENTS = re.compile(
    r"(?:<!--.*?-->|<includeonly>.*?</includeonly>|</?(?:noinclude|onlyinclude)>)+", re.DOTALL
)
_BRACKETS = re.compile(r"\[\[|\]\]")
_LINK = re.compile(r"\[\[[^\n\[\]{}|]+\|")
_GALLERY = re.compile(r"<gallery\b[^<>]*>|</gallery\s*>", re.IGNORECASE)
NAMED = re.compile(rf"\|?[\s{FILL}]*+([^\s=|{{}}\[\]][^=|{{}}\[\]]*+)=")
# Where one of these begins or ends, a paragraph does.
_BLOCK_TAG = re.compile(
    r"</?(?:table|caption|t[rdh]|h[1-6r]|pre|p|[uo]l|d[dlt]|li|center|blockquote|div|figure)(?=[\s/>])[^<>]*>"
    r"|<references\b[^<>]*/>|^-{4,}",
    re.IGNORECASE | re.MULTILINE,
)
_MAX_BLANKS = 10_000
_LONGEST_NAME = 1_000  # with comments in it
_MOST_BRACKETS = 20_000
_MAX_TEMPLATE = 4 * MAX_BLOCK_CHARS
MAX_ASIDE = 20_000  # characters of a note over several lines, or of a link to a file


@dataclass(frozen=True)
class WikitextBlock:
    kind: str
    start: int
    end: int


class Layout:
    """A page's wikitext with what is where in it, each computed once and only when asked for."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        reading = reading_of(raw)
        self.masked = masked(raw, reading.unread)
        self._apart = reading.apart
        self.preformatted = Spans(reading.preformatted)
        self._begins: dict[tuple[int, int], list[int]] = {}
        self._whole: dict[Span | None, Spans] = {}

    @cached_property
    def braces(self) -> Braces:
        return match_braces(self.masked, [span for _, span in self._apart])

    def parameter_around(self, template: tuple[int, int], position: int) -> tuple[int, int]:
        """Offsets of the parameter of a template that holds `position`, or of its name."""
        if template not in self._begins:
            self._begins[template] = [begin for begin, _ in self.parameters(template)]
        begins = self._begins[template]
        at = bisect_right(begins, position) - 1
        return begins[at], begins[at + 1] if at + 1 < len(begins) else template[1] - 2

    def parameters(self, template: Span) -> list[Span]:
        """Offsets of a template's name and of each parameter, from its bar to before the next."""
        bars = re.finditer(r"\|", self.masked[template[0] : template[1] - 2])
        places = (template[0] + bar.start() for bar in bars)
        begins = [place for place in places if self.nesting.innermost(place) == template]
        return list(pairwise([template[0] + 2, *begins, template[1] - 2]))

    @cached_property
    def headings(self) -> list[Heading]:
        # One over lines in a template, note or link is that of no line.
        parts: list[str] = []
        kept = 0
        for start, end in self.long.directly_in(None):
            parts += (self.masked[kept:start], self.masked[start:end].replace("\n", FILL))
            kept = end
        every = headings("".join((*parts, self.masked[kept:])), self.raw)
        return [heading for heading in every if not self.long.innermost(heading.start)]

    @cached_property
    def tables(self) -> Tables:
        starts = [heading.start for heading in self.headings]
        return find_tables(self.masked, starts, self.long.innermost)

    @cached_property
    def html_units(self) -> list[HtmlUnit]:
        return html_units(self.masked)

    @cached_property
    def notes(self) -> Spans:
        return outermost(span for name, span in self._apart if name in {"ref", "references"})

    def note_around(self, tag: Span) -> Span | None:
        """The innermost note that holds a tag."""
        refs = (span for name, span in self._apart if name == "ref")
        return next((ref for ref in refs if ref[0] < tag[0] and tag[1] < ref[1]), None)

    @cached_property
    def nesting(self) -> Nesting:
        """Templates, links, and what is read by itself."""
        braces = self.braces
        apart = (span for _, span in self._apart)
        spans = (braces.templates, braces.links, braces.others, braces.unnamed)
        return Nesting(chain(apart, *spans))

    @cached_property
    def links(self) -> str:
        """The text without the brackets in templates that are those of no link."""
        own = {at for start, end in self.braces.links for at in (start, end - 2)}
        marks = (mark.span() for mark in _BRACKETS.finditer(self.masked) if mark.start() not in own)
        around = ((mark, self.nesting.innermost(mark[0])) for mark in marks)
        return masked(self.masked, [m for m, t in around if t and self.masked[t[0]] == "{"])

    @cached_property
    def block_tags(self) -> list[Span]:
        """Beginnings and ends of elements that have lines of their own; those that are read by themselves whole."""
        marks = (mark.span() for mark in _BLOCK_TAG.finditer(self.masked))
        whole = (span for name, span in self._apart if name in {"references", "gallery"})
        return sorted([*marks, *self.preformatted, *whole])

    @cached_property
    def thumbnails(self) -> Spans:
        """Links to files that are shown beside the text."""
        return outermost(sorted(self._thumbnails()))

    def _thumbnails(self) -> Iterator[Span]:
        opened: list[int] = []
        for mark in islice(_BRACKETS.finditer(self.links), _MOST_BRACKETS):
            if mark.group() == "[[":
                opened.append(mark.start())
            elif opened:
                span = opened.pop(), mark.end()
                if spoken().file_link.match(self.links, span[0]) and is_framed(
                    self.raw[slice(*span)]
                ):
                    yield span

    @cached_property
    def long(self) -> Nesting:
        """Templates, notes and links over several lines."""
        sized = chain(
            ((span, MAX_ASIDE) for span in self.notes),
            ((span, MAX_ASIDE) for span in self.braces.links if self._is_link(span)),
            ((span, _MAX_TEMPLATE) for span in self.braces.templates),
            ((span, MAX_ASIDE) for span in self.braces.others),
        )
        newlines = [match.start() for match in re.finditer("\n", self.masked)]
        return Nesting(
            span
            for span, most in sized
            if span[1] - span[0] <= most
            and bisect_left(newlines, span[0]) < bisect_left(newlines, span[1])
        )

    def _is_link(self, brackets: Span) -> bool:
        """Whether there is a label, and no link in it, but for a file's."""
        start, end = brackets
        return bool(_LINK.match(self.masked, start, end)) and (
            self.masked.find("[[", start + 2, end) < 0
            or bool(spoken().file_link.match(self.masked, start))
        )

    def whole_in(self, within: Span | None) -> Spans:
        """Of the long ones directly in one, or of all: from the first to the last on a line."""
        if within not in self._whole:
            joined: list[Span] = []
            for span in self.long.directly_in(within):
                if joined and self.masked.find("\n", joined[-1][1], span[0]) < 0:
                    joined[-1] = (joined[-1][0], span[1])
                else:
                    joined.append(span)
            self._whole[within] = Spans(joined)
        return self._whole[within]

    @cached_property
    def standing_templates(self) -> Spans:
        """The outermost over several lines that begin one and are part of no sentence: infoboxes, quotations, …"""
        return Spans([span for span in self.long.directly_in(None) if self.stands(span)])

    @cached_property
    def lone_facts(self) -> Spans:
        """Unknown templates that are one line."""
        masked = f"\n{self.masked}\n"
        lines = (t for t in self.braces.templates if masked[t[0]] == "\n" == masked[t[1] + 1])
        return Spans(sorted(t for t in lines if may_state_facts(self.name(t))))

    def line_text(self, line: Span) -> str:
        """A line without comments at its beginning: they hide no mark of a list, and no blank."""
        begin = _COMMENTS.match(self.raw, *line)
        return self.masked[begin.end() if begin else line[0] : line[1]]

    def stands(self, span: Span) -> bool:
        line = self.masked.rfind("\n", 0, span[0]) + 1
        begins = not self.masked[max(line, span[0] - _MAX_BLANKS) : span[0]].strip(FILL)
        return begins and self.masked.startswith("{{", span[0]) and not is_inline(self.name(span))

    def name(self, template: Span) -> str:
        """Its name, or what of it is no longer than one can be."""
        begin, end = template[0] + 2, template[1] - 2
        name = self.masked[begin : min(end, begin + _LONGEST_NAME)].partition("|")[0]
        return name.strip(f" \n\t{FILL}")

    @cached_property
    def galleries(self) -> Spans:
        marks = [(m.span(), m.group()[1] != "/") for m in _GALLERY.finditer(self.masked)]
        return Spans(
            [(a[0], b[1]) for (a, opens), (b, again) in pairwise(marks) if opens and not again]
        )

    def line(self, start: int, end: int, within: Span | None = None) -> Span:
        """The lines that a span is on, without the last newline.

        A newline ends none in a template, note or link that is in `within`, one over several lines, or in none.
        """
        whole = self.whole_in(within)
        begin, close = self.masked.rfind("\n", 0, start), self.masked.find("\n", end)
        while begin >= 0 and (span := whole.over(begin, begin)):
            begin = self.masked.rfind("\n", 0, span[0])
        while close >= 0 and (span := whole.over(close, close)):
            close = self.masked.find("\n", span[1])
        return begin + 1, len(self.masked) if close < 0 else close


def value_begin(masked: str, parameter: Span) -> int:
    """Where a template's parameter has its value: after its bar, or its name."""
    named = NAMED.match(masked, *parameter)
    return named.end() if named else parameter[0] + 1

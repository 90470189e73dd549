"""Finding the inconsistency tags of a page. Pure.

A regular expression with whole names over the raw text says where tags may be. The tree parser reads only the tag and
its block: many times faster than parsing the page, with the same tags found.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date as Date
from functools import cached_property

from wikifetch.wikitext.blocks import banner_block, inline_block
from wikifetch.wikitext.languages import speaking
from wikifetch.wikitext.layout import Layout, WikitextBlock
from wikifetch.wikitext.limits import MAX_PAGE_BYTES, MAX_TAGS_A_PAGE, too_long
from wikifetch.wikitext.parameters import TagFields, month_of, read_tag
from wikifetch.wikitext.passages import Passages
from wikifetch.wikitext.positions.spans import outermost
from wikifetch.wikitext.readable import ReadableBlock, readable
from wikifetch.wikitext.sections import path_to
from wikifetch.wikitext.tag_names import (
    HOLDERS,
    INCONSISTENT,
    KNOWN_NAMES,
    TagNames,
    fold,
    undirected,
)

_MAX_PROBLEMS = 20


@dataclass(frozen=True)
class TagSeen:
    """A tag in a page's wikitext.

    `position` is its offset in characters; `raw` its wikitext with braces; `section` the headings above it, outermost
    first; `scope` "section" or "lead" for a banner, None for an inline tag; `block_kind` the kind of unit (see blocks);
    `block` the wikitext of the smallest unit that holds it, `block_clean` that without any copy of `raw`. `passage` is
    what the tag speaks of (see passages), and `passage_clean` its wikitext without any copy of `raw`. `date`,
    `reason` and `other_article` (several titles have bars between them) are "" if the tag has none; `month` is the one
    that `date` names.
    """

    kind: str
    name: str
    raw: str
    position: int
    params: tuple[tuple[str, str], ...]
    date: str
    reason: str
    other_article: str
    section: tuple[str, ...]
    scope: str | None
    block_kind: str
    block: str
    block_start: int
    block_clean: str
    month: Date | None
    passage: WikitextBlock
    passage_clean: str

    @property
    def has_passage(self) -> bool:
        """Whether the passage is not the block."""
        return (self.passage.start, self.passage_clean) != (self.block_start, self.block_clean)

    @cached_property
    def words(self) -> ReadableBlock:
        """Those of the passage. Read when they are first asked for: walking through a history takes none."""
        return readable(self.passage_clean, self.passage.kind)


@dataclass(frozen=True)
class PageReading:
    """The tags of a page in the order of their positions, and sentences on what could not be read."""

    tags: tuple[TagSeen, ...] = ()
    problems: tuple[str, ...] = ()
    set_aside: str = ""

    def words(self) -> list[ReadableBlock]:
        """The words of each tag's block, which take most of the time; they are kept."""
        return [tag.words for tag in self.tags]


def find_tags(wikitext: str, names: TagNames = KNOWN_NAMES) -> PageReading:
    """Every inconsistency tag of a page. Never raises: what cannot be read is listed in the result."""
    if too_long(wikitext):
        return PageReading(
            set_aside=f"The page is over {MAX_PAGE_BYTES // 2**20} MiB and was not read."
        )
    if not names.hint_pattern.search(wikitext):
        return PageReading()
    with speaking(names.words):
        return _found(wikitext, names)


def _found(wikitext: str, names: TagNames) -> PageReading:
    layout = Layout(wikitext)
    places = sorted(_places(layout, names), key=lambda place: place.start)
    problems = _unclosed(layout, names)
    if len(places) > MAX_TAGS_A_PAGE:
        problems.append(
            f"The page has {len(places)} tags; only the first {MAX_TAGS_A_PAGE} were read."
        )
    passages = Passages(layout, names)
    tags = tuple(_seen(layout, place, passages) for place in places[:MAX_TAGS_A_PAGE])
    return PageReading(tags, tuple(problems))


@dataclass(frozen=True)
class _Place:
    """Where a tag is, not read yet; `value` is that of a parameter named as a tag."""

    start: int
    end: int
    name: str
    kind: str
    among_banners: bool = False
    value: str | None = None

    def fields(self, raw: str) -> TagFields:
        if self.value is None:
            return read_tag(raw, self.kind)
        return TagFields(((self.name, self.value),), self.value.strip(), "", "", self.kind)


def _places(layout: Layout, names: TagNames) -> Iterator[_Place]:
    named = []
    for start, end in layout.braces.templates:
        if match := names.name_pattern.match(layout.masked, start + 2):
            named.append((start, end, " ".join(match["name"].split())))
    holders = sorted((start, end) for start, end, name in named if fold(name) in HOLDERS)
    outer = outermost(holders)
    for start, end, name in named:
        if kind := names.kind_of(name):
            # An inline tag there speaks as the banners around it do, of the section or the lead.
            around = outer.over(start, start)
            yield _Place(start, end, undirected(name).strip(), kind, around is not None)
    # One in another is none of its parameters: a tag named there is written as a template.
    for holder in outer:
        yield from _old_parameters(layout, holder, names)


def _old_parameters(layout: Layout, holder: tuple[int, int], names: TagNames) -> Iterator[_Place]:
    """{{Article issues|contradict=May 2009}}: a parameter named as a tag, whose value is its date."""
    for start, end in layout.parameters(holder)[1:]:
        raw = layout.raw[start:end].rstrip()
        name, equals, value = raw.removeprefix("|").partition("=")
        kind = names.kind_of(name) if equals and "{" not in name else None
        if kind and value.strip():
            yield _Place(start, start + len(raw), name.strip(), kind, value=value)


def _seen(layout: Layout, place: _Place, passages: Passages) -> TagSeen:
    raw = layout.raw[place.start : place.end]
    fields = place.fields(raw)
    inline = place.kind == INCONSISTENT and raw.startswith("{{") and not place.among_banners
    span = (place.start, place.end)
    block = inline_block(layout, *span) if inline else banner_block(layout, place.start)
    passage = passages.of(block, span) if inline else block
    text = layout.raw[block.start : block.end]
    clean = text.replace(raw, "")
    passage_text = layout.raw[passage.start : passage.end]
    return TagSeen(
        kind=fields.kind,
        name=place.name,
        raw=raw,
        position=place.start,
        params=fields.params,
        date=fields.date,
        reason=fields.reason,
        other_article=fields.other_article,
        section=tuple(heading.text for heading in path_to(layout.headings, place.start)),
        scope=None if inline else block.kind,
        block_kind=block.kind,
        block=text,
        block_start=block.start,
        block_clean=clean,
        month=month_of(fields.date),
        passage=passage,
        passage_clean=clean if passage_text == text else passage_text.replace(raw, ""),
    )


def _unclosed(layout: Layout, names: TagNames) -> list[str]:
    """Tags whose braces are never closed: the wiki shows them as text, so they are problems."""
    problems = []
    for run, end in sorted(layout.braces.unclosed):
        start = end - 2
        match = layout.masked[run] == "{" and names.name_pattern.match(layout.masked, end)
        if match and names.kind_of(match["name"]):
            # Its name alone: the wiki may hide the rest one day, and this sentence would still quote it.
            name = " ".join(match["name"].split())
            problems.append(f"A tag at character {start} has no closing braces: {{{{{name}…")
    return problems[:_MAX_PROBLEMS]

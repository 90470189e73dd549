"""Which edit introduced a tag. Pure.

Walks back from the newest revision. Identity reverts (two revisions with the same text, and all between them) are
dropped first, so that vandalism and its repair introduce nothing. Texts are read one at a time and not kept, and one
copy of a tag's block serves all revisions that have it: a history of any usual length fits in memory.
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise, repeat
from operator import itemgetter
from typing import Protocol, TypeVar

from wikifetch.history.pages_seen import PageSeen, RevisionSeen
from wikifetch.history.tag_identity import TagPlace, likeness, place_of, same_tags, word_counts
from wikifetch.wikitext import KNOWN_NAMES, PageReading, TagNames, TagSeen, find_tags
from wikifetch.wikitext.blocks import banner_block
from wikifetch.wikitext.languages import speaking
from wikifetch.wikitext.layout import Layout
from wikifetch.wikitext.sections import paths

_LIKE_ENOUGH = 0.4


@dataclass(frozen=True)
class Introduction:
    """The edit that added a tag: the revision (without its text), the tag and its block then, and that block before.

    `parent_revid` is the revision with the block before; None if there is none.
    """

    revision: RevisionSeen
    raw: str
    block: str
    parent_block: str
    parent_revid: int | None


@dataclass(frozen=True)
class PageHistory:
    """The newest revision that has a text, what was read in it, and the edit that added each of its tags."""

    newest: RevisionSeen | None = None
    reading: PageReading = field(default_factory=PageReading)
    introductions: tuple[Introduction | None, ...] = ()
    problem: str = ""

    def introduced_tags(self) -> Iterator[tuple[TagSeen, Introduction | None]]:
        """Each tag of the newest revision with the edit that added it; None where that is not known."""
        return zip(self.reading.tags, chain(self.introductions, repeat(None)), strict=False)


PageRead = tuple[PageSeen, PageHistory]


@dataclass(frozen=True)
class _Entry:
    """A revision without its text: its tags' places, and the parents' blocks of new ones.

    `same` says which they are of those of the text that was read before, whose hash is `sha1_before`.
    """

    revision: RevisionSeen
    sha1: str
    places: tuple[TagPlace, ...]
    parent_blocks: dict[int, tuple[str, int]]
    same: dict[int, int]
    sha1_before: str


class HasSha1(Protocol):
    """Anything that represents a revision and has the hash of its text."""

    @property
    def sha1(self) -> str: ...


R = TypeVar("R", bound=HasSha1)


def read_history(
    revisions: Iterable[RevisionSeen], names: TagNames = KNOWN_NAMES, *, whole: bool = False
) -> PageHistory:
    """Read a page's revisions, oldest first. Those without a text are passed over; a last one without is a problem.

    `whole`: no older ones exist; otherwise the origin of a lone revision's tags is not known.
    """
    problem = "The page has no revision."
    newest, newest_reading = None, PageReading()
    entries: list[_Entry] = []
    for revision in revisions:
        problem = revision.no_text
        if revision.text is None:
            continue
        reading = find_tags(revision.text, names)
        entries.append(_entry(revision, reading, newest, entries[-1] if entries else None))
        if newest is None or _age(revision) >= _age(newest):
            newest, newest_reading = revision, reading
    entries.sort(key=lambda entry: _age(entry.revision))
    added = introductions(entries, whole=whole) if entries else ()
    return PageHistory(newest, newest_reading, added, problem)


def history_of(revisions: Iterable[RevisionSeen], names: TagNames) -> PageHistory:
    """A page's history with the words of its tags' blocks: they take long, and no transaction is to wait for them."""
    history = read_history(revisions, names)
    with speaking(names.words):
        history.reading.words()
    return history


def _age(revision: RevisionSeen) -> tuple[float, int]:
    """Older sorts first; exports may list the newest first."""
    return (revision.timestamp.timestamp() if revision.timestamp else 0.0, revision.revid)


def introductions(
    entries: Sequence[_Entry], *, whole: bool = False
) -> tuple[Introduction | None, ...]:
    """For each tag of the last entry, the edit that added it; None where the history begins later."""
    kept = without_reverts(entries)
    visible = {entry.revision.revid for entry in entries}
    added: list[Introduction | None] = [None] * len(kept[0].places)
    followed = {index: index for index in range(len(added))}  # tag of the newest -> its index here
    for entry, older in pairwise(kept):
        if not followed:
            break
        # A history that is not in order has no text left to look at.
        is_before = older.sha1 == entry.sha1_before
        same = entry.same if is_before else same_tags(older.places, entry.places)
        for tag in [tag for tag, here in followed.items() if here not in same]:
            added[tag] = _introduced(entry, followed.pop(tag), visible)
        followed = {tag: same[here] for tag, here in followed.items()}
    if not kept[-1].revision.parent_revid:
        # The page's first edit, if the source says so by a history; a lone revision says nothing.
        for tag, here in followed.items() if whole or len(entries) > 1 else ():
            added[tag] = _introduced(kept[-1], here, visible)
    return tuple(added)


def without_reverts(entries: Sequence[R]) -> list[R]:
    """Of revisions, oldest first, those that count, newest first: of a reverted stretch only the oldest."""
    earliest: dict[str, int] = {}
    for index, entry in enumerate(entries):
        earliest.setdefault(entry.sha1, index)
    kept, index = [], len(entries) - 1
    while index >= 0:
        index = earliest[entries[index].sha1]
        kept.append(entries[index])
        index -= 1
    return kept


def follows_a_hidden_one(revision: RevisionSeen, visible: Container[int]) -> bool:
    """Whether the edit before this one is hidden: what is new here may be its editor's."""
    return bool(revision.parent_revid) and revision.parent_revid not in visible


def _introduced(entry: _Entry, index: int, visible: Container[int]) -> Introduction | None:
    if follows_a_hidden_one(entry.revision, visible):
        return None
    before = entry.parent_blocks.get(index, ("", None))
    place = entry.places[index]
    return Introduction(entry.revision, place.raw, place.block, *before)


def _entry(
    revision: RevisionSeen,
    reading: PageReading,
    before: RevisionSeen | None,
    previous: _Entry | None,
) -> _Entry:
    places = tuple(place_of(tag) for tag in reading.tags)
    known = same_tags(previous.places, places, revision.text or "") if previous else {}
    parents = {}
    if before is not None and _age(before) < _age(revision):
        earlier = Earlier(before.text or "")
        parents = {
            index: (earlier.block_of(tag), before.revid)
            for index, tag in enumerate(reading.tags)
            if index not in known
        }
    if previous is not None:
        places = _shared(previous.places, places, known)
    # No search goes beyond a text without tags, so what it equals is never asked.
    sha1 = revision.sha1 if places else ""
    before_this = previous.sha1 if previous else ""
    return _Entry(replace(revision, text=None), sha1, places, parents, known, before_this)


def _shared(
    before: Sequence[TagPlace], now: Sequence[TagPlace], known: Mapping[int, int]
) -> tuple[TagPlace, ...]:
    """What is now, with the objects of before where they are equal: thousands of revisions keep one copy of a block."""
    return tuple(
        before[known[index]] if index in known and before[known[index]] == item else item
        for index, item in enumerate(now)
    )


class Earlier:
    """The text before an edit; what is computed from it serves all tags that the edit added."""

    def __init__(self, text: str) -> None:
        self._text = text

    def block_of(self, tag: TagSeen) -> str:
        """The unit that became the block of `tag`; "" where nothing here is like it."""
        if tag.block_clean in self._text:
            return tag.block_clean
        if tag.scope:
            return self._same_section(tag.section)
        wanted = word_counts(tag.block_clean)
        alike = [(likeness(words, wanted), unit) for unit, words in self._units]
        score, best = max(alike, key=itemgetter(0), default=(0.0, ""))
        return best.strip() if score >= _LIKE_ENOUGH else ""

    @cached_property
    def _units(self) -> list[tuple[str, Counter[str]]]:
        units = (unit for unit in self._text.split("\n\n") if unit.strip())
        return [(unit, word_counts(unit)) for unit in units]

    @cached_property
    def _layout(self) -> Layout:
        return Layout(self._text)

    def _same_section(self, section: tuple[str, ...]) -> str:
        """The section under the same headings, or the lead."""
        layout = self._layout
        for path in paths(layout.headings):
            if tuple(heading.text for heading in path) == section:
                block = banner_block(layout, path[-1].start)
                return layout.raw[block.start : block.end]
        if section:
            return ""
        end = layout.headings[0].start if layout.headings else len(layout.raw)
        return layout.raw[:end].strip()

"""Which edit introduced the tags of a page whose history must be asked for. Pure: the asking is a parameter.

For most tags the newest revisions are enough, in one request. For the others the whole list of revisions is asked
for, without texts; reverts are dropped from it, and the texts of a few at a time narrow the place down, those
around the month that the tag's date names first. A history of 3,000 revisions takes about ten requests.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Protocol

from wikifetch.history.identity import Place, place_of, same_tags
from wikifetch.history.introductions import (
    Earlier,
    Introduction,
    PageHistory,
    follows_a_hidden_one,
    read_history,
    without_reverts,
)
from wikifetch.history.revisions import RevisionSeen
from wikifetch.wikitext import KNOWN_NAMES, Reading, TagNames, find_tags
from wikifetch.wikitext.parameters import month_of

PROBES = 12  # texts asked for at once
PROBED_BYTES = 4_000_000  # a wiki cuts answers of about 8 MB


@dataclass(frozen=True)
class Outline:
    """A revision without its text: `size` in bytes, `sha1` of the text as the wiki gives it."""

    revid: int
    timestamp: datetime | None
    sha1: str
    size: int


@dataclass(frozen=True)
class Outlines:
    """The revisions whose text can be had, oldest first; `whole` if they reach back to the first."""

    revisions: tuple[Outline, ...]
    whole: bool


class Histories(Protocol):
    """The histories of pages up to a revision, as a wiki gives them."""

    def newest_revisions(self, pageid: int, revid: int) -> tuple[list[RevisionSeen], bool]:
        """The newest revisions with their texts, newest first, and whether there are no others."""

    def outlines(self, pageid: int, revid: int) -> Outlines:
        """All of them, without texts."""

    def texts(self, revids: Sequence[int]) -> dict[int, RevisionSeen]:
        """Some of them with their texts; those that the wiki hides are left out."""


def trace(
    histories: Histories, pageid: int, revid: int, names: TagNames = KNOWN_NAMES
) -> PageHistory:
    """The page's revision read, with the edit that added each of its tags; None where that is not known."""
    revisions, whole = histories.newest_revisions(pageid, revid)
    page = read_history(reversed(revisions), names, whole=whole)
    if whole or None not in page.introductions:
        return page
    search = _Search(histories, histories.outlines(pageid, revid), names)
    introductions = (
        known or search.introduction(index) for index, known in enumerate(page.introductions)
    )
    return replace(page, introductions=tuple(introductions))


class _Search:
    """Narrowing down, over the list of a page's revisions, where a tag first occurs."""

    def __init__(self, histories: Histories, outlines: Outlines, names: TagNames) -> None:
        self._histories, self._names = histories, names
        self._whole = outlines.whole
        self._visible = {outline.revid for outline in outlines.revisions}
        self._kept = without_reverts(outlines.revisions)  # newest first
        self._seen: dict[int, tuple[RevisionSeen, Reading]] = {}

    def introduction(self, index: int) -> Introduction | None:
        """Of the tag at this place in the newest revision's reading."""
        try:
            self._read([0])
            tag = self._reading(0).tags[index]
            at, here = self._oldest_with(index, month_of(tag.date))
            if at == len(self._kept) - 1 and not self._whole:
                return None
            return self._introduced(at, here)
        except LookupError:  # a text that the list promised is missing
            return None

    def _oldest_with(self, tag: int, month: date | None) -> tuple[int, int]:
        """Where in the list the oldest revision with the tag is, and the tag's place in its reading."""
        present, here, absent = 0, tag, len(self._kept)
        hints = self._around(month)
        while absent - present > 1:
            probes = self._probes(present, absent, hints)
            self._read(probes)
            hints = []
            for at in probes:
                same = same_tags(self._places(at), self._places(present))
                if here not in same:
                    absent = at
                    break
                present, here = at, same[here]
        return present, here

    def _around(self, month: date | None) -> list[int]:
        """The revisions at the two edges of a month: the tag should be in the one and not in the other."""
        if month is None:
            return []
        after = (month.year + month.month // 12, month.month % 12 + 1)
        edges = []
        for limit in (after, (month.year, month.month)):
            at = next((i for i, kept in enumerate(self._kept) if _month(kept) < limit), None)
            edges += [at] if at is not None else []
        return edges

    def _probes(self, present: int, absent: int, hints: Sequence[int]) -> list[int]:
        """A few revisions strictly between, newer ones first, evenly spread, within what an answer may hold."""
        wanted = [at for at in hints if present < at < absent]
        if not wanted:
            step = max(1, -(-(absent - present) // (PROBES + 1)))
            wanted = list(range(present + step, absent, step)) or [present + 1]
        middle = [wanted[len(wanted) // 2]]
        size = sum(self._kept[at].size for at in wanted)
        return sorted(set(wanted)) if size <= PROBED_BYTES else middle

    def _read(self, places: Sequence[int]) -> None:
        """Ask for the texts that were not read yet."""
        revids = [self._kept[at].revid for at in places]
        missing = [revid for revid in revids if revid not in self._seen]
        for revid, revision in self._histories.texts(missing).items() if missing else ():
            self._seen[revid] = revision, find_tags(revision.text or "", self._names)

    def _reading(self, at: int) -> Reading:
        return self._seen[self._kept[at].revid][1]

    def _places(self, at: int) -> list[Place]:
        return [place_of(tag) for tag in self._reading(at).tags]

    def _introduced(self, at: int, here: int) -> Introduction | None:
        revision, reading = self._seen[self._kept[at].revid]
        if follows_a_hidden_one(revision, self._visible):
            return None
        tag, edit = reading.tags[here], replace(revision, text=None)
        if at + 1 == len(self._kept):
            return Introduction(edit, tag.raw, tag.block, "", None)
        self._read([at + 1])
        earlier = self._seen[self._kept[at + 1].revid][0]
        before = Earlier(earlier.text or "").block_of(tag)
        return Introduction(edit, tag.raw, tag.block, before, earlier.revid)


def _month(outline: Outline) -> tuple[int, int]:
    return (outline.timestamp.year, outline.timestamp.month) if outline.timestamp else (0, 0)

"""Which edit introduced the tags of a page whose history must be asked for. Pure: the asking is a parameter.

For most tags one request for the newest revisions is enough, from a while before the tags' months on. For the others
the revisions since then are listed without texts, and reverts dropped. Texts around the month, and a few up to now,
show who added the tag and that it was there all the time. Where the month misleads, the whole history is listed, and a
few texts at a time narrow the place down.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Protocol

from wikifetch.history.introductions import (
    Earlier,
    Introduction,
    PageHistory,
    follows_a_hidden_one,
    read_history,
    without_reverts,
)
from wikifetch.history.pages_seen import RevisionSeen
from wikifetch.history.tag_identity import TagPlace, place_of, same_tags
from wikifetch.wikitext import KNOWN_NAMES, PageReading, TagNames, TagSeen, find_tags

PROBES = 12  # texts asked for at once, where nothing is known of the place
PROBED_BYTES = 4_000_000  # a wiki cuts answers of about 8 MB
_MOST_TEXTS = 24  # asked for at once, around the month or where they are all that is left
_CHECKED = 6  # of them, between the month and now: is the tag there all the time?
# A bot dates a tag within days, mostly: the month may be over when it comes, or begin just after.
_BEFORE, _AFTER = timedelta(days=31), timedelta(days=7)
_ENOUGH_BEFORE = 5  # revisions without a tag that has no month: who put it in then has added it
# How far before a tag's month its history is asked for at first: the edit before the tag's may be long ago.
EARLIER = timedelta(days=365)


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


@dataclass(frozen=True)
class Newest:
    """Revisions with their texts, newest first; `more` if the wiki has others of the time that was asked for."""

    revisions: tuple[RevisionSeen, ...]
    more: bool

    def reach_back(self, since: datetime | None) -> bool:
        """Whether they reach back to the page's first, asked for since that time."""
        return not self.more and not (since and self.revisions and self.revisions[-1].parent_revid)


class Histories(Protocol):
    """The histories of pages up to a revision, as a wiki gives them; from a time on, or back to the first."""

    def newest_revisions(self, pageid: int, revid: int, since: datetime | None) -> Newest:
        """The newest revisions."""

    def outlines(self, pageid: int, revid: int, since: datetime | None) -> Outlines:
        """All of them, without texts."""

    def texts(self, revids: Sequence[int]) -> dict[int, RevisionSeen]:
        """Some of them with their texts; those that the wiki hides are left out."""


def trace(
    histories: Histories,
    pageid: int,
    revid: int,
    names: TagNames = KNOWN_NAMES,
    since: datetime | None = None,
) -> PageHistory:
    """The page's revision read, with the edit that added each of its tags; None where that is not known.

    What is before `since` is asked for only if the tags turn out to be older.
    """
    newest = histories.newest_revisions(pageid, revid, since)
    page = _read(newest, names, since)
    if since and not newest.more and (page.newest is None or None in page.introductions):
        start = newest.revisions[-1].revid if newest.revisions else revid
        older = histories.newest_revisions(pageid, start, None)
        newest, since = (Newest((*newest.revisions[:-1], *older.revisions), older.more), None)
        page = _read(newest, names, since)
    sure = [
        added if added and _is_sure(tag, added, newest.revisions) else None
        for tag, added in page.introduced_tags()
    ]
    if newest.reach_back(since) or None not in sure:
        return page
    search = _Search(histories, pageid, revid, names, since)
    search.keep(newest.revisions)
    introductions = (known or search.introduction(index) for index, known in enumerate(sure))
    return replace(page, introductions=tuple(introductions))


def _is_sure(tag: TagSeen, added: Introduction, revisions: Sequence[RevisionSeen]) -> bool:
    """Whether this edit did not put back what an older one had added: of an older one, these revisions know nothing."""
    at = next(n for n, seen in enumerate(revisions) if seen.revid == added.revision.revid)
    month, time = tag.month, added.revision.timestamp
    if month is None or time is None:
        return len(revisions) - at > _ENOUGH_BEFORE
    start, end = _around(month)
    return start <= time < end


def _around(month: date) -> tuple[datetime, datetime]:
    """When a tag of this month was added."""
    first = datetime(month.year, month.month, 1, tzinfo=UTC)
    return first - _BEFORE, first + timedelta(days=31) + _AFTER


def _read(newest: Newest, names: TagNames, since: datetime | None) -> PageHistory:
    return read_history(reversed(newest.revisions), names, whole=newest.reach_back(since))


class _Search:
    """Narrowing down, over the list of a page's revisions, where a tag first occurs."""

    def __init__(
        self, histories: Histories, pageid: int, revid: int, names: TagNames, since: datetime | None
    ) -> None:
        self._histories, self._pageid, self._names, self._since = histories, pageid, names, since
        self._seen: dict[int, RevisionSeen] = {}
        self._readings: dict[int, PageReading] = {}
        self._list(histories.outlines(pageid, revid, since), ())
        self._newest = revid

    def _list(self, older: Outlines, known: Sequence[Outline]) -> None:
        self._outlines, self._whole = (*older.revisions, *known), older.whole
        self._visible = {outline.revid for outline in self._outlines}
        self._kept = without_reverts(self._outlines) if self._outlines else []  # newest first

    def keep(self, revisions: Iterable[RevisionSeen]) -> None:
        """These need not be asked for."""
        self._seen |= {
            revision.revid: revision for revision in revisions if revision.text is not None
        }

    def introduction(self, index: int) -> Introduction | None:
        """Of the tag at this place in the newest revision's reading."""
        try:
            while True:
                at, here = self._oldest_with(index)
                if at < len(self._kept) - 1 or self._whole:
                    return self._introduced(at, here)
                if not self._reach_further():
                    return None
        except LookupError:  # a text that the list promised is missing
            return None

    def _reach_further(self) -> bool:
        """List the revisions before `since` too; False where they are listed."""
        if self._since is None:
            return False
        self._since = None
        start = self._outlines[0].revid if self._outlines else self._newest
        older = self._histories.outlines(self._pageid, start, None)
        self._list(older, self._outlines[1:])
        return True

    def _oldest_with(self, tag: int) -> tuple[int, int]:
        """Where in the list the oldest revision with the tag is, and the tag's place in its reading."""
        present, here, absent = 0, tag, len(self._kept)
        self._ask([0])
        month = self._reading(0).tags[tag].month
        while absent - present > 1:
            probes = [at for at in range(present + 1, absent) if self._kept[at].revid in self._seen]
            if not probes:
                probes, month = self._probes(present, absent, month), None
                self._ask(probes)
            for at in probes:
                text = self._seen[self._kept[present].revid].text or ""
                same = same_tags(self._places(at), self._places(present), text)
                if here not in same:
                    absent = at
                    break
                present, here = at, same[here]
        return present, here

    def _probes(self, present: int, absent: int, month: date | None) -> list[int]:
        """Some revisions strictly between, newer ones first, within what an answer may hold."""
        between = range(present + 1, absent)
        if month is not None:
            # The newest revision that may have added a tag of this month, and the one before the oldest.
            newest, oldest = map(self._newest_before, reversed(_around(month)))
            if newest < absent and oldest > present:
                inside = range(max(newest, present + 1), min(oldest + 1, absent))
                checked = _spread(range(present + 1, inside.start), _CHECKED)
                around = _spread(inside, _MOST_TEXTS - _CHECKED)
                within = range(present + 1, inside.stop)
                return self._fitting(
                    [*within] if len(within) <= _MOST_TEXTS else [*checked, *around]
                )
        if len(between) <= _MOST_TEXTS:
            return self._fitting([*between])
        return self._fitting(_spread(between, PROBES))

    def _newest_before(self, limit: datetime) -> int:
        times = (kept.timestamp or limit for kept in self._kept)
        return next((at for at, time in enumerate(times) if time < limit), len(self._kept) - 1)

    def _fitting(self, places: list[int]) -> list[int]:
        """As many of these places, evenly, as have texts that one answer may hold; one at least."""
        size = sum(self._kept[at].size for at in places)
        most = len(places) * PROBED_BYTES // max(size, 1)
        return _spread(places, max(1, most))

    def _ask(self, places: Sequence[int]) -> None:
        """Ask for the texts that are not here yet."""
        revids = [self._kept[at].revid for at in places]
        if missing := [revid for revid in revids if revid not in self._seen]:
            self.keep(self._histories.texts(missing).values())

    def _reading(self, at: int) -> PageReading:
        revision = self._seen[self._kept[at].revid]
        if revision.revid not in self._readings:
            self._readings[revision.revid] = find_tags(revision.text or "", self._names)
        return self._readings[revision.revid]

    def _places(self, at: int) -> list[TagPlace]:
        return [place_of(tag) for tag in self._reading(at).tags]

    def _introduced(self, at: int, here: int) -> Introduction | None:
        revision, reading = self._seen[self._kept[at].revid], self._reading(at)
        if follows_a_hidden_one(revision, self._visible):
            return None
        tag, edit = reading.tags[here], replace(revision, text=None)
        if at + 1 == len(self._kept):
            return Introduction(edit, tag.raw, tag.block, "", None)
        self._ask([at + 1])
        earlier = self._seen[self._kept[at + 1].revid]
        before = Earlier(earlier.text or "").block_of(tag)
        return Introduction(edit, tag.raw, tag.block, before, earlier.revid)


def _spread(places: Sequence[int], most: int) -> list[int]:
    """At most so many of them, evenly, with the middle one if it is one."""
    if len(places) <= most:
        return [*places]
    step = len(places) / most
    return [places[int(step * (n + 0.5))] for n in range(most)]

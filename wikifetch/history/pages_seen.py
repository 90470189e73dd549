"""Pages and revisions as any source gives them: a file, or the live API. Pure."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

ARTICLES, TALK, TEMPLATES = 0, 1, 10


@dataclass(frozen=True)
class RevisionSeen:
    """One revision. `text` is None where the source holds none, and `no_text` then says why.

    Names and summaries are "" where the wiki hides them; `timestamp` is aware, in UTC.
    """

    revid: int
    parent_revid: int | None = None
    timestamp: datetime | None = None
    editor: str = ""
    summary: str = ""
    text: str | None = None
    no_text: str = ""

    @cached_property
    def sha1(self) -> str:
        """Of the text, so that reverts show whatever the source; of the id where there is no text."""
        content = f"revision {self.revid}" if self.text is None else self.text
        return hashlib.sha1(content.encode(), usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class PageSeen:
    """One page with its revisions, oldest first, perhaps a stream that can be read once.

    `problem` says why the source could not give the page, `is_missing` that the wiki no longer has it; `redirect_to` is
    the title that a redirect leads to, if the source says so.
    """

    pageid: int
    title: str
    namespace: int = ARTICLES
    is_redirect: bool = False
    revisions: Iterable[RevisionSeen] = field(default_factory=tuple)
    problem: str = ""
    is_missing: bool = False
    redirect_to: str = ""


@dataclass(frozen=True)
class HiddenParts:
    text: bool = False
    editor: bool = False
    summary: bool = False


def storable(text: str) -> str:
    """Text that every database takes: no NUL, no half of a surrogate pair."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def time_in_utc(words: str) -> datetime | None:
    """A time of MediaWiki's; None for what is none, and for one without a zone."""
    try:
        time = datetime.fromisoformat(words.strip())
        # In UTC at once: a time that leaves the years 1 to 9999 there could be stored, but never be read again.
        return time.astimezone(UTC) if time.tzinfo else None
    except (ValueError, OverflowError):
        return None

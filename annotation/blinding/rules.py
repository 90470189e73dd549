"""Whether a person may see what others entered for a tag, and what they are asked first. Pure.

hiding.py asks the same of the database for many tags at once; a test compares the two.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

HELD = "held"
# Assignments in these states may still come to somebody: one that is held can be handed back, and a decision that
# left one out can be taken back.
UNFINISHED = ("reserve", "free", HELD, "unneeded")


class OthersWork(StrEnum):
    """Whether others' work on a tag is shown to a person.

    SHOWN: at once. ASKED: once the person gives up the tag. HELD: not before the person submits it or hands it back.
    """

    SHOWN = "shown"
    ASKED = "asked"
    HELD = "held"


class TagSlot(NamedTuple):
    """One assignment of a tag, as it concerns a person.

    is_for_them: its campaign is for this person, open or closed, since it can be reopened. is_own: it is this person's.
    had_one: the person has, had or skipped the tag in that round, or in its pilot. gives_seen: its campaign lets people
    annotate tags after seeing others' work.
    """

    state: str
    is_for_them: bool = True
    is_own: bool = False
    had_one: bool = False
    gives_seen: bool = False


def may_see(slots: Iterable[TagSlot], *, annotates: bool, has_seen: bool) -> OthersWork:
    """The answer for all slots of one tag. `has_seen`: the person gave up the tag, or was shown it, before."""
    slots = list(slots)
    if not annotates:
        return OthersWork.SHOWN
    if any(slot.is_own and slot.state == HELD for slot in slots):
        return OthersWork.HELD
    reaches = any(may_come(slot) for slot in slots)
    return OthersWork.ASKED if reaches and not has_seen else OthersWork.SHOWN


def may_come(slot: TagSlot) -> bool:
    """Whether the slot may still come to the person, now or once somebody hands it back."""
    return slot.is_for_them and slot.state in UNFINISHED and not slot.had_one


def is_recorded(*, is_own: bool, is_draft: bool) -> bool:
    """Whether it is recorded that a person is shown an annotation: its tag may come to them later, as with a role."""
    return not (is_own or is_draft)


def question(tags: int, kept: int, *, by_title: bool = False) -> str:
    """The question before others' work on so many tags is shown; `kept` of them may be annotated all the same.

    `by_title`: some are of imported records, which are matched by their article's title.
    """
    which, them = ("this tag", "it") if tags == 1 else ("these tags", "them")
    if kept:
        still = them if kept == tags else f"{kept:,} of them"
        campaign = "its campaign lets" if tags == 1 else "their campaigns let"
        more = f" You can still get {still}, because {campaign} you; that you have seen it is recorded."
    else:
        more = ""
    asks = "Show it?" if kept == tags else f"Show it, and give up {which}?"
    titles = " Imported records are matched by the title of their article." if by_title else ""
    return f"This shows what others entered for {_tags(tags)} that you could still get.{titles} {asks}{more}"


def button(tags: int, kept: int) -> str:
    return "Show it" if kept == tags else f"Show it and give up {_tags(tags - kept)}"


def in_hand(tags: int) -> str:
    """Why nothing is shown of tags that the person has in hand."""
    which, them = ("a tag", "it") if tags == 1 else (f"{tags:,} tags", "them")
    return (
        f"This shows what others entered for {which} that you have in progress. Submit {them} or hand {them} back "
        "first: your queue lists what you have."
    )


def _tags(number: int) -> str:
    return "1 tag" if number == 1 else f"{number:,} tags"

"""Reading what a wiki answered, whatever its shape: an answer that is not MediaWiki's is refused in a sentence. Pure.

null counts as absent. MediaWiki is asked in its second format, as it is since 1.26: lists are lists there, and flags
booleans.
"""

import json
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from wikifetch.history.pages_seen import storable, time_in_utc
from wikifetch.source.manners import WikiError

TOO_OLD = (
    "This wiki's MediaWiki is older than 1.26 (2015), which cannot be asked. Fetch from an export of its pages "
    "instead: see its Special:Export."
)
MOST_IN_VAIN = 30  # answers, one after another; a wiki that looks through a long list may give a few empty ones
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "a yes or no"}


def another_shape(what: str) -> WikiError:
    return WikiError(
        f"The wiki's answer is not one of MediaWiki's: {what}. Nothing of it was read. Is the wiki's address that of "
        "its api.php?",
        code="othershape",
    )


def record_in(holder: dict[str, Any], name: str) -> dict[str, Any]:
    """The object of this name; {} where there is none, and for the empty list that PHP makes of one."""
    value = holder.get(name)
    if value is None or value == []:
        return {}
    if not isinstance(value, dict):
        raise another_shape(f"“{name}” is {_kind(value)}, not an object")
    return value


def records_in(holder: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects that are listed under this name; [] where there is no list."""
    value = holder.get(name)
    if value is None:
        return []
    if isinstance(value, dict) and value and all(map(_is_number, value)):
        raise WikiError(TOO_OLD, code="tooold")  # the first format: pages by their ids
    if not isinstance(value, list):
        raise another_shape(f"“{name}” is {_kind(value)}, not a list")
    for item in value:
        if not isinstance(item, dict):
            raise another_shape(f"“{name}” lists {_kind(item)}, not objects")
    return value


def number_in(holder: dict[str, Any], name: str) -> int:
    """The number of a page or a revision."""
    value = holder.get(name)
    if type(value) is not int or not 0 < value < 2**63:
        said = f"{value!r:.40}" if type(value) in {int, str} else _kind(value)
        raise another_shape(f"“{name}” is {said}, not a number that can be")
    return value


def text_in(holder: dict[str, Any], name: str) -> str:
    """A text, which can be stored; "" where there is none."""
    value = holder.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise another_shape(f"“{name}” is {_kind(value)}, not a text")
    return storable(value)


def time_in(holder: dict[str, Any], name: str) -> datetime | None:
    """A time in UTC; None where there is none that can be."""
    return time_in_utc(text_in(holder, name))


def flag_in(holder: dict[str, Any], name: str) -> bool:
    """Whether it says so in so many words."""
    return holder.get(name) is True


def query_of(answer: dict[str, Any]) -> dict[str, Any]:
    """The part of an answer in which MediaWiki says what it was asked for; {} in a step that brings nothing."""
    if not {"query", "continue", "query-continue", "batchcomplete"} & answer.keys():
        raise another_shape("it has no “query”")
    return record_in(answer, "query")


def more_of(answer: dict[str, Any]) -> dict[str, str]:
    """What to send back for more; {} where the wiki says that there is none."""
    if not answer.get("continue") and "query-continue" in answer:
        raise WikiError(TOO_OLD, code="tooold")
    more = record_in(answer, "continue")
    for name, value in more.items():
        if not isinstance(value, str | int):
            raise another_shape(f"“continue” holds {_kind(value)} as “{name:.40}”")
    return {name: storable(str(value)) for name, value in more.items()}


def entries_of(query: dict[str, Any]) -> Iterator[str]:
    """Each record that an answer's query part lists, as one text: what was listed before is equal."""
    for name, listed in query.items():
        for entry in listed if isinstance(listed, list) else [listed]:
            yield json.dumps([name, entry], sort_keys=True)


@dataclass(frozen=True)
class Reply:
    """What came from an address: the status and the body, whose beginning alone is read of an error."""

    status: int
    body: bytes


class Continuations:
    """Those of one list that were sent back; one that comes again, at once or in a cycle, would never end.

    Neither would one that is always new while the answers bring nothing new.
    """

    def __init__(self) -> None:
        self._sent: set[tuple[tuple[str, str], ...]] = set()
        self._brought: set[int] = set()
        self._in_vain = 0

    def check(self, more: dict[str, str], brought: Iterable[Hashable]) -> None:
        """After an answer that `brought` these entries: raises WikiError where the list has no end."""
        before = len(self._brought)
        self._brought.update(map(hash, brought))
        self._in_vain = 0 if len(self._brought) > before else self._in_vain + 1
        key = tuple(sorted(more.items()))
        if key in self._sent:
            raise _endless("The wiki says again where its list goes on")
        if self._in_vain == MOST_IN_VAIN:
            raise _endless(f"The wiki has brought nothing new in {MOST_IN_VAIN} answers to a list")
        self._sent.add(key)


def _endless(why: str) -> WikiError:
    return WikiError(
        f"{why}, and would do so for ever. What was fetched is kept. Try again later, or fetch by titles.",
        code="endless",
    )


def _is_number(name: str) -> bool:
    return name.removeprefix("-").isdecimal()


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "a number" if value is not None else "nothing")

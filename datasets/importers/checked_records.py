"""The records of a file, each checked, with all problems of the first that are refused. Pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from datasets.readers.json_text import SHOWN, Unreadable, shown
from datasets.schema import Parsed, RecordRefused
from pages.counting import how_many


def checked_records(
    values: Iterable[Any],
    parse: Callable[[Any], Parsed | None],
    *keys: str,
    place: Callable[[Any], str] | None = None,
    what: str = "record",
) -> Iterator[Parsed]:
    """The records in order, without the values of which `parse` makes None.

    keys: where a message finds the name of a record; "title" unless given. place: what a message calls a value of a
    file whose records have no place in a list. what: the word for a value.
    Raises Unreadable at the end with the problems of the first refused records, by key: no more records are looked at
    then, and none is given after the first of them.
    """
    problems: list[str] = []
    total = seen = refused = 0
    for total, record in enumerate(values, 1):
        if refused == SHOWN:
            continue  # to count them, and to see whether the file is whole
        seen = total
        try:
            parsed = parse(record)
        except RecordRefused as refusal:
            called = (
                place(record) if place else _called(what, total - 1, record, keys or ("title",))
            )
            problems += [f"{called}: {problem}" for problem in refusal.problems]
            refused += 1
        else:
            if parsed is not None and not refused:
                yield parsed
    if problems:
        raise _refusal(problems, what, refused, seen=seen, total=total)
    if not total:
        raise Unreadable(f"The file is a list without a {what}.")


def _called(what: str, index: int, record: Any, keys: Sequence[str]) -> str:
    title = record
    for key in keys:
        title = title.get(key) if isinstance(title, dict) else None
    named = f", {title[:60]!r}" if isinstance(title, str) and title else ""
    return f"{what} {index + 1} (index {index}{named})"


def _refusal(problems: list[str], what: str, refused: int, *, seen: int, total: int) -> Unreadable:
    if total == 1:
        found = f"The {what} cannot be read"
    elif seen == total:
        found = f"{refused} of {how_many(total, what)} cannot be read"
    else:
        found = (
            f"{refused} of the first {how_many(seen, what)} cannot be read, and the other {total - seen} were not "
            "looked at"
        )
    return Unreadable(f"{found}; nothing was imported.", details=shown(problems))

"""On which lines of a TOML file its tables and their keys stand: Python's reader does not say. Pure."""

import re
from collections import Counter

_HEAD = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_-]+)(?:\.([A-Za-z0-9_.-]+))?\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([A-Za-z0-9_-]+)(?:\.[^=]*)?\s*=")
_MARKS = ("'''", '"""')

# (name of the table, its number among those of that name, from 1) -> the line of its head, and those of its keys
TableLines = dict[tuple[str, int], tuple[int, dict[str, int]]]


def lines_of(text: str) -> TableLines:
    """The lines, from 1, of each [table] and [[table]]; for a file that a TOML reader takes.

    The keys of [table.of.it] are those of the table before it, as "of.it.key".
    """
    found: TableLines = {}
    times: Counter[str] = Counter()
    keys: dict[str, int] = {}
    open_mark = inside = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if open_mark:
            open_mark = "" if open_mark in line else open_mark
            continue
        if (head := _HEAD.match(line)) and head[3]:
            keys.setdefault(head[3], number)
            inside = f"{head[3]}."
        elif head:
            keys, inside = {}, ""
            times[head[2]] += 1
            found[head[2], times[head[2]]] = (number, keys)
        elif key := _KEY.match(line):
            keys.setdefault(inside + key[1], number)
            open_mark = _left_open(line)
    return found


def _left_open(line: str) -> str:
    """The mark of a text of several lines that begins here and does not end here."""
    first = (
        min((line.find(mark), mark) for mark in _MARKS if mark in line) if _has_mark(line) else None
    )
    return first[1] if first and line.count(first[1]) % 2 else ""


def _has_mark(line: str) -> bool:
    return any(mark in line for mark in _MARKS)

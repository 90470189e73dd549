"""On which lines of a TOML file its tables and their keys stand: Python's reader does not say. Pure."""

import re
from collections import Counter

_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_PATH = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_STATEMENT = re.compile(
    rf"[ \t]*(?:\[(?P<one_of>\[)?[ \t]*(?P<head>{_PATH})|(?P<key>{_PATH})[ \t]*=)"
)
# What opens or closes a value, or ends a line, and the texts and comments in which such a sign means nothing.
_SIGN = re.compile(
    r""""{3}(?:\\.|[^\\])*?"{3,5}|'{3}.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\#[^\n]*|[\[\]{}\n]""",
    re.DOTALL,
)

# (name of the table, its number among those of that name, from 1) -> the line of its head, and those of its keys
TableLines = dict[tuple[str, int], tuple[int, dict[str, int]]]
# What stands before the first head.
TOP = ("", 1)
# No rule is about what lies deeper.
DEEPEST = 4


def lines_of(text: str) -> TableLines:
    """The lines, from 1, of each [table] and [[table]]; for a file that a TOML reader takes.

    What a table holds in tables of its own is under its keys, as "of.it.key" for [table.of.it], and as "of.2.key" for
    the second [[table.of]].
    """
    found: TableLines = {TOP: (1, {})}
    times: Counter[str] = Counter()
    inner: Counter[tuple[object, ...]] = Counter()
    keys, inside = found[TOP][1], list[str]()
    line, start = 1, 0
    while start < len(text):
        statement = _STATEMENT.match(text, start)
        if statement and statement["head"]:
            name, *inside = _parts(statement["head"])
            if not inside:
                times[name] += 1
                found[name, times[name]] = (line, {})
            keys = found.setdefault((name, max(times[name], 1)), (line, {}))[1]
            _note(keys, inside, line)
            if inside and statement["one_of"]:
                path = (name, times[name], *inside)
                inner[path] += 1
                inside = [*inside, str(inner[path])]
                _note(keys, inside, line)
        elif statement:
            _note(keys, [*inside, *_parts(statement["key"])], line)
        end = _end(text, start)
        line += text.count("\n", start, end)
        start = end
    return found


def _parts(path: str) -> list[str]:
    return [part.strip("\"'") for part in re.findall(_PART, path)]


def _note(keys: dict[str, int], path: list[str], line: int) -> None:
    """The line of a key, and of what it is in where nothing of that came before."""
    for n in range(1, min(len(path), DEEPEST) + 1):
        keys.setdefault(".".join(path[:n]), line)


def _end(text: str, start: int) -> int:
    """Where the statement ends that begins there: after the line end that no bracket and no text holds."""
    depth = 0
    for sign in _SIGN.finditer(text, start):
        if sign[0] == "\n" and depth == 0:
            return sign.end()
        depth += (sign[0] in ("[", "{")) - (sign[0] in ("]", "}"))
    return len(text)

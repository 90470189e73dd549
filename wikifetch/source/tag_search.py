"""Searching the XML of a dump for names of tags before a parser reads it. Pure.

What the finder finds is never passed over. A page in which `TagNames.hint_pattern` finds nothing has no tag: that test
is written here over bytes, each character in each way in which XML may have it. Where it finds the name of a template
that holds tags, and no piece of a tag's name is in the page, there is none either.
"""

import re
from collections.abc import Callable, Collection, Iterable
from functools import cache

from wikifetch.wikitext.tag_names import BLANK, TagNames, undirected

# All with upper and lower case, and all blanks, are among them.
_CHARACTERS = [*map(chr, range(0xD800)), *map(chr, range(0xE000, 0x20000))]
_ENTITIES = {'"': "&quot;", "'": "&apos;", ">": "&gt;", "<": "&lt;", "&": "&amp;"}
_RUN = re.compile(rb"[a-z0-9-]+")  # of a name that is folded
# The finder's test has up to 200 characters in a comment; no entity has more than six.
_COMMENT = rb"&lt;!--(?:(?!&gt;)[^>]){0,1200}?--(?:&gt;|>)"


class TagSearch:
    """The search for tags of these names in parts of XML in UTF-8, without numeric references and CDATA."""

    def __init__(self, names: TagNames) -> None:
        kinds = _least(names.kinds, lambda name, other: other in name)
        self._runs = [max(_RUN.findall(kind.encode()), key=len, default=b"") for kind in kinds]
        wanted = _least(names.looked_for, lambda name, other: name.startswith(other))
        blanks = b"(?:%b)*+" % _blank()
        namespaces = b"|".join(map(_spelled, names.namespaces))
        self._opening = re.compile(
            rb"\{\{%b(?:%b%b)?" % (blanks, _COMMENT, blanks)
            + b"(?:(?:%b)%b:%b)?" % (namespaces, blanks, blanks)
            + b"(?:%b)" % b"|".join(map(_spelled, wanted))
        )

    def may_find(self, xml: bytes, start: int, end: int) -> bool:
        """Whether there may be a tag between two places of the XML."""
        if not self._opening.search(xml, start, end):
            return False
        lowered = xml[start:end].lower()
        return any(run in lowered for run in self._runs) or bool(_odd().search(lowered))


def _least(names: Iterable[str], covers: Callable[[str, str], bool]) -> list[str]:
    """The names without those that are found wherever a shorter one is."""
    kept: list[str] = []
    for name in sorted(names, key=len):
        if not any(covers(name, other) for other in kept):
            kept.append(name)
    return kept


def _spelled(name: str) -> bytes:
    """A folded name, in upper or lower case, with any blanks between its words and marks of direction in them."""
    mark = b"(?:%b)*+" % _marks()
    words = (mark.join(map(_character, word)) for word in name.split())
    return (b"(?:%b)++" % _blank()).join(words)


@cache
def _character(character: str) -> bytes:
    alike = re.findall(re.escape(character), _cased(), re.IGNORECASE)
    return b"(?:%b)" % _in_xml({character, *alike})


@cache
def _blank() -> bytes:
    return _in_xml(re.findall(BLANK, "".join(_CHARACTERS)))


@cache
def _marks() -> bytes:
    return _in_xml([c for c in _CHARACTERS if not undirected(c)])


@cache
def _odd() -> re.Pattern[bytes]:
    """What may stand in a name in place of a letter without accents (ſ, ligatures), or between two."""
    odd = [
        c
        for c in _CHARACTERS
        if not undirected(c) or (c > "\x7f" and re.search("[ -~]", c.casefold()))
    ]
    return re.compile(_in_xml(odd))


@cache
def _cased() -> str:
    return "".join(c for c in _CHARACTERS if c.lower() != c or c.upper() != c)


def _in_xml(characters: Collection[str]) -> bytes:
    """An expression for any of these characters, also as the entity that XML has for it."""
    written = {*characters, *(_ENTITIES[c] for c in characters if c in _ENTITIES)}
    return b"|".join(re.escape(each.encode()) for each in sorted(written))

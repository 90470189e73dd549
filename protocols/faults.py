"""Which of the problems of a file are shown: all but those that only follow from another. Pure."""

import re
from collections.abc import Iterable, Iterator

from protocols.declaration import SINGLE, DeclarationProblem, Entry
from protocols.entry_keys import NAME

# What a message is about; what follows "There are" is what else there is.
_QUOTED = re.compile(r"'([^']*)'|\{([^{}]*)\}")
_PLACE = re.compile(r"\{([^{}]*)\}")
# Tables whose keys have nothing to do with each other.
_APART = ("protocol", "item")
_Key = tuple[str, int]


class Faults:
    """The problems found so far.

    A table with a problem is in doubt. A problem follows from that if it may go away with the other one: it is about
    the same table, or about a name or a tag that the table in doubt has.
    """

    def __init__(self) -> None:
        self.found: list[DeclarationProblem] = []
        self._doubted: dict[_Key, Entry] = {}

    def keep(self, problems: Iterable[DeclarationProblem]) -> None:
        """Of keys, which follow from nothing."""
        kept = list(problems)
        self.found += kept
        self.doubt(problem.entry for problem in kept)

    def doubt(self, entries: Iterable[Entry | None]) -> None:
        """Their problems, and what follows from them, are left out from now on."""
        whole = [_outer(entry) for entry in entries if entry is not None]
        self._doubted |= {_key(entry): entry for entry in whole}

    def add(self, problems: Iterable[DeclarationProblem], bare: Iterable[str] = ()) -> bool:
        """Of rules; those that follow are left out. Whether another table is in doubt.

        `bare` are the parts of which no table is right.
        """
        batch, before = list(problems), len(self._doubted)
        doubt = _Doubt(list(self._doubted.values()), set(bare))
        seen = set(self.found)
        self.found += [
            problem
            for problem in batch
            if problem not in seen and not (self._is_of_doubted(problem) or doubt.explains(problem))
        ]
        self.doubt(problem.entry for problem in batch)
        return len(self._doubted) > before

    def is_right(self, entry: Entry) -> bool:
        """Whether nothing is wrong with it, as far as it was checked."""
        return _key(entry) not in self._doubted

    def _is_of_doubted(self, problem: DeclarationProblem) -> bool:
        entry = problem.entry
        return entry is not None and entry.part not in _APART and not self.is_right(entry)


class _Doubt:
    """What tables in doubt may give to others: names, and tags with values that nobody can read.

    Of a table without a right name, or whose tags are no table, that is anything.
    """

    def __init__(self, doubted: list[Entry], bare: set[str]) -> None:
        self._names = {name for entry in doubted for name in _names(entry)}
        self._tags = {name for entry in doubted for name in _open_tags(entry)}
        untagged = {e.part for e in doubted if not isinstance(e.values.get("tags", {}), dict)}
        nameless = {e.part for e in doubted if not NAME.fullmatch(e.name)}.difference(SINGLE)
        self._is_any_name = bool(untagged or nameless)
        self._bare = bare | untagged

    def explains(self, problem: DeclarationProblem) -> bool:
        """Whether a problem of a rule may go away with theirs."""
        if (entry := problem.entry) is None:
            return False
        mentioned = set(_mentions(_at(entry, problem.key)))
        # A label that is wrong may be right of another scorer, which stands beside it.
        table = problem.key.rpartition(".")[0]
        beside = set(_mentions(_at(entry, table))) if table else set()
        about = _QUOTED.findall(problem.message.partition("There are")[0])
        if named := {name.partition(".")[0] for pair in about for name in pair if name}:
            names = (named | beside) & self._names
            return bool(names or mentioned & self._tags or self._is_any_name)
        return bool(mentioned & (self._names | self._tags) or self._bare - {entry.part})


def _outer(entry: Entry) -> Entry:
    return _outer(entry.within) if entry.within else entry


def _key(entry: Entry) -> _Key:
    entry = _outer(entry)
    return entry.part, entry.number


def _names(entry: Entry) -> set[str]:
    """What other tables can name it by: its name, its tags with their values, its words for orders."""
    tags, last = entry.values.get("tags"), entry.values.get("last")
    return {entry.name, *_mentions(tags), *_mentions(last)} - {"", *_open_tags(entry)}


def _open_tags(entry: Entry) -> list[str]:
    """Its tags whose values are no texts."""
    tags = entry.values.get("tags")
    given = tags.items() if isinstance(tags, dict) else ()
    return [name for name, value in given if not isinstance(value, str)]


def _at(entry: Entry, key: str) -> object:
    """The value at "criteria.yes" or "all.2"; of a key that is not there, what it would be in."""
    value: object = entry.values
    for step in key.split("."):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and 0 < int(step) <= len(value):
            value = value[int(step) - 1]
        else:
            break
    return value


def _mentions(value: object) -> Iterator[str]:
    """The texts in a value, the keys of its tables, and the places in its texts."""
    if isinstance(value, str):
        yield value
        yield from (place.partition(".")[0] for place in _PLACE.findall(value))
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _mentions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _mentions(inner)

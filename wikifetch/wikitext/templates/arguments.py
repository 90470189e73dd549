"""A template's arguments. Pure."""

from collections.abc import Callable
from typing import Any

_LONGEST_POSITION = 2  # 1900= is no position, but a year whose value is given


def is_position(name: str) -> bool:
    """Whether a parameter's name is that which one without a name has."""
    name = name.strip()
    return name.isdecimal() and len(name) <= _LONGEST_POSITION


class Arguments:
    """A template's arguments as readable text, each rendered when asked for; positions count from 1."""

    def __init__(self, template: Any, words_of: Callable[[Any], str]) -> None:
        self._values = {str(p.name).strip(): p.value for p in template.params}
        self._words_of = words_of
        # Rendering again at each depth would take exponential time.
        self._words: dict[str, str] = {}

    def __getitem__(self, name: str | int) -> str:
        key = str(name)
        if key in self._values and key not in self._words:
            self._words[key] = self._words_of(self._values[key])
        return self._words.get(key, "")

    def first_of(self, *names: str | int) -> str:
        """The first of these arguments that is not empty."""
        return next((self[name] for name in names if self[name]), "")

    def positional(self) -> list[str]:
        """Arguments 1, 2, … up to the first that is missing."""
        positional: list[str] = []
        while str(len(positional) + 1) in self._values:
            positional.append(self[len(positional) + 1])
        return positional

    def given(self) -> list[tuple[str, str]]:
        """Names and values as they are written; of one whose name is a position "" and the value."""
        return [("" if is_position(name) else name, self[name]) for name in self._values]

    def named(self) -> list[tuple[str, str]]:
        return [(name, self[name]) for name in self._values if not name.isdecimal()]

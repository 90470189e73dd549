"""Parser functions of a wiki, as far as their words need no wiki. Pure."""

from collections.abc import Callable

_CASES: dict[str, Callable[[str], str]] = {
    "lc": str.lower,
    "uc": str.upper,
    "lcfirst": lambda words: words[:1].lower() + words[1:],
    "ucfirst": lambda words: words[:1].upper() + words[1:],
}
_CHOOSING = {"#if", "#ifeq", "#switch"}


def recased(name: str) -> str | None:
    """The words of {{lc:…}} and the like; None of another name."""
    function, colon, words = name.strip().partition(":")
    change = _CASES.get(function.lower()) if colon else None
    return change(words.strip()) if change else None


def chooses(name: str) -> bool:
    """Whether it is a function that shows one of its arguments."""
    return name.strip().partition(":")[0].lower() in _CHOOSING and ":" in name


def chosen(name: str, arguments: list[str]) -> int:
    """Which argument is shown, from 0 on; -1 for none. As written, but for what is compared."""
    function, _, test = name.strip().partition(":")
    test, function = test.strip(), function.lower()
    if function == "#switch":
        return _case(test, arguments)
    first = 0
    if function == "#ifeq":
        first, holds = 1, bool(arguments) and test == arguments[0].strip()
    else:
        holds = bool(test)
    at = first if holds else first + 1
    return at if at < len(arguments) else -1


def _case(test: str, arguments: list[str]) -> int:
    """Of a value, those without a name go to the next with one; the last without one is for all others."""
    is_next = False
    other = -1
    for at, argument in enumerate(arguments):
        name, equals, _ = argument.partition("=")
        if not equals and at + 1 == len(arguments):
            return at
        is_next |= name.strip() == test
        if equals and is_next:
            return at
        if name.strip() == "#default":
            other = at
    return other

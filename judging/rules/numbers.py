"""Numbers that a person types as a list with ranges. Pure."""

import re

MOST_NUMBERS = 10_000
_PART = re.compile(r"([0-9]{1,9})(?:\s*[-\u2013]\s*([0-9]{1,9}))?")


def numbers_in(text: str) -> list[int] | None:
    """The numbers of "3, 17, 20-25" in order, each once; None for anything else, and for more than MOST_NUMBERS."""
    found: set[int] = set()
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = _PART.fullmatch(part)
        if match is None:
            return None
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last - first >= MOST_NUMBERS:
            return None
        found.update(range(first, last + 1))
    nothing_between_commas = bool(text.strip()) and not found
    return None if nothing_between_commas or len(found) > MOST_NUMBERS else sorted(found)

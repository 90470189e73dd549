"""The letters under which annotations of one tag are reviewed, instead of their authors' names. Pure.

Their order is by chance and stays: an assignment has its lot from the start, and who gets a skipped tag instead gets
the lot with it.
"""

from collections.abc import Mapping
from string import ascii_uppercase


def letter(place: int) -> str:
    """A for 0, and so on; after Z comes A1."""
    turn, at = divmod(place, len(ascii_uppercase))
    return f"{ascii_uppercase[at]}{turn or ''}"


def letters_by(lots: Mapping[int, float]) -> dict[int, str]:
    """The letters of one tag's assignments (keys to lots)."""
    places = {lot: place for place, lot in enumerate(sorted({*lots.values()}))}
    return {key: letter(places[lot]) for key, lot in lots.items()}

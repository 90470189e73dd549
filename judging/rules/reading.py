"""How long a study takes to read, by the order in which its responses come. Pure.

Reading alone, at the mean speed of adults who read English non-fiction silently: 238 words a minute (Brysbaert 2019,
"How many words do we read per minute?"). Deciding and writing comments come on top.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

WORDS_A_MINUTE = 238


@dataclass(frozen=True)
class Reading:
    """What a judge reads for one response, in words: its own text, and what comes with its question.

    The question, its gold answers and its passages are read once while responses to one question follow each other.
    """

    instance: str
    own: int
    shared: int


def words(*texts: str) -> int:
    return sum(len(text.split()) for text in texts)


def hours(order: Iterable[Reading]) -> float:
    """The hours that reading these responses takes in this order."""
    total = 0
    for _, together in groupby(order, key=lambda text: text.instance):
        unit = list(together)
        total += sum(text.own for text in unit) + max(text.shared for text in unit)
    return total / WORDS_A_MINUTE / 60

"""How much of a text two annotators share: the Dice coefficient of their words. Pure.

overlap(a, b) = 2 |a ∩ b| / (|a| + |b|), over multisets of words: a word that one text has twice and the other once is
shared once. A word is a run of letters, digits and combining marks, without case.
Source: L. R. Dice (1945); equal to the F1 of words of SQuAD (Rajpurkar et al. 2016), but no word is left out.
"""

import re
import unicodedata
from collections import Counter

WORD = re.compile(r"\w+")

Pair = tuple[str, str]


def words_of(text: str) -> Counter[str]:
    """The words of a text, in Unicode's form NFC and without case, with how often each occurs."""
    return Counter(WORD.findall(unicodedata.normalize("NFC", text).casefold()))


def overlap(first: str, second: str) -> float | None:
    """From 0 (no common word) to 1 (the same words); None if neither text has a word."""
    a, b = words_of(first), words_of(second)
    total = a.total() + b.total()
    return 2 * (a & b).total() / total if total else None


def is_turned(first: Pair, second: Pair) -> bool:
    """Whether the second person's passages are the first one's in the other order.

    They are if the two overlaps add up to more that way. Which passage is called the first is no disagreement.
    """
    straight = (overlap(first[0], second[0]) or 0) + (overlap(first[1], second[1]) or 0)
    turned = (overlap(first[0], second[1]) or 0) + (overlap(first[1], second[0]) or 0)
    return turned > straight

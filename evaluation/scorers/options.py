"""The scorer `option`: the option that a response chose, against the letters of its record. Pure."""

import math
from collections.abc import Iterable, Mapping

from evaluation.statistics.measures import AMBIGUOUS, OTHER

# Entropies are equal in every database and on every machine to so many digits.
DIGITS = 9


def label_of(text: str, letters: Mapping[str, str | None]) -> str:
    """The label whose letter the text is; `letters` has that of each label."""
    found = [label for label, letter in letters.items() if letter == text]
    if len(found) > 1:
        return AMBIGUOUS
    return found[0] if found else OTHER


def entropy(masses: Iterable[float | None]) -> float | None:
    """Of the options in bits, their probabilities being made to add up to 1; None unless all were returned."""
    known = [mass for mass in masses if mass is not None]
    total = math.fsum(known)
    if not total or len(known) < len(list(masses)):
        return None
    shares = [mass / total for mass in known if mass]
    return round(-math.fsum(share * math.log2(share) for share in shares) + 0.0, DIGITS)

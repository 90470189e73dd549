"""The scorer `alias`: whether a response is one of the golds, or has one of them in it as whole words. Pure.

Texts are compared as squad.py normalises them. KNOT (Liu et al. 2024) says that an answer "matches" an alias, and does
not say how.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evaluation.scorers import squad
from evaluation.statistics.measures import RIGHT, WRONG
from generation.prompts.controlled import is_part
from protocols.entry_keys import Key

EQUAL, CONTAINED = MATCHES = ("equal", "contained")
KEYS = {
    **squad.KEYS,
    "match": Key(
        str,
        values=MATCHES,
        about="Of alias: whether the answer is equal to a gold, or contains one as whole words. Without it, equal.",
    ),
}


class Aliases(NamedTuple):
    """Of a record, as normalised; `contained` says how they match."""

    golds: Sequence[str]
    contained: bool


def aliases(scorer: Mapping[str, Any], record: Mapping[str, Any]) -> Aliases | None:
    """None for a record that has none of the fields."""
    golds = squad.golds(scorer, record)
    return None if golds is None else Aliases(golds, scorer.get("match") == CONTAINED)


def score(text: str, known: Aliases) -> tuple[str, float]:
    """Right or wrong. Without a gold, the empty text alone is right."""
    given = squad.normalised(text)
    right = given in known.golds or (
        known.contained and any(gold and is_part(gold, given) for gold in known.golds)
    )
    return RIGHT if right else WRONG, math.nan

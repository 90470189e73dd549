"""How the verdicts on one response become one final verdict.

First verdicts are never touched: they are what agreement is measured on. Source: WikiContradict, section
4.1 ("after resolving the annotation disagreements"); who resolves is the study's choice. Pure.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

THIRD_PERSON = "third_person"
DISCUSSION = "discussion"
MAJORITY = "majority"
WAYS = {
    THIRD_PERSON: "A third person decides",
    DISCUSSION: "The two judges discuss it, and both sign one verdict",
    MAJORITY: "The majority decides",
}

# How a final verdict came about.
SINGLE, UNANIMOUS = "single", "unanimous"

SKIPPED = "skipped"
# Why the judges disagree, in the opinion of who resolves: key -> label.
CAUSES = {
    "slip": "A judge slipped",
    "criteria": "The criteria leave it open",
    "gold": "A gold answer is wrong or incomplete",
    "ambiguous": "The question or the passages are ambiguous",
    "response": "The response is unclear",
    SKIPPED: "A judge skipped it",
    "other": "Something else",
}


@dataclass(frozen=True)
class RoundOutcome:
    """The final verdict, and how it came about."""

    how: str
    verdict: str


def outcome(verdicts: Sequence[str | None], *, seats: int, way: str) -> RoundOutcome | None:
    """The outcome for one response; None while a judge has not finished, and where it must be discussed or decided.

    `verdicts` holds one entry for each slot that is finished, None for a skipped one; `seats` is how many
    slots there are. A skipped slot leaves the response unresolved even if the remaining verdicts agree: one of the
    judges could not judge it.
    """
    if len(verdicts) < seats:
        return None
    given = [verdict for verdict in verdicts if verdict is not None]
    if given and len(given) == len(verdicts) and len(set(given)) == 1:
        return RoundOutcome(UNANIMOUS if len(given) > 1 else SINGLE, given[0])
    top = majority(given, seats) if way == MAJORITY else None
    return RoundOutcome(MAJORITY, top) if top is not None else None


def majority(given: Sequence[str], seats: int) -> str | None:
    """The verdict that more than half of all `seats` gave; a skipped seat counts for none."""
    for verdict, votes in Counter(given).items():
        if 2 * votes > seats:
            return verdict
    return None


def way_problem(way: str, judges_per_item: int) -> str | None:
    """Why a study cannot resolve this way with so many judges per response; None when it can."""
    if way not in WAYS:
        return f"{way!r} is not a way to resolve. Choose one of: {', '.join(WAYS)}."
    if way == MAJORITY and judges_per_item < 3:
        return "A majority needs at least three judges per response. Add judges, or choose a third person."
    if way == DISCUSSION and judges_per_item > 2:
        return "A discussion is between two judges. Choose at most two per response, or another way to resolve."
    return None


def note_problem(verdict: str, first_verdicts: Sequence[str | None], note: str) -> str | None:
    """Why a decision needs a note; None when it needs none.

    A note is needed where the decision agrees with none of the first verdicts.
    """
    if verdict in first_verdicts or note.strip():
        return None
    return "Your verdict agrees with none of the judges'. Write a note that says why."

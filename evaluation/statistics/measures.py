"""What a measure of scores counts, as a protocol declares it, and the states of responses that have no label. Pure."""

from collections.abc import Mapping
from typing import Any, NamedTuple

# A letter that no label names, and one that several name; and what a text is.
OTHER, AMBIGUOUS, RIGHT, WRONG = "other", "ambiguous", "right", "wrong"
# In place of a label: any, and any state of a finished response.
ANY = ""
# What a mean is of. That of exact matches is the share of right answers.
ENTROPY, EXACT, F1 = "entropy", "exact", "f1"
# States of responses without a label: finished ones, which shares count; those that are not there, whose record has no
# field to score them by, or on which no verdict of people stands; those to excluded questions; and, of a mean, finished
# ones without the probabilities of all options.
UNDECIDED, UNREAD, SKIPPED = "undecided", "unread", "skipped"
FAILED, MISSING, WITHOUT_GOLD, UNJUDGED = ABSENT = ("failed", "missing", "without gold", "unjudged")
FINISHED = (UNDECIDED, UNREAD, SKIPPED, "refused", "filtered", "empty", "aborted")
EXCLUDED, UNRETURNED = "excluded", "unreturned"
STATES = (*FINISHED, *ABSENT, EXCLUDED, UNRETURNED)


class Asked(NamedTuple):
    """What a measure counts, of which scorer and population: a label, None for a mean `of` numbers, or `among` two."""

    scorer: str
    population: str | None
    label: str | None
    among: tuple[str, ...] | None
    of: str | None

    @property
    def has_skipped(self) -> bool:
        """Whether skipped responses count 0 in it, so that it has a figure without them."""
        return self.among is None and self.of != ENTROPY and self.label != SKIPPED


def asked(declared: Mapping[str, Mapping[str, Any]], name: str) -> Asked:
    """Of the measure of this name."""
    shares = [declared[part]["share"] for part in declared[name].get("ratio", ())]
    of = (shares or [declared[name].get("share") or declared[name]["mean"]])[0]
    among = tuple(share["label"] for share in shares) or None
    label = RIGHT if of.get("of") == EXACT else of.get("label")
    return Asked(of["scorer"], of.get("in"), label, among, of.get("of"))

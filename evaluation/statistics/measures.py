"""What a measure of scores counts, as a protocol declares it, and the states of responses that have no label. Pure."""

from collections.abc import Mapping
from typing import Any, NamedTuple

# A letter that no label names, and one that several name.
OTHER, AMBIGUOUS = "other", "ambiguous"
# States of responses without an option: finished ones, which shares count; those that are not there; those to excluded
# questions; and, of a mean, finished ones without the probabilities of all options.
FINISHED, ABSENT = ("undecided", "skipped", "refused", "filtered"), ("failed", "missing")
EXCLUDED, UNRETURNED = "excluded", "unreturned"
STATES = (*FINISHED, *ABSENT, EXCLUDED, UNRETURNED)


class Asked(NamedTuple):
    """What a measure counts, of which scorer and population: a label, None for a mean, `among` those of a ratio."""

    scorer: str
    population: str | None
    label: str | None
    among: tuple[str, ...] | None


def asked(declared: Mapping[str, Mapping[str, Any]], name: str) -> Asked:
    """Of the measure of this name."""
    shares = [declared[part]["share"] for part in declared[name].get("ratio", ())]
    of = (shares or [declared[name].get("share") or declared[name]["mean"]])[0]
    among = tuple(share["label"] for share in shares) or None
    return Asked(of["scorer"], of.get("in"), of.get("label"), among)

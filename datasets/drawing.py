"""Draw a subset of questions: a frame, its strata, and the questions taken from each by a seed. Pure.

Each question has a lot: the SHA-256 sum of the seed and a name that is the same in every database. The smallest lots
are drawn, so that rows read in another order, or questions added to another stratum, change nothing.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from leases.refusal import Refusal

ALL = ""  # the one stratum of a subset without strata


@dataclass(frozen=True)
class Framed:
    """A question that may be drawn: its key, a name that is the same in every database, its tag, its stratum."""

    key: int
    name: str
    tag: int
    stratum: str = ALL


@dataclass(frozen=True)
class SubsetPlan:
    """How many questions of each stratum; those that are not named give none. None: all of the frame."""

    seed: int
    one_per_tag: bool = False
    wanted: Mapping[str, int] | None = field(default=None)


def frame(questions: Iterable[Framed], plan: SubsetPlan) -> list[Framed]:
    """The questions in the order of their lots; with `one_per_tag` the first of each tag alone."""
    in_order = sorted(questions, key=lambda asked: (lot(plan.seed, asked.name), asked.name))
    if not plan.one_per_tag:
        return in_order
    first: dict[int, Framed] = {}
    for asked in in_order:
        first.setdefault(asked.tag, asked)
    return list(first.values())


def draw(framed: Sequence[Framed], plan: SubsetPlan) -> list[Framed]:
    """The questions drawn from a frame; raises Refusal for a stratum with fewer than are wanted."""
    if not framed:
        raise Refusal("No question matches. Choose All in one of the boxes.")
    if plan.wanted is None:
        return list(framed)
    sizes = Counter(asked.stratum for asked in framed)
    for stratum, wanted in plan.wanted.items():
        if wanted > sizes[stratum]:
            there = f"{sizes[stratum]} question{'s' if sizes[stratum] != 1 else ''}"
            of = f"“{stratum}” has" if stratum else "There are"
            raise Refusal(f"{of} {there}, and {wanted} are wanted. Ask for fewer.")
    taken: Counter[str] = Counter()
    drawn = []
    for asked in framed:
        if taken[asked.stratum] < plan.wanted.get(asked.stratum, 0):
            taken[asked.stratum] += 1
            drawn.append(asked)
    return drawn


def lot(seed: int, *names: str) -> str:
    """A number (hex) drawn from the seed for these names; sorting by it shuffles."""
    drawn = "\x1f".join((str(seed), *names))
    return hashlib.sha256(drawn.encode("utf-8")).hexdigest()

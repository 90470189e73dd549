"""Draw a campaign's tags: strata, the order, which get several people, the reserve, the pilot. Pure.

One shuffle by the seed orders the whole frame. Each stratum takes its tags from the front of that order, and its
reserve from those that follow. So the same seed and frame give the same drawing, and reserve tags are random too.
"""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

PILOT, ALL = 1, ""  # the round of a pilot; the one stratum of a campaign without strata


@dataclass(frozen=True)
class FramedTag:
    """A tag of the frame: its key, kind, and the key of the sighting that the campaign pins."""

    tag: int
    kind: str
    sighting: int


@dataclass(frozen=True)
class CampaignPlan:
    """How tags are drawn and assigned.

    `strata` gives the number of tags of each kind; without it `limit` tags are drawn from all (0: every tag), and all
    are one stratum. Each stratum has `reserve` further tags. `double_share` of the drawn tags, the first ones, get all
    `people_per_tag` people; the others get one. The first `pilot` of the drawn tags are annotated in a round before.
    """

    people_per_tag: int = 1
    double_share: float = 1.0
    seed: int = 0
    limit: int = 0
    strata: Mapping[str, int] = field(default_factory=dict)
    reserve: int = 0
    pilot: int = 0

    @property
    def main_round(self) -> int:
        return PILOT + 1 if self.pilot else PILOT

    def stratum_of(self, kind: str) -> str:
        return kind if self.strata else ALL


@dataclass(frozen=True)
class DrawnTag:
    """A tag of a round at its place in the order, for `people` people; a reserve tag is for nobody yet."""

    tag: FramedTag
    round: int
    order: int
    people: int
    is_reserve: bool = False


@dataclass(frozen=True)
class DrawnStratum:
    """What one stratum gives: `frame` tags that match, of them `drawn` of `wanted` (0: all), and `reserve`."""

    kind: str
    frame: int
    wanted: int
    drawn: int
    reserve: int

    @property
    def lacks(self) -> int:
        """How many tags fewer it has than were asked for."""
        return max(0, self.wanted - self.drawn)


@dataclass(frozen=True)
class CampaignDrawing:
    """Everything drawn, in the order in which it is assigned, and the strata."""

    drawn: list[DrawnTag]
    strata: list[DrawnStratum]

    @property
    def tags(self) -> int:
        return sum(stratum.drawn for stratum in self.strata)

    @property
    def reserve(self) -> int:
        return sum(stratum.reserve for stratum in self.strata)

    @property
    def assignments(self) -> int:
        return sum(tag.people for tag in self.drawn)

    @property
    def doubles(self) -> int:
        """How many tags of the main round several people annotate."""
        last = max((tag.round for tag in self.drawn), default=PILOT)
        return sum(tag.round == last and tag.people > 1 for tag in self.drawn)


def draw_tags(frame: Sequence[FramedTag], plan: CampaignPlan) -> CampaignDrawing:
    """The drawing of this frame, whose tags are in the order of their keys."""
    order = list(frame)
    # Reproducible from the stored `seed`; not a matter of security.
    random.Random(plan.seed).shuffle(order)  # noqa: S311
    wanted = plan.strata or {ALL: plan.limit or len(order)}
    chosen = [tag for tag in order if plan.stratum_of(tag.kind) in wanted]
    taken, reserve = _shared_out(chosen, wanted, plan)
    shared = round(plan.double_share * len(taken))
    drawn = [
        *(
            DrawnTag(tag, PILOT, n, plan.people_per_tag)
            for n, tag in enumerate(taken[: plan.pilot])
        ),
        *(
            DrawnTag(tag, plan.main_round, n, plan.people_per_tag if n < shared else 1)
            for n, tag in enumerate(taken)
        ),
        *(
            DrawnTag(tag, plan.main_round, len(taken) + n, 0, is_reserve=True)
            for n, tag in enumerate(reserve)
        ),
    ]
    return CampaignDrawing(drawn, list(_strata(chosen, taken, reserve, plan)))


def _shared_out(
    order: Sequence[FramedTag], wanted: Mapping[str, int], plan: CampaignPlan
) -> tuple[list[FramedTag], list[FramedTag]]:
    """The tags drawn, and those in reserve."""
    met: Counter[str] = Counter()
    taken, reserve = [], []
    for tag in order:
        stratum = plan.stratum_of(tag.kind)
        met[stratum] += 1
        if met[stratum] <= wanted[stratum]:
            taken.append(tag)
        elif met[stratum] <= wanted[stratum] + plan.reserve:
            reserve.append(tag)
    return taken, reserve


def _strata(
    chosen: Sequence[FramedTag],
    taken: Sequence[FramedTag],
    reserve: Sequence[FramedTag],
    plan: CampaignPlan,
) -> Iterator[DrawnStratum]:
    counts = [
        Counter(plan.stratum_of(tag.kind) for tag in tags) for tags in (chosen, taken, reserve)
    ]
    for kind, wanted in (plan.strata or {ALL: plan.limit}).items():
        in_frame, drawn, held_back = (count[kind] for count in counts)
        yield DrawnStratum(kind, in_frame, wanted, drawn, held_back)


def first_drawn(drawing: CampaignDrawing, most: int) -> list[DrawnTag]:
    return list(islice((tag for tag in drawing.drawn if not tag.is_reserve), most))

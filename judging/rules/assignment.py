"""Which judge gets which responses, in which order: drawn from a stored seed, the same on every machine. Pure.

Each unit of work goes to `per_item` judges. They are chosen so that all judges have equal loads and, with equal loads,
so that those are paired who have shared the fewest units. In the grouped order a unit is an instance, because reading
its passages is most of the work; in the random order a unit is a response.

Draws are SHA-256 sums of the seed and stable names, not a generator's state: adding a judge or reading rows in another
order changes nothing else.

A judge can get a share of their responses twice, to measure their agreement with themselves: some of the first half of
their order again, between the questions of the second half.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from math import ceil

from leases.refusal import Refusal

GROUPED = "grouped"
RANDOM = "random"
ORDERS = (GROUPED, RANDOM)
# Percent: responses that come twice are drawn from the first half of an order.
MOST_REPEATED = 50


class PlanError(Refusal):
    """An assignment that cannot be made; the message says why."""


@dataclass(frozen=True)
class Item:
    """One response to judge: `key` names it, `instance` the question it answers."""

    key: str
    instance: str


@dataclass(frozen=True)
class PlannedSlot:
    """`judge` judges `item` as the `position`-th (from 0) in an order of their own; with `repeat` 2, once more."""

    item: str
    judge: str
    position: int
    repeat: int = 1


def lot(seed: int, *names: str) -> str:
    """A number (hex) drawn from the seed for these names; sorting by it shuffles."""
    drawn = "\x1f".join((str(seed), *names))
    return hashlib.sha256(drawn.encode("utf-8")).hexdigest()


def plan(
    items: Sequence[Item],
    judges: Sequence[str],
    *,
    per_item: int,
    seed: int,
    order: str = GROUPED,
    repeat_percent: int = 0,
) -> list[PlannedSlot]:
    """All slots of a round; raises PlanError when there are too few judges or a name is given twice.

    Of each judge's items `repeat_percent` (0 to MOST_REPEATED) percent come twice.
    """
    _check(items, judges, per_item, order)
    if problem := repeats_problem(repeat_percent):
        raise PlanError(problem)
    seats = _seats(items, judges, per_item, seed, order)
    slots = []
    for judge in sorted(judges):
        given = [item for item in items if judge in seats[item.key]]
        own = judge_seed(seed, judge)
        mine = with_repeats(in_order(given, own, order), own, order, repeat_percent)
        slots += [
            PlannedSlot(item.key, judge, place, repeat) for place, (item, repeat) in enumerate(mine)
        ]
    return slots


def repeats_problem(percent: int) -> str:
    """Why this percentage of responses cannot come twice; empty where it can."""
    possible = 0 <= percent <= MOST_REPEATED
    return "" if possible else f"Of a judge's responses 0 to {MOST_REPEATED} % can come twice."


def judge_seed(seed: int, judge: str) -> int:
    """The seed of one judge's own order, 52 bits: a size that every database and spreadsheet stores exactly."""
    return int(lot(seed, "judge", judge)[:13], 16)


def in_order(items: Iterable[Item], seed: int, order: str) -> list[Item]:
    """A judge's items in the order that the judge's own seed draws."""
    if order == RANDOM:
        return sorted(items, key=lambda item: lot(seed, item.key))
    return sorted(
        items,
        key=lambda item: (lot(seed, "instance", item.instance), item.instance, lot(seed, item.key)),
    )


def with_repeats(
    items: Sequence[Item], seed: int, order: str, percent: int
) -> list[tuple[Item, int]]:
    """A judge's items in their order as pairs (item, 1), and some again later as (item, 2).

    The repeated ones are drawn from the first half and put at random places in the second half; in the grouped order
    never between two responses to one question.
    """
    units = [list(unit) for _, unit in groupby(items, key=partial(_unit, order=order))]
    middle = len(units) // 2
    first = [item for unit in units[:middle] for item in unit]
    wanted = min(ceil(len(items) * percent / 100), len(first))
    drawn = sorted(first, key=lambda item: lot(seed, "again", item.key))[:wanted]
    again = groupby(in_order(drawn, seed, order), key=partial(_unit, order=order))
    later: list[list[list[Item]]] = [[] for _ in units[middle:]]
    for name, repeated in again:
        later[int(lot(seed, "place", name), 16) % len(later)].append(list(repeated))
    planned = [(item, 1) for item in first]
    for unit, between in zip(units[middle:], later, strict=True):
        planned += [(item, 1) for item in unit]
        planned += [(item, 2) for once_more in between for item in once_more]
    return planned


def _unit(item: Item, order: str) -> str:
    """The unit that an item belongs to: its question, or in the random order the response itself."""
    return item.instance if order == GROUPED else item.key


def _check(items: Sequence[Item], judges: Sequence[str], per_item: int, order: str) -> None:
    if order not in ORDERS:
        raise PlanError(f"The order {order!r} is none of {', '.join(ORDERS)}.")
    if per_item < 1:
        raise PlanError("Each response needs at least one judge.")
    if len(set(judges)) < len(judges):
        raise PlanError("A judge is chosen twice.")
    if len(judges) < per_item:
        raise PlanError(f"{per_item} judges per response are needed; chosen: {len(judges)}.")
    if len({item.key for item in items}) < len(items):
        raise PlanError("A response is named twice.")


def _seats(
    items: Sequence[Item], judges: Sequence[str], per_item: int, seed: int, order: str
) -> dict[str, frozenset[str]]:
    units: dict[str, list[str]] = {}
    for item in items:
        units.setdefault(_unit(item, order), []).append(item.key)
    load: Counter[str] = Counter()
    met: Counter[frozenset[str]] = Counter()
    seats = {}
    # Large units first: the small ones then balance the loads.
    for unit in sorted(units, key=lambda name: (-len(units[name]), lot(seed, "unit", name))):
        chosen = _choose(judges, per_item, load, met, partial(lot, seed, unit))
        for judge in chosen:
            load[judge] += len(units[unit])
        met.update(_pairs(chosen))
        seats.update(dict.fromkeys(units[unit], frozenset(chosen)))
    return seats


def _choose(
    judges: Sequence[str],
    per_item: int,
    load: Counter[str],
    met: Counter[frozenset[str]],
    chance: Callable[[str], str],
) -> list[str]:
    chosen: list[str] = []
    while len(chosen) < per_item:
        free = [judge for judge in judges if judge not in chosen]
        chosen.append(
            min(
                free,
                key=lambda judge: (
                    load[judge],
                    sum(met[frozenset((judge, other))] for other in chosen),
                    chance(judge),
                ),
            )
        )
    return chosen


def _pairs(chosen: Sequence[str]) -> list[frozenset[str]]:
    return [frozenset((a, b)) for place, a in enumerate(chosen) for b in chosen[place + 1 :]]

"""Who judges what, and in which order: planned from a stored seed, the same on every machine.

Each unit of work goes to `per_item` judges, so chosen that loads are level and that, among equals, those
who have met least often are paired. In the grouped order a unit is an instance, because reading its
passages is most of the work; in the random order a unit is a response.

Chance comes from SHA-256 over the seed and stable names, not from a generator's state: adding a judge or
reading rows in another order changes nothing else. Pure.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

GROUPED = "grouped"
RANDOM = "random"
ORDERS = (GROUPED, RANDOM)


class PlanError(ValueError):
    """A plan that cannot be made; the message says why."""


@dataclass(frozen=True)
class Item:
    """One response to judge: `key` names it, `instance` the question it answers."""

    key: str
    instance: str


@dataclass(frozen=True)
class PlannedSlot:
    """`judge` judges `item` as the `position`-th (from 0) in an order of their own."""

    item: str
    judge: str
    position: int


def lot(seed: int, *names: str) -> str:
    """The lot that these names draw under a seed; sorting by it shuffles."""
    drawn = "\x1f".join((str(seed), *names))
    return hashlib.sha256(drawn.encode("utf-8")).hexdigest()


def plan(
    items: Sequence[Item], judges: Sequence[str], *, per_item: int, seed: int, order: str = GROUPED
) -> list[PlannedSlot]:
    """All slots of a round; raises PlanError when the judges do not suffice or a name stands twice."""
    _check(items, judges, per_item, order)
    seats = _seats(items, judges, per_item, seed, order)
    slots = []
    for judge in sorted(judges):
        given = [item for item in items if judge in seats[item.key]]
        mine = in_order(given, judge_seed(seed, judge), order)
        slots += [PlannedSlot(item.key, judge, place) for place, item in enumerate(mine)]
    return slots


def judge_seed(seed: int, judge: str) -> int:
    """The seed of one judge's own order, 52 bits: it fits every database and every spreadsheet."""
    return int(lot(seed, "judge", judge)[:13], 16)


def in_order(items: Iterable[Item], seed: int, order: str) -> list[Item]:
    """A judge's items in the order that the judge's own seed draws."""
    if order == RANDOM:
        return sorted(items, key=lambda item: lot(seed, item.key))
    return sorted(
        items,
        key=lambda item: (lot(seed, "instance", item.instance), item.instance, lot(seed, item.key)),
    )


def _check(items: Sequence[Item], judges: Sequence[str], per_item: int, order: str) -> None:
    if order not in ORDERS:
        raise PlanError(f"The order {order!r} is none of {', '.join(ORDERS)}.")
    if per_item < 1:
        raise PlanError("Each response needs at least one judge.")
    if len(set(judges)) < len(judges):
        raise PlanError("A judge is named twice.")
    if len(judges) < per_item:
        raise PlanError(f"{per_item} judges per response were asked for, {len(judges)} are named.")
    if len({item.key for item in items}) < len(items):
        raise PlanError("A response is named twice.")


def _seats(
    items: Sequence[Item], judges: Sequence[str], per_item: int, seed: int, order: str
) -> dict[str, frozenset[str]]:
    units: dict[str, list[str]] = {}
    for item in items:
        units.setdefault(item.instance if order == GROUPED else item.key, []).append(item.key)
    load: Counter[str] = Counter()
    met: Counter[frozenset[str]] = Counter()
    seats = {}
    # Large units first: the small ones then level the loads.
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

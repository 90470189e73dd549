"""Which judge gets which responses, in which order: drawn from a stored seed, the same on every machine. Pure.

Each unit of work goes to `per_item` judges. They are chosen so that all judges have equal loads and, with equal loads,
so that those are paired who have shared the fewest units. In the grouped order a unit is an instance, because reading
its passages is most of the work; in the random order a unit is a response.

Draws are SHA-256 sums of the seed and stable names, not a generator's state: adding a judge or reading rows in another
order changes nothing else.

Judges rotate so, or form fixed teams that take whole units, or nobody is assigned: then each response has free slots
that the judges of a pool draw in one common order. Where a response has one judge, a share of the units can get two.

Where a study says so, nobody gets responses to questions that they wrote.

A judge can get a share of their responses twice, to measure their agreement with themselves: some of the first half of
their order again, between the questions of the second half.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from math import ceil

from datasets.drawing import lot
from leases.refusal import Refusal

GROUPED = "grouped"
RANDOM = "random"
ORDERS = (GROUPED, RANDOM)
ROTATION = "rotation"
FIXED = "fixed"
POOL = "pool"
PAIRINGS = (ROTATION, FIXED, POOL)
# Percent: responses that come twice are drawn from the first half of an order.
MOST_REPEATED = 50


class AssignmentError(Refusal):
    """An assignment that cannot be made; the message says why."""


@dataclass(frozen=True)
class PlannedItem:
    """One response to judge: `key` names it, `instance` the question it answers, `authors` who wrote that question."""

    key: str
    instance: str
    authors: frozenset[str] = frozenset()


@dataclass(frozen=True)
class PlannedSlot:
    """`judge` judges `item` as the `position`-th (from 0) in an order of their own; with `repeat` 2, once more.

    `seat` numbers the judges of an item from 1. In a pool there is no judge, and one order for all.
    """

    item: str
    judge: str | None
    position: int
    repeat: int = 1
    seat: int = 1


@dataclass(frozen=True)
class AssignmentRules:
    """How slots are planned: judges per item, which order, which pairing, from which seed.

    Of each judge's items `repeat_percent` (0 to MOST_REPEATED) percent come twice; with one judge per item
    `double_percent` percent of the units get two. `without_own`: nobody judges responses to their own questions.
    """

    per_item: int
    seed: int
    order: str = GROUPED
    repeat_percent: int = 0
    double_percent: int = 0
    pairing: str = ROTATION
    without_own: bool = False


def plan(
    items: Sequence[PlannedItem], judges: Sequence[str], rules: AssignmentRules
) -> list[PlannedSlot]:
    """All slots of a round; raises AssignmentError when there are too few judges or a name is given twice."""
    _check(items, judges, rules)
    units = _units(items, rules.order)
    asked = _asked(units, rules)
    teams = _teams_of(units, judges, asked, rules)
    if rules.pairing == POOL:
        return _free_slots(items, asked, rules)
    seats = _seats(units, teams, asked, rules)
    slots = []
    for judge in sorted(judges):
        given = [item for item in items if judge in seats[item.key]]
        own = judge_seed(rules.seed, judge)
        mine = with_repeats(
            in_order(given, own, rules.order), own, rules.order, rules.repeat_percent
        )
        slots += [
            PlannedSlot(item.key, judge, place, repeat, seats[item.key].index(judge) + 1)
            for place, (item, repeat) in enumerate(mine)
        ]
    return slots


def _free_slots(
    items: Sequence[PlannedItem], asked: Mapping[str, int], rules: AssignmentRules
) -> list[PlannedSlot]:
    """The slots of a pool, in the order in which they are drawn: all of a response, then the next one."""
    return [
        PlannedSlot(item.key, None, place, seat=seat)
        for place, item in enumerate(in_order(items, rules.seed, rules.order))
        for seat in range(1, asked[_unit(item, rules.order)] + 1)
    ]


def design_problem(rules: AssignmentRules) -> str:
    """Why slots cannot be planned in this way; empty where they can."""
    if rules.order not in ORDERS:
        return f"The order {rules.order!r} is none of {', '.join(ORDERS)}."
    if rules.pairing not in PAIRINGS:
        return f"{rules.pairing!r} is none of {', '.join(PAIRINGS)}."
    if rules.per_item < 1:
        return "Each response needs at least one judge."
    if not 0 <= rules.double_percent <= 100:
        return "0 to 100 % of the responses can be judged twice."
    if rules.double_percent and rules.per_item > 1:
        return (
            "A share judged twice is for studies with one judge per response. Set the share to 0."
        )
    if rules.pairing == POOL and rules.repeat_percent:
        return "In a pool no response comes twice to a judge. Set that percentage to 0, or assign the judges."
    return repeats_problem(rules.repeat_percent)


def repeats_problem(percent: int) -> str:
    """Why this percentage of responses cannot come twice; empty where it can."""
    possible = 0 <= percent <= MOST_REPEATED
    return "" if possible else f"Of a judge's responses 0 to {MOST_REPEATED} % can come twice."


def judge_seed(seed: int, judge: str) -> int:
    """The seed of one judge's own order, 52 bits: a size that every database and spreadsheet stores exactly."""
    return int(lot(seed, "judge", judge)[:13], 16)


def round_seed(seed: int, n: int) -> int:
    """The seed of a study's round `n` (from 1): the study's own for the first, so that a later order is another."""
    return seed if n == 1 else int(lot(seed, "round", str(n))[:13], 16)


def in_order(items: Iterable[PlannedItem], seed: int, order: str) -> list[PlannedItem]:
    """A judge's items in the order that the judge's own seed draws."""
    if order == RANDOM:
        return sorted(items, key=lambda item: lot(seed, item.key))
    return sorted(
        items,
        key=lambda item: (lot(seed, "instance", item.instance), item.instance, lot(seed, item.key)),
    )


def with_repeats(
    items: Sequence[PlannedItem], seed: int, order: str, percent: int
) -> list[tuple[PlannedItem, int]]:
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
    later: list[list[list[PlannedItem]]] = [[] for _ in units[middle:]]
    for name, repeated in again:
        later[int(lot(seed, "place", name), 16) % len(later)].append(list(repeated))
    planned = [(item, 1) for item in first]
    for unit, between in zip(units[middle:], later, strict=True):
        planned += [(item, 1) for item in unit]
        planned += [(item, 2) for once_more in between for item in once_more]
    return planned


def _unit(item: PlannedItem, order: str) -> str:
    """The unit that an item belongs to: its question, or in the random order the response itself."""
    return item.instance if order == GROUPED else item.key


def _check(items: Sequence[PlannedItem], judges: Sequence[str], rules: AssignmentRules) -> None:
    if problem := design_problem(rules):
        raise AssignmentError(problem)
    if len(set(judges)) < len(judges):
        raise AssignmentError("A judge is chosen twice.")
    needed = _most_asked(rules)
    if len(judges) < needed:
        raise AssignmentError(f"{needed} judges per response are needed; chosen: {len(judges)}.")
    if rules.pairing == FIXED and len(judges) % needed:
        raise AssignmentError(
            f"Fixed teams have {needed} judges each; {len(judges)} judges do not make whole teams."
        )
    if len({item.key for item in items}) < len(items):
        raise AssignmentError("A response is named twice.")


def _most_asked(rules: AssignmentRules) -> int:
    """How many judges an item has at most."""
    return 2 if rules.per_item == 1 and rules.double_percent else rules.per_item


def _units(items: Sequence[PlannedItem], order: str) -> dict[str, list[PlannedItem]]:
    units: dict[str, list[PlannedItem]] = {}
    for item in items:
        units.setdefault(_unit(item, order), []).append(item)
    return units


def _asked(units: Collection[str], rules: AssignmentRules) -> dict[str, int]:
    """How many judges the items of each unit get."""
    twice = ceil(len(units) * rules.double_percent / 100)
    drawn = sorted(units, key=lambda unit: lot(rules.seed, "twice", unit))[:twice]
    return dict.fromkeys(units, rules.per_item) | dict.fromkeys(drawn, _most_asked(rules))


def _teams_of(
    units: Mapping[str, list[PlannedItem]],
    judges: Sequence[str],
    asked: Mapping[str, int],
    rules: AssignmentRules,
) -> dict[str, list[list[str]]]:
    """For each unit the teams that can take it, without those who wrote its question where they may not judge it.

    Raises AssignmentError where there are units that none can take.
    """
    fixed = rules.pairing == FIXED
    teams = _teams(judges, _most_asked(rules), rules.seed) if fixed else [list(judges)]
    possible = {}
    for unit, items in units.items():
        barred = {name for item in items for name in item.authors} if rules.without_own else set()
        left = [[judge for judge in team if judge not in barred] for team in teams]
        possible[unit] = [team for team in left if len(team) >= asked[unit]]
    if lacking := {units[unit][0].instance for unit, left in possible.items() if not left}:
        chosen = (
            "no team of the chosen judges remains"
            if fixed
            else "too few of the chosen judges remain"
        )
        raise AssignmentError(
            f"Nobody judges their own questions here, and for {len(lacking)} "
            f"question{'s' if len(lacking) > 1 else ''} {chosen}. Add judges who did not write them."
        )
    return possible


def _seats(
    units: Mapping[str, list[PlannedItem]],
    teams: Mapping[str, list[list[str]]],
    asked: Mapping[str, int],
    rules: AssignmentRules,
) -> dict[str, list[str]]:
    """The judges of each item, sorted by name."""
    load: Counter[str] = Counter()
    met: Counter[frozenset[str]] = Counter()
    seats = {}
    most = max((sum(map(len, groups)) for groups in teams.values()), default=0)
    # Those that fewer judges can take first, then the large ones: the others balance the loads.
    for unit in sorted(
        units,
        key=lambda name: (
            sum(map(len, teams[name])) == most,
            -len(units[name]),
            lot(rules.seed, "unit", name),
        ),
    ):
        chance = partial(lot, rules.seed, unit)
        team = min(teams[unit], key=lambda team: (_mean_load(team, load), chance(*sorted(team))))
        chosen = _choose(team, asked[unit], load, met, chance)
        for judge in chosen:
            load[judge] += len(units[unit])
        met.update(_pairs(chosen))
        seats.update({item.key: sorted(chosen) for item in units[unit]})
    return seats


def _teams(judges: Sequence[str], size: int, seed: int) -> list[list[str]]:
    """Teams of `size` judges, drawn from the seed."""
    drawn = sorted(judges, key=lambda judge: lot(seed, "team", judge))
    return [drawn[place : place + size] for place in range(0, len(drawn), size)]


def _mean_load(team: Sequence[str], load: Counter[str]) -> float:
    return sum(load[judge] for judge in team) / len(team)


def _choose(
    judges: Sequence[str],
    per_item: int,
    load: Counter[str],
    met: Counter[frozenset[str]],
    chance: Callable[..., str],
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

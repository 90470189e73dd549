"""The plan of slots: who judges what, in which order."""

from collections import Counter
from itertools import combinations, pairwise

import pytest

from judging.rules import assignment
from judging.rules.assignment import GROUPED, RANDOM, Item, PlanError

ALICE, BOB, CHARLIE, DAVE = "alice", "bob", "charlie", "dave"


def items(instances=6, each=4):
    return [Item(f"r{i}-{n}", f"q{i}") for i in range(instances) for n in range(each)]


def judges_of(slots):
    judges = {}
    for slot in slots:
        judges.setdefault(slot.item, set()).add(slot.judge)
    return judges


@pytest.mark.parametrize("order", [GROUPED, RANDOM])
@pytest.mark.parametrize(("judges", "per_item"), [(1, 1), (2, 2), (3, 2), (4, 2), (5, 3)])
def test_each_response_gets_so_many_different_judges(order, judges, per_item):
    named = [ALICE, BOB, CHARLIE, DAVE, "erin"][:judges]
    slots = assignment.plan(items(), named, per_item=per_item, seed=7, order=order)
    assert len(slots) == 24 * per_item
    assert {len(who) for who in judges_of(slots).values()} == {per_item}


def test_loads_and_pairs_are_balanced_when_judges_outnumber_seats():
    slots = assignment.plan(items(12), [ALICE, BOB, CHARLIE, DAVE], per_item=2, seed=1)
    loads = Counter(slot.judge for slot in slots)
    assert set(loads.values()) == {24}
    pairs = Counter(frozenset(who) for who in judges_of(slots).values())
    assert set(pairs) == {frozenset(pair) for pair in combinations([ALICE, BOB, CHARLIE, DAVE], 2)}
    assert set(pairs.values()) == {8}


def test_instances_of_different_sizes_still_level_out():
    uneven = [Item(f"q{i}-{n}", f"q{i}") for i in range(30) for n in range(1 + i % 5)]
    loads = Counter(
        s.judge for s in assignment.plan(uneven, [ALICE, BOB, CHARLIE], per_item=2, seed=3)
    )
    assert max(loads.values()) - min(loads.values()) <= 1


def test_grouped_keeps_an_instance_together_and_shuffles_inside():
    slots = assignment.plan(items(), [ALICE, BOB], per_item=2, seed=5)
    mine = [slot.item for slot in sorted(slots, key=lambda s: s.position) if slot.judge == ALICE]
    instances = [name.split("-")[0] for name in mine]
    runs = [
        name for place, name in enumerate(instances) if place == 0 or instances[place - 1] != name
    ]
    assert len(runs) == 6
    assert runs != sorted(runs)
    inner = {name: [m for m in mine if m.startswith(name + "-")] for name in runs}
    assert any(order != sorted(order) for order in inner.values())


def test_random_scatters_instances():
    slots = assignment.plan(items(), [ALICE], per_item=1, seed=5, order=RANDOM)
    instances = [slot.item.split("-")[0] for slot in slots]
    changes = sum(a != b for a, b in pairwise(instances))
    assert changes > 10


def test_two_judges_have_different_orders():
    slots = assignment.plan(items(), [ALICE, BOB], per_item=2, seed=5)
    orders = {who: [s.item for s in slots if s.judge == who] for who in (ALICE, BOB)}
    assert sorted(orders[ALICE]) == sorted(orders[BOB])
    assert orders[ALICE] != orders[BOB]


def test_the_same_seed_gives_the_same_plan_whatever_the_order_of_input():
    first = assignment.plan(items(), [ALICE, BOB, CHARLIE], per_item=2, seed=11)
    again = assignment.plan(items()[::-1], [CHARLIE, ALICE, BOB], per_item=2, seed=11)
    assert first == again
    assert first != assignment.plan(items(), [ALICE, BOB, CHARLIE], per_item=2, seed=12)


def test_a_plan_is_the_same_on_every_machine():
    """Written out, so that another Python or another library cannot change a running study."""
    slots = assignment.plan(items(3, 2), [ALICE, BOB], per_item=1, seed=5)
    assert [(s.judge, s.position, s.item) for s in slots] == WRITTEN_OUT


WRITTEN_OUT = [
    (ALICE, 0, "r0-1"),
    (ALICE, 1, "r0-0"),
    (ALICE, 2, "r2-0"),
    (ALICE, 3, "r2-1"),
    (BOB, 0, "r1-1"),
    (BOB, 1, "r1-0"),
]


def in_order(slots, judge):
    mine = sorted((slot for slot in slots if slot.judge == judge), key=lambda slot: slot.position)
    return [(slot.item, slot.repeat) for slot in mine]


@pytest.mark.parametrize("order", [GROUPED, RANDOM])
@pytest.mark.parametrize(
    ("rows", "percent", "twice"),
    [
        (items(), 0, 0),
        (items(), 10, 3),
        (items(), 50, 12),
        (items(30), 10, 12),
        (items(1, each=2), 1, {GROUPED: 0, RANDOM: 1}),  # one question has no second half
        (items(3, each=4), 50, {GROUPED: 4, RANDOM: 6}),
        ([], 50, 0),
    ],
)
def test_a_share_comes_twice_the_second_time_in_the_second_half(order, rows, percent, twice):
    slots = assignment.plan(
        rows, [ALICE, BOB], per_item=2, seed=3, order=order, repeat_percent=percent
    )
    for judge in (ALICE, BOB):
        mine = in_order(slots, judge)
        assert [name for name, repeat in mine if repeat == 1] == [
            name
            for name, _ in in_order(
                assignment.plan(rows, [ALICE, BOB], per_item=2, seed=3, order=order), judge
            )
        ]
        again = [name for name, repeat in mine if repeat == 2]
        assert len(again) == len(set(again)) == (twice[order] if isinstance(twice, dict) else twice)
        for name in again:
            between = mine[mine.index((name, 1)) + 1 : mine.index((name, 2))]
            assert [repeat for _, repeat in between].count(1) >= 1


def test_repeats_come_between_questions_and_not_all_at_the_end():
    slots = assignment.plan(items(20), [ALICE], per_item=1, seed=3, repeat_percent=20)
    mine = in_order(slots, ALICE)
    for here, following in pairwise(mine):
        if here[1] != following[1]:
            assert here[0].split("-")[0] != following[0].split("-")[0]
    inside = [place for place, (_, repeat) in enumerate(mine) if repeat == 2]
    assert min(inside) < len(mine) * 0.75
    assert max(inside) > len(mine) * 0.75


def test_two_judges_get_other_responses_twice():
    slots = assignment.plan(items(20), [ALICE, BOB], per_item=2, seed=3, repeat_percent=10)
    again = [
        {name for name, repeat in in_order(slots, judge) if repeat == 2} for judge in (ALICE, BOB)
    ]
    assert again[0] != again[1]


@pytest.mark.parametrize("percent", [-1, 51])
def test_no_more_than_half_comes_twice(percent):
    with pytest.raises(PlanError, match="0 to 50 %"):
        assignment.plan(items(), [ALICE], per_item=1, seed=1, repeat_percent=percent)


def test_positions_count_from_zero_without_gaps():
    slots = assignment.plan(items(), [ALICE, BOB, CHARLIE], per_item=2, seed=9, order=RANDOM)
    for who in (ALICE, BOB, CHARLIE):
        places = [slot.position for slot in slots if slot.judge == who]
        assert places == list(range(len(places)))


@pytest.mark.parametrize(
    ("rows", "judges", "per_item", "order", "sentence"),
    [
        (items(), [ALICE], 2, GROUPED, "2 judges per response are needed; chosen: 1"),
        (items(), [ALICE, ALICE], 2, GROUPED, "A judge is chosen twice"),
        (items(), [ALICE], 0, GROUPED, "at least one judge"),
        (items(), [ALICE], 1, "alphabetical", "is none of"),
        ([Item("r", "q"), Item("r", "q")], [ALICE], 1, GROUPED, "A response is named twice"),
    ],
)
def test_plans_that_cannot_be_made(rows, judges, per_item, order, sentence):
    with pytest.raises(PlanError, match=sentence):
        assignment.plan(rows, judges, per_item=per_item, seed=1, order=order)

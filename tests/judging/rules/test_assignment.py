"""The plan of slots: who judges what, in which order."""

from collections import Counter
from itertools import combinations, pairwise

import pytest

from judging.rules import assignment
from judging.rules.assignment import (
    FIXED,
    GROUPED,
    POOL,
    RANDOM,
    AssignmentError,
    AssignmentRules,
    PlannedItem,
)

ALICE, BOB, CHARLIE, DAVE = "alice", "bob", "charlie", "dave"


def items(instances=6, each=4):
    return [PlannedItem(f"r{i}-{n}", f"q{i}") for i in range(instances) for n in range(each)]


def plan(rows, judges, **rules):
    return assignment.plan(rows, judges, AssignmentRules(**rules))


def judges_of(slots):
    judges = {}
    for slot in slots:
        judges.setdefault(slot.item, set()).add(slot.judge)
    return judges


@pytest.mark.parametrize("order", [GROUPED, RANDOM])
@pytest.mark.parametrize(("judges", "per_item"), [(1, 1), (2, 2), (3, 2), (4, 2), (5, 3)])
def test_each_response_gets_so_many_different_judges(order, judges, per_item):
    named = [ALICE, BOB, CHARLIE, DAVE, "erin"][:judges]
    slots = plan(items(), named, per_item=per_item, seed=7, order=order)
    assert len(slots) == 24 * per_item
    assert {len(who) for who in judges_of(slots).values()} == {per_item}


def test_loads_and_pairs_are_balanced_when_judges_outnumber_seats():
    slots = plan(items(12), [ALICE, BOB, CHARLIE, DAVE], per_item=2, seed=1)
    loads = Counter(slot.judge for slot in slots)
    assert set(loads.values()) == {24}
    pairs = Counter(frozenset(who) for who in judges_of(slots).values())
    assert set(pairs) == {frozenset(pair) for pair in combinations([ALICE, BOB, CHARLIE, DAVE], 2)}
    assert set(pairs.values()) == {8}


def test_instances_of_different_sizes_still_level_out():
    uneven = [PlannedItem(f"q{i}-{n}", f"q{i}") for i in range(30) for n in range(1 + i % 5)]
    loads = Counter(s.judge for s in plan(uneven, [ALICE, BOB, CHARLIE], per_item=2, seed=3))
    assert max(loads.values()) - min(loads.values()) <= 1


def test_grouped_keeps_an_instance_together_and_shuffles_inside():
    slots = plan(items(), [ALICE, BOB], per_item=2, seed=5)
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
    slots = plan(items(), [ALICE], per_item=1, seed=5, order=RANDOM)
    instances = [slot.item.split("-")[0] for slot in slots]
    changes = sum(a != b for a, b in pairwise(instances))
    assert changes > 10


def test_two_judges_have_different_orders():
    slots = plan(items(), [ALICE, BOB], per_item=2, seed=5)
    orders = {who: [s.item for s in slots if s.judge == who] for who in (ALICE, BOB)}
    assert sorted(orders[ALICE]) == sorted(orders[BOB])
    assert orders[ALICE] != orders[BOB]


def test_the_same_seed_gives_the_same_plan_whatever_the_order_of_input():
    first = plan(items(), [ALICE, BOB, CHARLIE], per_item=2, seed=11)
    again = plan(items()[::-1], [CHARLIE, ALICE, BOB], per_item=2, seed=11)
    assert first == again
    assert first != plan(items(), [ALICE, BOB, CHARLIE], per_item=2, seed=12)


def test_a_plan_is_the_same_on_every_machine():
    """Written out, so that another Python or another library cannot change a running study."""
    slots = plan(items(3, 2), [ALICE, BOB], per_item=1, seed=5)
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
    slots = plan(rows, [ALICE, BOB], per_item=2, seed=3, order=order, repeat_percent=percent)
    for judge in (ALICE, BOB):
        mine = in_order(slots, judge)
        assert [name for name, repeat in mine if repeat == 1] == [
            name
            for name, _ in in_order(
                plan(rows, [ALICE, BOB], per_item=2, seed=3, order=order), judge
            )
        ]
        again = [name for name, repeat in mine if repeat == 2]
        assert len(again) == len(set(again)) == (twice[order] if isinstance(twice, dict) else twice)
        for name in again:
            between = mine[mine.index((name, 1)) + 1 : mine.index((name, 2))]
            assert [repeat for _, repeat in between].count(1) >= 1


def test_repeats_come_between_questions_and_not_all_at_the_end():
    slots = plan(items(20), [ALICE], per_item=1, seed=3, repeat_percent=20)
    mine = in_order(slots, ALICE)
    for here, following in pairwise(mine):
        if here[1] != following[1]:
            assert here[0].split("-")[0] != following[0].split("-")[0]
    inside = [place for place, (_, repeat) in enumerate(mine) if repeat == 2]
    assert min(inside) < len(mine) * 0.75
    assert max(inside) > len(mine) * 0.75


def test_two_judges_get_other_responses_twice():
    slots = plan(items(20), [ALICE, BOB], per_item=2, seed=3, repeat_percent=10)
    again = [
        {name for name, repeat in in_order(slots, judge) if repeat == 2} for judge in (ALICE, BOB)
    ]
    assert again[0] != again[1]


@pytest.mark.parametrize("percent", [-1, 51])
def test_no_more_than_half_comes_twice(percent):
    with pytest.raises(AssignmentError, match="0 to 50 %"):
        plan(items(), [ALICE], per_item=1, seed=1, repeat_percent=percent)


def test_positions_count_from_zero_without_gaps():
    slots = plan(items(), [ALICE, BOB, CHARLIE], per_item=2, seed=9, order=RANDOM)
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
        (
            [PlannedItem("r", "q"), PlannedItem("r", "q")],
            [ALICE],
            1,
            GROUPED,
            "A response is named twice",
        ),
    ],
)
def test_plans_that_cannot_be_made(rows, judges, per_item, order, sentence):
    with pytest.raises(AssignmentError, match=sentence):
        plan(rows, judges, per_item=per_item, seed=1, order=order)


@pytest.mark.parametrize(
    ("order", "percent", "twice"), [(GROUPED, 50, 12), (RANDOM, 25, 6), (GROUPED, 1, 4)]
)
def test_a_share_of_what_one_judges_is_judged_by_two(order, percent, twice):
    """By question where they are grouped, so that all its prompts and models are among them."""
    rules = {"per_item": 1, "seed": 4, "order": order, "double_percent": percent}
    slots = plan(items(), [ALICE, BOB, CHARLIE], **rules)
    sizes = Counter(len(who) for who in judges_of(slots).values())
    assert sizes == {1: 24 - twice, 2: twice}
    assert {slot.seat for slot in slots} == {1, 2}
    loads = Counter(slot.judge for slot in slots)
    assert max(loads.values()) - min(loads.values()) <= 4


def test_fixed_teams_always_judge_together_and_share_evenly():
    slots = plan(items(12), [ALICE, BOB, CHARLIE, DAVE], per_item=2, seed=1, pairing=FIXED)
    pairs = Counter(frozenset(who) for who in judges_of(slots).values())
    assert sorted(pairs.values()) == [24, 24]
    assert not frozenset.intersection(*pairs)


def test_a_pool_has_free_slots_in_one_order_for_all():
    slots = plan(items(3, 2), [ALICE, BOB], per_item=2, seed=1, pairing=POOL)
    assert {slot.judge for slot in slots} == {None}
    assert [(slot.position, slot.seat) for slot in slots] == [
        (n, m) for n in range(6) for m in (1, 2)
    ]
    instances = [slot.item.split("-")[0] for slot in slots]
    assert sum(a != b for a, b in pairwise(instances)) == 2


@pytest.mark.parametrize(
    ("judges", "rules", "sentence"),
    [
        ([ALICE, BOB, CHARLIE], {"per_item": 2, "pairing": FIXED}, "do not make whole teams"),
        ([ALICE], {"per_item": 1, "double_percent": 10}, "2 judges per response are needed"),
        ([ALICE, BOB], {"per_item": 2, "double_percent": 10}, "with one judge per response"),
        ([ALICE, BOB], {"per_item": 1, "double_percent": 101}, "0 to 100 %"),
        ([ALICE, BOB], {"per_item": 1, "double_percent": -1}, "0 to 100 %"),
        ([ALICE], {"per_item": 2, "pairing": POOL}, "2 judges per response are needed"),
        ([ALICE, BOB], {"per_item": 2, "pairing": POOL, "repeat_percent": 10}, "In a pool"),
        ([ALICE, BOB], {"per_item": 2, "pairing": "friends"}, "is none of"),
    ],
)
def test_designs_that_cannot_be_planned(judges, rules, sentence):
    with pytest.raises(AssignmentError, match=sentence):
        plan(items(), judges, seed=1, **rules)


def written(authors, instances=12, each=2):
    """Responses to so many questions; question i has the i-th of these authors, over and over."""
    return [
        PlannedItem(f"r{i}-{n}", f"q{i}", frozenset({authors[i % len(authors)]}) - {""})
        for i in range(instances)
        for n in range(each)
    ]


@pytest.mark.parametrize("order", [GROUPED, RANDOM])
@pytest.mark.parametrize(
    "rules",
    [
        {"per_item": 2},
        {"per_item": 2, "pairing": FIXED},
        {"per_item": 1, "double_percent": 50},
        {"per_item": 2, "repeat_percent": 25},
    ],
)
def test_nobody_gets_their_own_questions_and_loads_stay_level(rules, order):
    rows = written([ALICE, BOB, ""])
    slots = plan(rows, [ALICE, BOB, CHARLIE, DAVE], seed=5, order=order, without_own=True, **rules)
    authors = {row.key: row.authors for row in rows}
    assert not [slot for slot in slots if slot.judge in authors[slot.item]]
    assert {slot.item for slot in slots} == set(authors)
    loads = Counter(slot.judge for slot in slots if slot.repeat == 1)
    assert max(loads.values()) - min(loads.values()) <= (4 if "pairing" not in rules else 16)


def test_own_questions_are_given_where_the_study_does_not_say_otherwise():
    rows = written([ALICE])
    assert plan(rows, [ALICE, BOB], per_item=2, seed=5) == plan(
        [PlannedItem(row.key, row.instance) for row in rows], [ALICE, BOB], per_item=2, seed=5
    )


@pytest.mark.parametrize(
    ("judges", "rules", "sentence"),
    [
        ([ALICE, BOB], {"per_item": 2}, "for 6 questions too few of the chosen judges remain"),
        ([ALICE], {"per_item": 1}, "for 6 questions too few"),
        ([ALICE, BOB], {"per_item": 2, "pairing": FIXED}, "for 6 questions no team"),
        ([ALICE, BOB], {"per_item": 2, "pairing": POOL}, "for 6 questions too few"),
    ],
)
def test_a_plan_without_own_questions_that_lacks_judges_is_refused(judges, rules, sentence):
    with pytest.raises(AssignmentError, match=sentence):
        plan(written([ALICE, ""]), judges, seed=1, without_own=True, **rules)


@pytest.mark.parametrize(
    "rules",
    [{"per_item": 1, "double_percent": 50}, {"per_item": 2, "pairing": FIXED}, {"per_item": 2}],
)
def test_repeats_come_to_the_judge_who_had_them_in_every_assigned_design(rules):
    slots = plan(items(20), [ALICE, BOB], seed=3, repeat_percent=20, **rules)
    again = [slot for slot in slots if slot.repeat == 2]
    first = {(slot.item, slot.judge): slot.position for slot in slots if slot.repeat == 1}
    assert again
    assert all(slot.position > first[slot.item, slot.judge] for slot in again)

"""Drawing a campaign's tags: pure."""

from collections import Counter

import pytest

from annotation.campaigns.tag_drawing import CampaignPlan, FramedTag, draw_tags, first_drawn

A, B, C = "inconsistent", "self-contradictory", "contradict-other"
FRAME = [
    FramedTag(n, (A, A, A, B, B, C)[n % 6], 100 + n) for n in range(60)
]  # 30 of A, 20 of B, 10 of C


def drawn(plan, frame=FRAME):
    return draw_tags(frame, plan)


def main(drawing):
    """The tags of the main round that are drawn, in order."""
    last = max(each.round for each in drawing.drawn)
    return [each for each in drawing.drawn if each.round == last and not each.is_reserve]


@pytest.mark.parametrize(
    ("plan", "tags", "reserve", "assignments", "doubles"),
    [
        (CampaignPlan(), 60, 0, 60, 0),
        (CampaignPlan(people_per_tag=2), 60, 0, 120, 60),
        (CampaignPlan(limit=10), 10, 0, 10, 0),
        (CampaignPlan(limit=100), 60, 0, 60, 0),
        (CampaignPlan(limit=10, reserve=5), 10, 5, 10, 0),
        (CampaignPlan(limit=58, reserve=5), 58, 2, 58, 0),
        (CampaignPlan(people_per_tag=2, double_share=0.25, limit=20), 20, 0, 25, 5),
        (CampaignPlan(people_per_tag=3, double_share=0, limit=20), 20, 0, 20, 0),
        (CampaignPlan(strata={A: 12, C: 4}, reserve=3), 16, 6, 16, 0),
        (CampaignPlan(strata={A: 12, C: 10}, reserve=3), 22, 3, 22, 0),
        (CampaignPlan(limit=10, pilot=4), 10, 0, 4 + 10, 0),
        (CampaignPlan(people_per_tag=2, double_share=0.5, limit=10, pilot=4), 10, 0, 8 + 15, 5),
    ],
)
def test_numbers(plan, tags, reserve, assignments, doubles):
    drawing = drawn(plan)
    assert (drawing.tags, drawing.reserve, drawing.assignments, drawing.doubles) == (
        tags,
        reserve,
        assignments,
        doubles,
    )


def test_each_stratum_gets_its_number_and_its_reserve():
    drawing = drawn(CampaignPlan(strata={A: 12, B: 3, C: 20}, reserve=4, seed=3))
    assert Counter(each.tag.kind for each in main(drawing)) == {A: 12, B: 3, C: 10}
    assert [(each.kind, each.frame, each.wanted, each.drawn, each.reserve) for each in drawing.strata] == [
        (A, 30, 12, 12, 4),
        (B, 20, 3, 3, 4),
        (C, 10, 20, 10, 0),
    ]  # fmt: skip


def test_a_stratum_without_a_tag_is_in_the_drawing_with_none():
    drawing = drawn(CampaignPlan(strata={A: 2, C: 2}), [each for each in FRAME if each.kind != C])
    assert [(each.kind, each.frame, each.drawn) for each in drawing.strata] == [
        (A, 30, 2),
        (C, 0, 0),
    ]


def test_the_seed_gives_the_order_whatever_is_drawn():
    order = [each.tag.tag for each in drawn(CampaignPlan(seed=7)).drawn]
    assert sorted(order) == list(range(60)) != order
    assert [each.tag.tag for each in drawn(CampaignPlan(seed=7)).drawn] == order
    assert [each.tag.tag for each in drawn(CampaignPlan(seed=8)).drawn] != order
    some = drawn(CampaignPlan(seed=7, limit=10, reserve=5))
    assert [each.tag.tag for each in some.drawn] == order[:15]


def test_strata_are_mixed_in_the_order():
    kinds = [each.tag.kind for each in main(drawn(CampaignPlan(strata={A: 10, B: 10}, seed=1)))]
    assert len({*kinds[:6]}) == 2


def test_the_first_tags_are_those_for_several_people():
    drawing = drawn(CampaignPlan(people_per_tag=2, double_share=0.2, limit=20))
    assert [each.people for each in main(drawing)] == [2] * 4 + [1] * 16
    assert [each.order for each in drawing.drawn] == list(range(20))


def test_the_pilot_has_the_first_tags_in_a_round_before():
    drawing = drawn(CampaignPlan(people_per_tag=2, double_share=0, limit=10, reserve=2, pilot=3))
    pilot = [each for each in drawing.drawn if each.round == 1]
    assert [(each.order, each.people) for each in pilot] == [(0, 2), (1, 2), (2, 2)]
    assert [each.tag for each in pilot] == [each.tag for each in main(drawing)[:3]]
    assert {each.round for each in drawing.drawn if each.is_reserve} == {2}
    assert first_drawn(drawing, 4) == drawing.drawn[:4]

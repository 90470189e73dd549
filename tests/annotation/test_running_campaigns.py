"""A campaign's frame, and how it runs: rounds, people, quotas, the reserve, the stop rule."""

from itertools import product

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.roles import Role
from annotation.blinding import seeing
from annotation.campaigns import campaign_people, managing, reserve
from annotation.campaigns.opening import CampaignDesign, Frame, dry_run, fingerprint, open_campaign
from annotation.campaigns.reserve import valid_tags
from annotation.models import Seen
from annotation.reviewing import deciding
from annotation.reviewing.combining import Merge
from annotation.reviewing.merging import FieldSources
from annotation.reviewing.publishing_tags import publish
from annotation.states import CampaignState
from annotation.workflow import assigning, claiming
from leases.refusal import Conflict, Refusal, StaleVersion
from tests.annotation import factories as make
from tests.factories import person, stored
from wikifetch.models import FetchRun, Tag

pytestmark = [pytest.mark.both, pytest.mark.django_db]

INVALID = make.nothing(validity="Invalid", valid_comment="Both are right.", confidence=4)


@pytest.fixture
def alice():
    return make.annotator("alice")


@pytest.fixture
def bob():
    return make.annotator("bob")


def take(who, campaign=None):
    return claiming.next_assignment(by=who, campaign=campaign)


def states(campaign):
    """The states of the campaign's assignments, in their order."""
    return list(
        campaign.assignments.order_by("round", "order", "slot").values_list("state", flat=True)
    )


def skip(who, campaign):
    claiming.skip(assignment_id=take(who, campaign).pk, by=who, reason="Greek")


# ---------------------------------------------------------------- frames


def fetched(pages, *, state="done", **columns):
    wiki = Tag.objects.first().article.wiki
    defaults = {"source": "titles", "label": "some", "queue": pages, "cursor": len(pages)}
    return FetchRun.objects.create(wiki=wiki, state=state, **{**defaults, **columns})


def pages_in(frame):
    tags = Tag.objects.filter(pk__in=[each.tag for each in frame.tags()])
    return sorted(tags.values_list("article__pageid", flat=True))


def test_a_frame_is_narrowed_by_fetch_category_date_and_words():
    for title in ("Kettle Mill", "Marl Bridge", "Carr Mill", "Salt Pier"):
        make.tag(title)
    one, three = fetched([1, 2, 99]), fetched([3, 4], cursor=1)
    fetched([2, 3], source="category", options={"category": "Mills"})
    fetched([4], source="category", options={"category": "Mills"})
    expected = {
        Frame(): [1, 2, 3, 4],
        Frame(fetch=one.pk): [1, 2],
        Frame(fetch=three.pk): [3],  # of which it has taken one page
        Frame(category="Mills"): [2, 3, 4],
        Frame(fetch=one.pk, words="mill"): [1],
        Frame(words="mill"): [1, 3],
        Frame(since=2022): [],
    }
    assert {frame: pages_in(frame) for frame in expected} == expected


@pytest.mark.parametrize("state", ["waiting", "running"])
def test_a_fetch_that_is_at_work_is_no_frame(state):
    make.tag()
    run = fetched([1], state=state, source="category", options={"category": "Mills"})
    for frame in (Frame(fetch=run.pk), Frame(category="Mills")):
        with pytest.raises(Conflict, match="Wait until it is done, or pause or cancel it"):
            dry_run(CampaignDesign(frame))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"plan": {"strata": {"inconsistent": 1, "contradict-other": 2}}}, "No live tag of the kind “Contra"),
        ({"plan": {"strata": {"other": 1}}}, "no kind of tag"),
        ({"plan": {"reserve": 2}}, "none is left for the reserve"),
        ({"plan": {"pilot": 4}}, "only 3 are drawn"),
        ({"limits": {"stop_at_valid": 4}}, "has 3 with its reserve"),
        ({"frame": Frame(fetch=999999)}, "There is no fetch 999999"),
        ({"people": 3, "chosen": 2}, "for 3 people, and 2 are chosen"),
        ({"people": 1, "plan": {"pilot": 1}, "chosen": 1}, "Choose more people, or let the pilot"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused_with_what_to_change(options, expected):
    chosen = tuple(make.annotator(f"a{n}") for n in range(options.pop("chosen", 0)))
    with pytest.raises(Refusal, match=expected):
        make.campaign(tags=3, **options, **({"chosen": chosen} if chosen else {}))


def test_only_annotators_are_chosen():
    with pytest.raises(Refusal, match="is not an annotator"):
        make.campaign(chosen=(person("rita", Role.RESEARCHER),))


def test_tags_that_changed_since_the_dry_run_are_shown_again_first():
    make.tag()
    design = CampaignDesign()
    shown = fingerprint(dry_run(design))
    late = make.tag()
    opening = {"name": "Mills", "collection": make.collection(), "design": design, "by": None}
    with pytest.raises(StaleVersion, match="has changed since you saw it"):
        open_campaign(**opening, shown=shown)
    Tag.objects.filter(pk=late.pk).update(state="gone")
    assert open_campaign(**opening, shown=shown).frame_size == 1


# ---------------------------------------------------------------- who gets a tag


def test_of_three_people_on_two_places_the_third_gets_none(alice, bob):
    campaign = make.campaign(people=2)
    assert take(alice, campaign).tag == take(bob, campaign).tag
    assert take(make.annotator("charlie"), campaign) is None


def test_a_campaign_for_chosen_people_gives_others_nothing(alice, bob):
    campaign = make.campaign(tags=2, chosen=(alice,))
    assert take(bob) is None
    assert take(alice).campaign == campaign


def test_a_quota_is_of_tags_held_and_submitted_not_of_those_given_up(alice):
    campaign = make.campaign(tags=4, limits={"quota": 2})
    skip(alice, campaign)
    make.submitted(alice, within=campaign)
    last = take(alice, campaign)
    assert take(alice, campaign) is None
    claiming.hand_back(assignment_id=last.pk, by=alice)
    assert take(alice, campaign) is not None


def test_real_work_comes_before_the_demonstration(alice):
    make.tag()
    first = make.campaign(tags=0)
    type(first).objects.update(is_demonstration=True)
    real = make.campaign(tags=1, name="Real", by=make.admin("otto"))
    assert [take(alice).campaign for _ in range(3)] == [real, real, first]


def test_who_works_in_a_campaign_is_the_same_in_a_claim_and_in_a_query(alice):
    """people.open_to reads rows that people.works_in joins."""
    for n, (chosen, removed) in enumerate(product((True, False), (None, True, False))):
        campaign = make.campaign(tags=1, name=f"C{n}", by=make.admin(f"olga{n}"))
        type(campaign).objects.filter(pk=campaign.pk).update(for_chosen=chosen)
        if removed is not None:
            managing.add_person(campaign, alice)
        if removed:
            assigning.remove_person(campaign, alice)
    in_query = set(
        campaign_people.works_in(alice).filter(state="open").values_list("pk", flat=True)
    )
    assert {each.pk for each in campaign_people.open_to(alice)} == in_query
    assert len(in_query) == 3  # chosen and not removed, twice; for everybody and not named


# ---------------------------------------------------------------- pilot and main round


def test_the_main_round_s_tags_wait_until_it_is_opened_and_go_to_other_people(alice, bob):
    campaign = make.campaign(tags=2, plan={"pilot": 1})
    pilot = take(alice, campaign)
    assert (pilot.round, take(alice, campaign)) == (1, None)
    managing.open_main_round(campaign)
    assert [take(alice, campaign).tag != pilot.tag, take(alice, campaign)] == [True, None]
    assert (place := take(bob, campaign)).tag == pilot.tag
    assert place.round == 2
    with pytest.raises(Conflict, match="open already"):
        managing.open_main_round(campaign)


def test_the_pilot_s_people_get_its_tags_again_if_the_campaign_lets_them(alice):
    campaign = make.campaign(tags=1, plan={"pilot": 1}, pilot_again=True)
    pilot = take(alice, campaign)
    managing.open_main_round(campaign)
    assert take(alice, campaign).tag == pilot.tag
    assert take(alice, campaign) is None


def test_a_campaign_without_a_pilot_has_no_further_round():
    with pytest.raises(Conflict, match="open already"):
        managing.open_main_round(make.campaign())


# ---------------------------------------------------------------- the reserve


def test_a_withdrawn_tag_is_replaced_by_one_of_its_stratum_for_as_many_people():
    for kind in ("inconsistent", "contradict-other") * 3:
        make.tag(kind=kind)
    strata = {"inconsistent": 1, "contradict-other": 1}
    campaign = make.campaign(tags=0, people=2, plan={"strata": strata, "reserve": 1})
    rows = campaign.assignments.filter(sighting__kind="contradict-other")
    for row in rows.filter(state="free"):
        assert rows.filter(
            state="reserve"
        ).exists()  # one person is left until the second is withdrawn
        make.withdraw(row.pk, campaign)
    assert sorted(rows.values_list("state", flat=True)) == [
        "free",
        "free",
        "withdrawn",
        "withdrawn",
    ]
    assert campaign.assignments.filter(state="reserve").count() == 1


def test_a_reserve_that_has_run_out_replaces_nothing():
    campaign = make.campaign(tags=3, plan={"limit": 2, "reserve": 1})
    for row in campaign.assignments.filter(state="free"):
        make.withdraw(row.pk, campaign)
    assert states(campaign) == ["withdrawn", "withdrawn", "free"]


def test_a_reserve_tag_that_is_gone_is_not_released():
    campaign = make.campaign(tags=2, plan={"limit": 1, "reserve": 1})
    Tag.objects.filter(assignments__state="reserve").update(state="gone")
    make.withdraw(campaign.assignments.get(state="free").pk, campaign)
    assert states(campaign) == ["withdrawn", "reserve"]


def test_a_tag_that_everybody_skips_is_replaced(alice, bob):
    campaign = make.campaign(tags=2, chosen=(alice, bob), plan={"limit": 1, "reserve": 1})
    skip(alice, campaign)
    assert states(campaign) == ["skipped", "free", "reserve"]
    skip(bob, campaign)
    assert states(campaign) == ["skipped", "skipped", "withdrawn", "free"]
    skip(alice, campaign)
    skip(bob, campaign)  # and the reserve is used up: it waits for further people
    assert states(campaign)[3:] == ["skipped", "skipped", "free"]


def test_a_tag_that_only_the_pilot_s_people_could_get_is_replaced(alice, bob):
    carla = make.annotator("carla")
    campaign = make.campaign(
        tags=2, chosen=(alice, bob, carla), plan={"limit": 1, "reserve": 1, "pilot": 1}
    )
    make.submitted(alice, within=campaign)
    managing.open_main_round(campaign)
    main = campaign.assignments.filter(round=2)
    for one in (bob, carla):
        skip(one, campaign)
    assert [row.state for row in main.order_by("order", "slot")][-1] == "free"
    assert not main.filter(state="reserve").exists()


def test_a_tag_that_everybody_gave_up_or_skipped_is_replaced(alice, bob):
    campaign = make.campaign(tags=3, chosen=(alice, bob), plan={"limit": 1, "reserve": 2})
    skip(alice, campaign)
    give_up(bob, campaign.assignments.filter(order=0))
    assert states(campaign) == ["skipped", "withdrawn", "free", "reserve"]
    seeing.note(by=alice, tag=campaign.assignments.get(order=1).tag_id, opened="/")
    assert states(campaign)[2:] == ["free", "reserve"]
    give_up(bob, campaign.assignments.filter(order=1))
    assert states(campaign)[2:] == ["withdrawn", "free"]


def test_a_tag_that_is_given_up_once_it_is_submitted_is_not_replaced(alice, bob):
    campaign = make.campaign(tags=2, people=2, chosen=(alice, bob), plan={"limit": 1, "reserve": 1})
    make.submitted(alice, within=campaign)
    give_up(bob, campaign.assignments.filter(order=0))
    assert states(campaign) == ["submitted", "free", "reserve"]


def test_a_tag_that_the_people_left_gave_up_is_replaced_once_another_is_removed(alice, bob):
    campaign = make.campaign(tags=2, chosen=(alice, bob), plan={"limit": 1, "reserve": 1})
    give_up(alice, campaign.assignments.filter(order=0))
    assert states(campaign) == ["free", "reserve"]
    assigning.remove_person(campaign, bob)
    assert states(campaign) == ["withdrawn", "free"]


def test_of_a_campaign_that_gives_out_seen_tags_none_is_replaced_until_it_does_so_no_more(alice):
    campaign = make.campaign(tags=2, chosen=(alice,), plan={"limit": 1, "reserve": 1})
    seeing.let_people_annotate_what_they_saw(campaign, True)
    give_up(alice, campaign.assignments.filter(order=0))
    assert states(campaign) == ["free", "reserve"]
    seeing.let_people_annotate_what_they_saw(campaign, False)
    assert states(campaign) == ["withdrawn", "free"]


def test_a_reserve_tag_that_everybody_gave_up_is_not_released(alice):
    campaign = make.campaign(tags=3, chosen=(alice,), plan={"limit": 1, "reserve": 2})
    give_up(alice, campaign.assignments.filter(order=1))
    skip(alice, campaign)
    assert states(campaign) == ["skipped", "withdrawn", "reserve", "free"]


def test_a_tag_that_is_given_up_again_is_replaced_once_for_as_many_people(alice, bob):
    campaign = make.campaign(tags=3, people=2, chosen=(alice, bob), plan={"limit": 1, "reserve": 2})
    for who in (alice, bob, alice):
        give_up(who, campaign.assignments.filter(order=0))
    assert states(campaign) == ["withdrawn", "withdrawn", "free", "free", "reserve"]


def statements_of_giving_up(who, rows):
    with CaptureQueriesContext(connection) as done:
        give_up(who, rows)
    return len(done)


@pytest.mark.parametrize("has_reserve", [True, False])
def test_many_given_up_tags_are_replaced_in_as_few_statements_as_few(alice, has_reserve):
    strata = {"inconsistent": 55 if has_reserve else 100, "contradict-other": 1}
    make.tag(kind="contradict-other")
    make.tag(kind="contradict-other")
    plan = {"strata": strata, "reserve": 60} if has_reserve else {"strata": strata, "reserve": 1}
    campaign = make.campaign(tags=120, chosen=(alice,), plan=plan)
    rows = campaign.assignments.filter(state="free", sighting__kind="inconsistent")
    if not has_reserve:  # of the stratum; of another one there is
        campaign.assignments.filter(state="reserve", sighting__kind="inconsistent").delete()
    assert campaign.assignments.filter(state="reserve").exists()
    few = statements_of_giving_up(
        alice, rows.filter(pk__in=[*rows.values_list("pk", flat=True)[:5]])
    )
    keys = (
        rows.exclude(tag__in=Seen.objects.values("tag"))
        .order_by("order")
        .values_list("pk", flat=True)
    )
    many = statements_of_giving_up(alice, rows.filter(pk__in=[*keys[:50]]))
    assert campaign.assignments.filter(state="withdrawn").count() == (55 if has_reserve else 0)
    assert few == many


def test_more_tags_than_a_statement_names_are_replaced_in_the_order_of_the_draw(alice, monkeypatch):
    locked = []
    lock = reserve._locked
    for module in (reserve, seeing):
        monkeypatch.setattr(module, "BATCH", 2)
    monkeypatch.setattr(reserve, "_locked", lambda key: (locked.append(key), lock(key))[1])
    campaign = make.campaign(tags=8, chosen=(alice,), plan={"limit": 5, "reserve": 3})
    give_up(alice, campaign.assignments.filter(state="free"))
    assert states(campaign) == ["withdrawn"] * 3 + ["free"] * 5
    assert locked == [
        campaign.pk
    ]  # once, after all assignments: the order in which a skip locks them


def give_up(who, rows):
    tags = rows.order_by().values_list("tag", flat=True)
    seeing.give_up(by=who, tags=tags, opened="/")


# ---------------------------------------------------------------- the stop rule


def test_the_campaign_closes_when_enough_tags_are_valid_and_people_finish_what_they_hold(
    alice, bob
):
    campaign = make.campaign(tags=4, limits={"stop_at_valid": 1})
    begun = make.draft(bob, within=campaign)
    make.submitted(alice, within=campaign, entries=INVALID)
    assert stored(campaign).state == CampaignState.OPEN
    valid = make.submitted(alice, within=campaign)
    assert stored(campaign).state == CampaignState.CLOSED
    assert take(alice, campaign) is None
    handed_in = make.handed_in(begun)
    with pytest.raises(Refusal, match="stops at 1 valid"):
        managing.change_campaign(campaign, "reopen")
    for each in (valid, handed_in):
        make.decide(each, make.admin(f"otto{each.pk}"), "drop", "Nobody knows.")
    managing.change_campaign(stored(campaign), "reopen")
    assert take(alice, campaign) is not None


def test_the_stop_rule_takes_from_the_reserve_what_invalid_tags_leave_short(alice):
    campaign = make.campaign(tags=3, plan={"limit": 1, "reserve": 2}, limits={"stop_at_valid": 1})
    make.submitted(alice, within=campaign, entries=INVALID)
    assert states(campaign) == ["submitted", "free", "reserve"]
    make.submitted(alice, within=campaign)
    assert states(campaign) == ["submitted", "submitted", "reserve"]
    assert stored(campaign).state == CampaignState.CLOSED


def asked_after_a_submission(campaign, *, is_valid):
    with transaction.atomic(), CaptureQueriesContext(connection) as done:
        reserve.follow_submission(campaign.pk, is_valid=is_valid)
    return [one["sql"] for one in done]


@pytest.mark.parametrize("size", [2, 12])
def test_the_stop_rule_is_followed_by_as_few_statements_in_a_large_campaign(
    alice, size, without_statistics
):
    drawn = {"limit": 2 * size, "reserve": 3}
    limits = {"stop_at_valid": size, "quota": size}
    campaign = make.campaign(tags=2 * size + 3, plan=drawn, limits=limits)
    for entries in (INVALID, *[None] * (size - 1)):
        make.submitted(alice, within=campaign, entries=entries)
    of_valid = asked_after_a_submission(campaign, is_valid=True)
    # The campaign; how many are submitted; how many are valid.
    assert len(of_valid) == 3
    # The campaign; whether there is a reserve; how many are to come.
    assert len(asked_after_a_submission(campaign, is_valid=False)) == 3
    assert stored(campaign).state == CampaignState.OPEN
    if connection.vendor == "sqlite":  # PostgreSQL plans by the sizes of tables
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {of_valid[-1]}")
            plan = "\n".join(row[-1] for row in cursor.fetchall())
        assert "annotation_annotation USING COVERING INDEX annotation_counted" in plan
        assert "SCAN annotation_" not in plan, plan


@pytest.mark.parametrize(("taken", "count"), [(("span_1",), 1), (("validity", "valid_comment"), 0)])
def test_of_a_merge_its_result_says_whether_the_tag_is_valid(alice, bob, taken, count):
    campaign = make.campaign(people=2, tags=2)
    rest = {} if count else INVALID
    pair = [
        make.submitted(alice, within=campaign),
        make.submitted(bob, within=campaign, entries=rest or make.whole(span_1="1801")),
    ]
    assert valid_tags(campaign) == 1
    at, (one, two) = make.place_of(pair[0]), (row.pk for row in pair)
    how = Merge(FieldSources(one, dict.fromkeys(taken, two)), {0: [f"{one}-1"]})
    kept = deciding.merge(at, how, by=make.admin("otto"), read=make.read_by(at))
    assert valid_tags(campaign) == count
    publish(kept)
    assert valid_tags(campaign) == count

"""The queries of blindness, against the pure rules and against each other."""

from itertools import product

import pytest

from accounts.roles import Role
from annotation.blinding import hiding, rules
from annotation.blinding.rules import OthersWork, TagSlot, may_come, may_see
from annotation.models import Annotation, Assignment, Campaign, CampaignPerson, Seen
from annotation.states import AnnotationState, AssignmentState
from annotation.workflow.claiming import free_assignments
from tests.annotation import factories as make
from tests.factories import person

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def campaign(**columns):
    name = f"Campaign {Campaign.objects.count()}"
    return Campaign.objects.create(name=name, collection=make.collection(), **columns)


def slot(within, tag, n, state, who=None):
    return Assignment.objects.create(
        campaign=within, tag=tag, sighting=tag.latest, slot=n, state=state, person=who
    )


def by_other(tag, other):
    """Somebody else's submitted annotation of the tag, of no campaign any more."""
    return Annotation.objects.create(
        sighting=tag.latest, author=other, state=AnnotationState.SUBMITTED, validity="Invalid"
    )


@pytest.mark.parametrize("roles", [[Role.ANNOTATOR], list(Role), [Role.ADMIN]])
def test_the_queries_say_what_the_rules_say(roles):
    """Every state of a slot, whose it is, with a further slot, in each kind of campaign, seen or not."""
    alice, bob = person("alice", *roles), make.annotator("bob")
    campaigns = {
        (is_open, gives): campaign(state="open" if is_open else "closed", gives_seen_tags=gives)
        for is_open in (True, False)
        for gives in (True, False)
    }
    cases = product(
        ("reserve", "free", "held", "submitted", "skipped", "unneeded", "withdrawn"),
        (True, False),  # alice's slot
        (True, False),  # a further free one
        campaigns,
        (True, False),  # seen
    )
    expected = {}
    claimable = set()
    for state, mine, further, (is_open, gives), seen in cases:
        if mine and state in ("reserve", "free"):
            continue
        tag = make.tag()
        by_other(tag, bob)
        within = campaigns[is_open, gives]
        slot(
            within, tag, 1, state, None if state in ("reserve", "free") else alice if mine else bob
        )
        had = mine and state in ("held", "submitted", "skipped", "unneeded", "withdrawn")
        facts = [TagSlot(state, True, mine, had, gives)]
        if further:
            slot(within, tag, 2, "free")
            facts.append(TagSlot("free", True, False, had, gives))
        if seen:
            Seen.objects.create(person=alice, tag=tag, opened="/")
        expected[tag.pk] = may_see(facts, annotates=Role.ANNOTATOR in roles, has_seen=seen)
        comes = [each for each in facts if may_come(each) and each.state == "free"]
        if is_open and comes and (gives or not seen):
            claimable.add(tag.pk)
    hidden = hiding.hidden_from(alice, Annotation.objects.all()).values_list(
        "sighting__tag", flat=True
    )
    assert set(hidden) == {tag for tag, answer in expected.items() if answer != OthersWork.SHOWN}
    shown = hiding.shown_to(alice, Annotation.objects.all()).values_list("sighting__tag", flat=True)
    assert set(shown) == {tag for tag, answer in expected.items() if answer == OthersWork.SHOWN}
    assert set(free_assignments(alice).values_list("tag", flat=True)) == claimable


@pytest.mark.parametrize("pilot_again", [True, False])
def test_a_tag_of_the_pilot_is_hidden_again_where_the_main_round_may_bring_it(pilot_again):
    alice, bob, tag = make.annotator("alice"), make.annotator("bob"), make.tag()
    within = campaign(pilot_tags=1, pilot_again=pilot_again)
    by_other(tag, bob)
    slot(within, tag, 1, "submitted", alice)
    assert not hiding.hidden_from(alice, Annotation.objects.all()).exists()
    Assignment.objects.create(campaign=within, tag=tag, sighting=tag.latest, slot=1, round=2)
    assert hiding.hidden_from(alice, Annotation.objects.all()).exists() is pilot_again


@pytest.mark.parametrize(("chosen", "is_hidden"), [("alice", True), ("carol", False)])
def test_a_campaign_for_chosen_people_hides_its_tags_from_them_alone(chosen, is_hidden):
    people = {name: make.annotator(name) for name in ("alice", "carol")}
    tag, within = make.tag(), campaign(for_chosen=True)
    CampaignPerson.objects.create(campaign=within, person=people[chosen])
    by_other(tag, make.annotator("bob"))
    slot(within, tag, 1, "free")
    assert hiding.hidden_from(people["alice"], Annotation.objects.all()).exists() is is_hidden


def test_ones_own_work_is_never_hidden():
    alice, tag = make.annotator("alice"), make.tag()
    slot(campaign(), tag, 1, "free")
    by_other(tag, alice)
    assert not hiding.hidden_from(alice, Annotation.objects.all()).exists()


def test_every_state_that_is_not_over_counts_as_unfinished():
    over = {"submitted", "skipped", "withdrawn"}
    assert set(rules.UNFINISHED) == set(AssignmentState.values) - over

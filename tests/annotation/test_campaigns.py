"""Assigning tags to people."""

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from annotation.campaigns import managing
from annotation.campaigns.opening import Frame
from annotation.models import Annotation, Assignment, Campaign
from annotation.states import AnnotationState, AssignmentState
from annotation.workflow import claiming
from annotation.workflow.in_hand import HandsFull
from leases.clock import in_seconds
from leases.refusal import Conflict, NotFoundHere, Refusal
from tests.annotation import factories as make
from tests.races import at_once

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def take(person, campaign=None):
    return claiming.next_assignment(by=person, campaign=campaign)


def expire(place):
    Assignment.objects.filter(pk=place.pk).update(lease_until=in_seconds(-1))


# ---------------------------------------------------------------- opening


def test_every_live_tag_gets_a_place_for_each_person_and_pins_its_sighting():
    campaign = make.campaign(tags=3, people=2)
    places = campaign.assignments.all()
    assert campaign.frame_size == 3
    assert len({(place.tag_id, place.slot) for place in places}) == 6
    assert all(place.sighting_id == place.tag.latest_id for place in places)


def test_only_the_kinds_asked_for_are_drawn():
    make.tag(kind="contradict-other")
    campaign = make.campaign(tags=2, frame=Frame(kinds=("contradict-other",)))
    assert campaign.assignments.count() == 1
    assert campaign.frame_query["kinds"] == ["contradict-other"]


def test_tags_that_are_gone_are_not_drawn():
    gone = make.tag()
    type(gone).objects.filter(pk=gone.pk).update(state="gone")
    assert make.campaign(tags=1).frame_size == 1


def test_an_empty_frame_and_a_taken_name_are_refused():
    olga = make.admin()
    with pytest.raises(Refusal, match="No live tag"):
        make.campaign(by=olga, tags=0)
    make.campaign(by=olga)
    with pytest.raises(Conflict, match="already"):
        make.campaign(by=olga)


def test_the_guideline_s_version_is_pinned_and_the_same_text_is_one_version():
    first, second = make.campaign(), make.campaign(name="More", by=make.admin("otto"))
    assert first.guideline == second.guideline
    assert "Is the tag valid?" in first.guideline.body


# ---------------------------------------------------------------- the next tag


def test_the_next_tag_comes_with_an_empty_draft_and_proposed_titles():
    make.tag(title="Marl Bridge", kind="contradict-other", other_article="List of bridges")
    place = take(make.annotator(), make.campaign(tags=0))
    draft = place.annotation
    assert (draft.article_1, draft.article_2) == ("Marl Bridge", "List of bridges")
    assert (draft.touched, draft.validity, draft.same_passage, draft.confidence) == (
        [],
        "",
        "",
        None,
    )
    assert draft.guideline == place.campaign.guideline


def test_nobody_gets_a_tag_twice_and_all_places_are_given_out():
    make.campaign(tags=2, people=2)
    alice, bob, charlie = map(make.annotator, ("alice", "bob", "charlie"))
    given = {who.username: [take(who), take(who), take(who)] for who in (alice, bob)}
    for places in given.values():
        assert len({place.tag_id for place in places if place}) == 2
        assert places[2] is None
    assert take(charlie) is None


def test_a_tag_gets_all_its_people_before_the_next_one_is_given_out():
    make.campaign(tags=2, people=2)
    tags = [take(make.annotator(name)).tag_id for name in ("alice", "bob", "charlie")]
    assert tags[0] == tags[1] != tags[2]


def test_a_closed_campaign_gives_out_nothing():
    campaign = make.campaign()
    managing.change_campaign(campaign, "close")
    assert take(make.annotator()) is None
    managing.change_campaign(campaign, "reopen")
    assert take(make.annotator("bob")) is not None


@pytest.mark.django_db(transaction=True)
def test_one_person_who_clicks_in_two_tabs_gets_two_tags():
    make.campaign(tags=3, people=2)
    alice = make.annotator()
    given = []
    at_once(*[lambda: given.append(take(alice))] * 2)
    assert len({place.tag_id for place in given}) == 2


# ---------------------------------------------------------------- tags in hand


def test_nobody_holds_more_drafts_than_the_campaign_allows():
    campaign = make.campaign(tags=4, people=2, in_hand=2)
    alice, bob = make.annotator("alice"), make.annotator("bob")
    first, _ = take(alice, campaign), take(alice, campaign)
    with pytest.raises(HandsFull, match="2 tags of “Mills”"):
        take(alice, campaign)
    assert take(bob, campaign) is not None
    claiming.hand_back(assignment_id=first.pk, by=alice)
    assert take(alice, campaign) is not None


def test_a_full_campaign_leaves_the_others_open():
    make.campaign(tags=2, in_hand=1)
    other = make.campaign(name="More", by=make.admin("otto"), tags=0, in_hand=1)
    alice = make.annotator()
    take(alice)
    assert take(alice).campaign == other
    with pytest.raises(HandsFull):
        take(alice)


def test_with_no_tag_left_the_limit_is_not_the_reason():
    make.campaign(tags=1, in_hand=1)
    alice = make.annotator()
    take(alice)
    assert take(alice) is None


def test_what_was_sent_back_is_not_counted_as_in_hand():
    campaign = make.campaign(tags=3, in_hand=1)
    alice = make.annotator()
    annotation = make.submitted(alice, within=campaign)
    make.decide(annotation, make.admin("otto"), "send_back", "Why?")
    take(alice, campaign)
    with pytest.raises(HandsFull):
        take(alice, campaign)
    claiming.hand_back(assignment_id=annotation.assignment_id, by=alice)
    assert claiming.take_up(annotation_id=annotation.pk, by=alice)


def test_the_database_refuses_a_campaign_without_room():
    campaign = make.campaign()
    with pytest.raises(IntegrityError), transaction.atomic():
        Campaign.objects.filter(pk=campaign.pk).update(most_in_hand=0)


# ---------------------------------------------------------------- giving up


def test_a_place_handed_back_goes_to_somebody_else_and_the_draft_stays():
    alice, bob = make.annotator("alice"), make.annotator("bob")
    draft = make.draft(alice, span_1="mine")
    claiming.hand_back(assignment_id=draft.assignment_id, by=alice)
    draft.refresh_from_db()
    assert (draft.assignment, draft.span_1) == (None, "mine")
    assert take(alice) is None
    place = take(bob)
    assert place.annotation.author == bob
    assert place.annotation.span_1 == ""


def test_a_draft_handed_back_is_taken_up_again_while_a_place_is_free():
    alice, bob = make.annotator("alice"), make.annotator("bob")
    draft = make.draft(alice, span_1="mine")
    place = draft.assignment
    claiming.hand_back(assignment_id=place.pk, by=alice)
    assert claiming.take_up(annotation_id=draft.pk, by=alice) == place
    draft.refresh_from_db()
    assert draft.assignment == place

    claiming.hand_back(assignment_id=place.pk, by=alice)
    take(bob)
    with pytest.raises(Conflict, match="All assignments"):
        claiming.take_up(annotation_id=draft.pk, by=alice)


def test_nobody_takes_up_another_s_draft():
    alice, bob = make.annotator("alice"), make.annotator("bob")
    draft = make.draft(alice)
    claiming.hand_back(assignment_id=draft.assignment_id, by=alice)
    with pytest.raises(NotFoundHere):
        claiming.take_up(annotation_id=draft.pk, by=bob)


def test_a_skipped_tag_goes_to_somebody_else_with_the_reason_kept():
    alice, bob = make.annotator("alice"), make.annotator("bob")
    place = make.draft(alice).assignment
    claiming.skip(assignment_id=place.pk, by=alice, reason="I do not read Greek")
    place.refresh_from_db()
    assert (place.state, place.skip_reason) == (AssignmentState.SKIPPED, "I do not read Greek")
    assert take(alice) is None
    assert take(bob).tag == place.tag


def test_a_skip_wants_a_reason():
    alice = make.annotator()
    place = make.draft(alice).assignment
    with pytest.raises(Refusal, match="why"):
        claiming.skip(assignment_id=place.pk, by=alice, reason="  ")


@pytest.mark.parametrize("verb", [claiming.hand_back, claiming.skip])
def test_nobody_gives_up_another_s_place(verb):
    place = make.draft(make.annotator("alice")).assignment
    extra = {"reason": "x"} if verb is claiming.skip else {}
    with pytest.raises(NotFoundHere):
        verb(assignment_id=place.pk, by=make.annotator("bob"), **extra)


def test_a_place_whose_lease_ran_out_is_swept_and_the_draft_stays():
    alice, bob = make.annotator("alice"), make.annotator("bob")
    draft = make.draft(alice, span_1="mine")
    expire(draft.assignment)
    assert claiming.sweep_assignments() == 1
    draft.refresh_from_db()
    assert (draft.assignment, draft.state) == (None, AnnotationState.DRAFT)
    assert take(bob) is not None


def test_a_lease_that_runs_is_left_alone():
    make.draft(make.annotator())
    assert claiming.sweep_assignments() == 0
    assert Assignment.objects.filter(state="held", lease_until__gt=Now()).count() == 1


def test_a_withdrawn_place_is_gone_and_its_draft_stays():
    campaign = make.campaign()
    draft = make.draft(make.annotator(), within=campaign)
    make.withdraw(draft.assignment_id, campaign)
    assert Assignment.objects.get().state == AssignmentState.WITHDRAWN
    assert Annotation.objects.get().assignment is None

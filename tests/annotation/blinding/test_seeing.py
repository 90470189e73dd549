"""Giving up tags to see others' work."""

import pytest

from annotation.blinding import seeing
from annotation.models import Seen
from annotation.workflow.claiming import hand_back, next_assignment, take_up
from leases.refusal import Conflict
from tests.annotation import factories as make

pytestmark = [pytest.mark.both, pytest.mark.django_db]


@pytest.fixture
def alice():
    return make.annotator("alice")


def test_what_is_given_up_is_not_drawn_any_more(alice):
    campaign = make.campaign(tags=2)
    first, second = campaign.assignments.order_by("order")
    assert seeing.give_up(by=alice, tags=[first.tag_id], opened="/collections/mills/") == 1
    assert next_assignment(by=alice).pk == second.pk
    assert next_assignment(by=alice) is None
    assert next_assignment(by=make.annotator("bob")).pk == first.pk
    assert list(seeing.seen_in(campaign).values_list("person", "tag", "opened")) == [
        (alice.pk, first.tag_id, "/collections/mills/")
    ]


def test_a_campaign_may_give_out_tags_that_were_seen(alice):
    campaign = make.campaign()
    campaign.gives_seen_tags = True
    campaign.save()
    seeing.give_up(by=alice, tags=[campaign.assignments.get().tag_id], opened="/")
    assert next_assignment(by=alice)


def test_giving_up_twice_keeps_the_first_time(alice):
    tag = make.campaign().assignments.get().tag_id
    assert seeing.give_up(by=alice, tags=[tag, tag], opened="/first/") == 1
    assert seeing.give_up(by=alice, tags=[tag], opened="/second/") == 0
    assert Seen.objects.get().opened == "/first/"


def test_a_tag_in_hand_is_not_given_up(alice):
    draft = make.draft(alice)
    with pytest.raises(Conflict, match="in progress"):
        seeing.give_up(by=alice, tags=[draft.sighting.tag_id], opened="/")
    assert not Seen.objects.exists()


def test_a_draft_handed_back_is_not_taken_up_after_its_tag_was_given_up(alice):
    draft = make.draft(alice)
    hand_back(assignment_id=draft.assignment_id, by=alice)
    seeing.give_up(by=alice, tags=[draft.sighting.tag_id], opened="/")
    with pytest.raises(Conflict, match=r"You have been shown.*Your draft is kept"):
        take_up(annotation_id=draft.pk, by=alice)


def test_tags_that_could_not_come_and_unknown_ones_are_not_recorded(alice):
    other = make.submitted(make.annotator("bob"))
    assert seeing.give_up(by=alice, tags=[other.sighting.tag_id, 10**15], opened="/") == 0


def test_a_tag_that_goes_can_still_be_given_up(alice):
    tag = make.campaign().assignments.get().tag
    tag.state = "gone"
    tag.save()
    assert seeing.give_up(by=alice, tags=[tag.pk], opened="/") == 1

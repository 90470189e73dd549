"""Races: two people on one tag, two clicks on one button."""

import pytest

from annotation import campaigns, review
from annotation.models import Annotation, Assignment
from annotation.states import AnnotationState
from leases.refusal import Refusal
from tests.annotation import factories as make
from tests.races import at_once, overlapping

pytestmark = [pytest.mark.alone, pytest.mark.django_db(transaction=True)]


def skip(annotation, who):
    campaigns.skip(assignment_id=annotation.assignment_id, by=who, reason="Greek")


def test_two_who_skip_one_tag_leave_two_places_for_others():
    campaign = make.campaign(people=2)
    alice, bob = make.annotator("alice"), make.annotator("bob")
    hers, his = make.draft(alice, within=campaign), make.draft(bob, within=campaign)
    assert overlapping(lambda: skip(hers, alice), lambda: skip(his, bob)) is None
    assert sorted(Assignment.objects.filter(state="free").values_list("slot", flat=True)) == [3, 4]


def test_a_draft_taken_up_by_two_clicks_has_one_place():
    campaign = make.campaign(people=2)
    alice = make.annotator("alice")
    draft = make.draft(alice, within=campaign)
    campaigns.hand_back(assignment_id=draft.assignment_id, by=alice)

    def click():
        campaigns.take_up(annotation_id=draft.pk, by=alice)

    refused = overlapping(click, click)
    assert isinstance(refused, Refusal)
    assert Assignment.objects.filter(person=alice).count() == 1
    assert Annotation.objects.get().assignment.person == alice


def test_two_reviewers_at_once_are_one_decision():
    campaign = make.campaign()
    annotation = make.submitted(make.annotator("alice"), within=campaign)
    reviewers = [make.admin("omar"), make.admin("orla")]

    def decide(who):
        review.decide(
            annotation_id=annotation.pk, by=who, version=annotation.version, decision="accept"
        )

    refused = at_once(*[lambda who=who: decide(who) for who in reviewers])
    assert refused.count(None) == 1
    assert Annotation.objects.get().state == AnnotationState.ACCEPTED


def test_a_decision_is_on_the_version_that_was_read(monkeypatch):
    """The author hands in a new version between the reviewer's reading and deciding."""
    annotation = make.submitted(make.annotator("alice"), within=make.campaign())
    orla = make.admin("orla")
    require = review._require_reason

    def handed_in_meanwhile(*given):
        require(*given)
        Annotation.objects.filter(pk=annotation.pk).update(version=annotation.version + 2)

    monkeypatch.setattr(review, "_require_reason", handed_in_meanwhile)
    with pytest.raises(Refusal):
        review.decide(
            annotation_id=annotation.pk, by=orla, version=annotation.version, decision="accept"
        )
    assert Annotation.objects.get().state == AnnotationState.SUBMITTED

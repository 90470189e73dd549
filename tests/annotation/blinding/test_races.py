"""Giving up a tag while a claim of it runs, and double clicks on the question."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.blinding import seeing
from annotation.models import Assignment, Seen
from annotation.workflow.claiming import next_assignment
from leases.refusal import Conflict
from tests.annotation import factories as make
from tests.races import overlapping

pytestmark = [pytest.mark.both, pytest.mark.alone, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def alice():
    return make.annotator("alice")


@pytest.fixture
def tag():
    return make.campaign().assignments.get().tag_id


def test_a_tag_is_not_given_up_while_a_claim_of_it_runs(alice, tag):
    refused = overlapping(
        lambda: next_assignment(by=alice),
        lambda: seeing.give_up(by=alice, tags=[tag], opened="/"),
    )
    assert isinstance(refused, Conflict)
    assert Assignment.objects.get().person == alice
    assert not Seen.objects.exists()


def test_a_claim_finds_a_tag_given_up_that_is_being_given_up(alice, tag):
    claimed = []
    overlapping(
        lambda: seeing.give_up(by=alice, tags=[tag], opened="/"),
        lambda: claimed.append(next_assignment(by=alice)),
    )
    assert claimed == [None]
    assert Seen.objects.get().tag_id == tag


def test_of_two_who_give_up_a_tag_at_once_the_second_finds_that_both_have(alice):
    bob = make.annotator("bob")
    campaign = make.campaign(tags=2, chosen=(alice, bob), plan={"limit": 1, "reserve": 1})
    tag = campaign.assignments.get(state="free").tag_id
    overlapping(
        *(lambda who=who: seeing.give_up(by=who, tags=[tag], opened="/") for who in (alice, bob))
    )
    states = campaign.assignments.order_by("order").values_list("state", flat=True)
    assert list(states) == ["withdrawn", "free"]


def test_a_double_click_on_the_question_gives_up_once(alice, tag):
    answers = []

    def click():
        client = Client()
        client.force_login(alice)
        answers.append(
            client.post(reverse("annotation:show"), {"tags": str(tag), "next": "/collections/"})
        )

    assert overlapping(click, click) is None
    assert [answer.status_code for answer in answers] == [302, 302]
    assert Seen.objects.count() == 1

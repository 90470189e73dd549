"""The place "7 of 31" on the page of a tag, equal to the database."""

import pytest

from annotation.campaigns import managing
from annotation.desk.queue_place import place_in_queue
from annotation.workflow import claiming
from tests.annotation import factories as make

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def shown(person, campaign):
    return str(place_in_queue(person, campaign))


def test_done_and_in_hand_count_of_all_that_one_can_get():
    campaign = make.campaign(tags=5, people=2)
    alice, bob = make.annotator("alice"), make.annotator("bob")
    assert shown(alice, campaign) == "0 of 5"
    make.submitted(alice, within=campaign)
    make.draft(alice, within=campaign)
    make.draft(bob, within=campaign)
    assert shown(alice, campaign) == "2 of 5"
    assert shown(bob, campaign) == "1 of 5"


def test_what_others_took_is_not_left():
    campaign = make.campaign(tags=3)
    alice, bob = make.annotator("alice"), make.annotator("bob")
    make.draft(bob, within=campaign)
    make.draft(alice, within=campaign)
    assert shown(alice, campaign) == "1 of 2"


def test_skipped_and_returned_tags_are_out():
    campaign = make.campaign(tags=4)
    alice = make.annotator()
    skipped, returned = make.draft(alice, within=campaign), make.draft(alice, within=campaign)
    claiming.skip(assignment_id=skipped.assignment_id, by=alice, reason="Greek")
    claiming.hand_back(assignment_id=returned.assignment_id, by=alice)
    make.draft(alice, within=campaign)
    assert shown(alice, campaign) == "1 of 2"


def test_other_campaigns_and_closed_ones_add_nothing():
    first = make.campaign(tags=2)
    second = make.campaign(tags=0, name="More", by=make.admin("otto"))
    alice = make.annotator()
    make.draft(alice, within=first)
    assert shown(alice, second) == "0 of 2"
    managing.change_campaign(first, "close")
    assert shown(alice, first) == "1 of 1"


@pytest.mark.parametrize("tags", [2, 20])
def test_it_takes_three_statements(django_assert_num_queries, tags):
    campaign = make.campaign(tags=tags, people=2)
    alice = make.annotator()
    make.draft(alice, within=campaign)
    with django_assert_num_queries(3):
        place_in_queue(alice, campaign)


def test_the_page_of_a_tag_has_it(client):
    alice = make.annotator()
    client.force_login(alice)
    draft = make.draft(alice, within=make.campaign(tags=3))
    response = client.get(f"/annotate/{draft.assignment_id}/")
    assert str(response.context["place_in_queue"]) == "1 of 3"


@pytest.mark.parametrize("people", [1, 2])
@pytest.mark.parametrize(("tags", "place"), [(3, "1 of 3"), (4, "1 of 4"), (5, "1 of over 4")])
def test_at_most_so_many_tags_are_counted_for_however_many_people(monkeypatch, people, tags, place):
    monkeypatch.setattr(claiming, "MOST_COUNTED", 3)
    campaign = make.campaign(tags=tags, people=people)
    alice = make.annotator()
    make.draft(alice, within=campaign)
    assert shown(alice, campaign) == place

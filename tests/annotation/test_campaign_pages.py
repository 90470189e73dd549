"""An admin's pages of a running campaign: assignments, limits, people, what needs a look."""

import pytest
from django.urls import reverse
from pytest_django.asserts import assertContains, assertNotContains

from annotation.campaigns import managing
from annotation.models import Annotation, Assignment, CampaignPerson
from annotation.monitoring.attention import STALE_DAYS
from annotation.states import CampaignState
from annotation.workflow import claiming
from config.next_steps import next_steps
from leases.clock import in_seconds
from tests.annotation import factories as make
from tests.factories import signed_in, stored
from wikifetch.models import Tag

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga(client):
    return signed_in(client, make.admin("olga"))


@pytest.fixture
def alice():
    return make.annotator("alice")


@pytest.fixture
def bob():
    return make.annotator("bob")


@pytest.fixture
def campaign(olga):
    return make.campaign(by=olga, tags=3)


def at(name, *args):
    return reverse(f"annotation:{name}", args=args)


def change(client, campaign, action, *ticked, query="", **more):
    entered = {"action": action, "assignment": [each.pk for each in ticked], "days": "7", **more}
    return client.post(at("assignments", campaign.pk) + query, entered, follow=True)


def saved_long_ago(draft):
    Annotation.objects.filter(pk=draft.pk).update(saved_at=in_seconds(-STALE_DAYS * 24 * 3600 - 60))


def needing_a_look(campaign, alice):
    """A flagged, a stale and a skipped one, and a tag that is gone."""
    flagged, stale, skipped = (make.draft(alice, within=campaign) for _ in range(3))
    Annotation.objects.filter(pk=flagged.pk).update(flagged=True, flag_note="Greek?")
    saved_long_ago(stale)
    claiming.skip(assignment_id=skipped.assignment_id, by=alice, reason="Greek")
    Tag.objects.filter(pk=skipped.sighting.tag_id).update(state="gone")
    again = campaign.assignments.get(state="free")
    return {
        "flagged": flagged.assignment_id,
        "stale": stale.assignment_id,
        "skipped": skipped.assignment_id,
        "gone": again.pk,
    }


# ---------------------------------------------------------------- the list


@pytest.mark.parametrize("concern", ["flagged", "stale", "skipped", "gone"])
def test_the_list_shows_what_needs_a_look(client, campaign, alice, concern):
    expected = needing_a_look(campaign, alice)
    page = client.get(at("assignments", campaign.pk), {"concern": concern})
    assert [each.pk for each in page.context["page"]] == [expected[concern]]


@pytest.mark.both
def test_the_list_is_narrowed_by_state_person_kind_and_words(client, campaign, alice):
    make.draft(alice, within=campaign)
    for query, count in (
        ({"state": "held"}, 1),
        ({"state": "free"}, 2),
        ({"person": alice.pk}, 1),
        ({"kind": "contradict-other"}, 0),
        ({"words": "kettle year"}, 3),
        ({"words": "bridge"}, 0),
        ({"state": "no such", "person": "x"}, 3),
    ):
        page = client.get(at("assignments", campaign.pk), query)
        assert page.context["page"].paginator.count == count, query


def test_the_list_is_paged(client, campaign, monkeypatch):
    monkeypatch.setattr("annotation.views.assignments.PER_PAGE", 2)
    page = client.get(at("assignments", campaign.pk), {"page": "2"})
    assert len(page.context["page"]) == 1


def test_the_ticked_ones_are_withdrawn(client, campaign):
    first, second, third = campaign.assignments.all()
    page = change(client, campaign, "withdraw", first, second)
    assertContains(page, "Withdrawn: 2.")
    assertContains(page, "2 tags have no annotator left; replaced from the reserve: 0.")
    assert [stored(each).state for each in (first, second, third)] == ["withdrawn"] * 2 + ["free"]


@pytest.mark.both
def test_all_that_match_are_changed_on_every_page(client, campaign, alice):
    held = make.draft(alice, within=campaign).assignment
    change(client, campaign, "withdraw", query="?state=free", every="on")
    assert stored(held).state == "held"
    assert campaign.assignments.filter(state="withdrawn").count() == 2


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?words=mill", ["withdrawn", "unneeded", "free", "reserve"]),
        ("?state=reserve", ["free", "unneeded", "withdrawn", "withdrawn"]),
        ("?state=unneeded", ["withdrawn", "free", "reserve", "reserve"]),
    ],
)
def test_the_reserve_and_what_is_not_needed_are_withdrawn_by_their_state_only(
    client, olga, query, expected
):
    campaign = make.campaign(by=olga, tags=4, plan={"limit": 2, "reserve": 2})
    unneeded = campaign.assignments.filter(state="free").first()
    campaign.assignments.filter(pk=unneeded.pk).update(state="unneeded")
    change(client, campaign, "withdraw", query=query, every="on")
    states = campaign.assignments.values_list("state", flat=True)
    assert sorted(states) == sorted(expected)


@pytest.mark.parametrize("query", ["?person=999", "?state=lost", "?concern=none"])
def test_a_filter_that_cannot_be_read_is_not_all_that_match(client, campaign, query):
    answer = change(client, campaign, "withdraw", query=query, every="on")
    assertContains(answer, "The filter cannot be read any more.", status_code=400)
    assert campaign.assignments.filter(state="free").count() == 3


def test_those_of_a_chosen_person_without_any_are_none(client, olga, alice, bob):
    campaign = make.campaign(by=olga, tags=3, chosen=(alice, bob))
    change(client, campaign, "withdraw", query=f"?person={bob.pk}", every="on")
    assert campaign.assignments.filter(state="free").count() == 3


def test_withdrawing_by_words_leaves_what_is_submitted(client, campaign, alice):
    submitted = make.submitted(alice, within=campaign)
    change(client, campaign, "withdraw", query="?words=mill", every="on")
    assert stored(submitted).assignment_id is not None
    assert campaign.assignments.filter(state="withdrawn").count() == 2


def test_what_is_held_can_be_held_longer(client, campaign, alice):
    held = make.draft(alice, within=campaign).assignment
    before = held.lease_until
    page = change(client, campaign, "extend", *campaign.assignments.all(), days="10")
    assertContains(page, "Reserved for 10 more days: 1.")
    assert (stored(held).lease_until - before).days == 10


def test_what_somebody_holds_is_given_to_another_and_the_draft_stays(client, campaign, alice, bob):
    draft = make.draft(alice, within=campaign, span_1="mine")
    free = campaign.assignments.filter(state="free").first()
    page = change(client, campaign, "reassign", draft.assignment, free, person=bob.pk)
    assertContains(page, "Reassigned to Bob: 2.")
    draft.refresh_from_db()
    assert (draft.assignment, draft.span_1) == (None, "mine")
    assert {row.person for row in Assignment.objects.filter(state="held")} == {bob}
    assert Annotation.objects.filter(author=bob, assignment__isnull=False).count() == 2


@pytest.mark.both
def test_nobody_is_given_a_tag_that_they_have_had_and_each_tag_once(client, olga, bob):
    campaign = make.campaign(by=olga, tags=2, people=2)
    had = make.submitted(bob, within=campaign)
    change(client, campaign, "reassign", query="?state=free", every="on", person=bob.pk)
    given = Assignment.objects.filter(state="held")
    assert [row.tag_id != had.sighting.tag_id for row in given] == [True]


def test_nobody_is_given_a_tag_of_a_round_that_is_not_open_or_of_their_pilot(client, olga, bob):
    campaign = make.campaign(by=olga, tags=2, plan={"pilot": 1})
    change(client, campaign, "reassign", every="on", person=bob.pk)
    assert set(campaign.assignments.filter(person=bob).values_list("round", flat=True)) == {1}
    managing.open_main_round(campaign)
    change(client, campaign, "reassign", every="on", person=bob.pk)
    own = campaign.assignments.filter(person=bob)
    assert own.values("tag").distinct().count() == own.count() == 2


def test_a_draft_that_the_person_has_left_is_continued(client, campaign, alice):
    draft = make.draft(alice, within=campaign, span_1="mine")
    place = draft.assignment
    claiming.hand_back(assignment_id=place.pk, by=alice)
    change(client, campaign, "reassign", place, person=alice.pk)
    # The person had none of this tag since it was handed back.
    assert stored(draft).assignment == place


@pytest.mark.parametrize(
    ("entered", "expected"),
    [
        ({"action": "withdraw"}, "Tick the assignments to change"),
        ({"action": "reassign", "every": "on"}, "Choose the person who is to get them."),
        ({"action": "extend", "days": "1000", "every": "on"}, "less than or equal to 90"),
        ({"action": "delete"}, "not one of the available choices"),
    ],
)
def test_a_change_that_cannot_be_made_says_why_and_keeps_what_was_ticked(
    client, campaign, entered, expected
):
    first = campaign.assignments.first()
    ticked = {} if "Tick" in expected else {"assignment": [first.pk]}
    page = client.post(at("assignments", campaign.pk), {"days": "7", **entered, **ticked})
    assertContains(page, expected, status_code=400)
    assert (page.context["chosen"] == {str(first.pk)}) == bool(ticked)
    assert campaign.assignments.filter(state="free").count() == 3


def test_assignments_of_another_campaign_are_not_changed(client, olga, campaign):
    other = make.campaign(name="Other", by=olga, tags=0)
    page = change(client, campaign, "withdraw", other.assignments.first())
    assertContains(page, "Tick the assignments", status_code=400)
    assert not other.assignments.filter(state="withdrawn").exists()


# ---------------------------------------------------------------- people


def test_a_person_removed_midway_gets_no_more_tags_and_keeps_their_drafts(
    client, campaign, alice, bob
):
    submitted = make.submitted(alice, within=campaign)
    draft = make.draft(alice, within=campaign, span_1="mine")
    page = client.post(at("remove_person", campaign.pk, alice.pk), follow=True)
    assertContains(page, "1 tag is free again")
    assertContains(page, "Removed")
    draft.refresh_from_db()
    assert (draft.assignment, draft.span_1, draft.author) == (None, "mine", alice)
    assert stored(submitted).state == "submitted"
    assert claiming.next_assignment(by=alice, campaign=campaign) is None
    assert claiming.next_assignment(by=bob, campaign=campaign).tag == draft.sighting.tag


def test_a_removed_person_can_be_added_again_and_continues_the_draft(client, campaign, alice):
    draft = make.draft(alice, within=campaign)
    client.post(at("remove_person", campaign.pk, alice.pk))
    client.force_login(alice)
    refused = client.post(at("take_up", draft.pk))
    assertContains(refused, "Your draft is kept", status_code=409)
    client.force_login(campaign.created_by)
    client.post(at("add_person", campaign.pk), {"person": alice.pk})
    assert claiming.take_up(annotation_id=draft.pk, by=alice)


def test_a_person_is_added_to_a_campaign_for_chosen_people(client, olga, alice, bob):
    campaign = make.campaign(by=olga, tags=2, chosen=(alice,))
    page = client.get(at("campaign", campaign.pk))
    assert [row["person__name"] for row in page.context["people"]] == ["Alice"]
    assert list(page.context["to_add"]) == [bob]
    client.post(at("add_person", campaign.pk), {"person": bob.pk})
    assert claiming.next_assignment(by=bob) is not None


def test_only_annotators_are_added(client, olga, campaign):
    page = client.post(at("add_person", campaign.pk), {"person": olga.pk})
    assertContains(page, "is not an annotator", status_code=400)
    assert client.post(at("add_person", campaign.pk), {"person": "x"}).status_code == 404
    assert not CampaignPerson.objects.exists()


# ---------------------------------------------------------------- limits, the admin's home


def test_limits_are_changed_while_the_campaign_runs(client, campaign, alice):
    make.submitted(alice, within=campaign)
    limits = {"most_in_hand": "5", "quota": "", "stop_at_valid": "1"}
    assertContains(client.get(at("limits", campaign.pk)), 'value="3"')
    client.post(at("limits", campaign.pk), limits)
    changed = stored(campaign)
    assert (changed.most_in_hand, changed.quota, changed.stop_at_valid) == (5, None, 1)
    assert changed.state == CampaignState.CLOSED  # the stop rule is reached by what there is
    page = client.post(at("reopen", campaign.pk))
    assertContains(page, "Raise that number under Limits", status_code=400)
    client.post(at("limits", campaign.pk), {**limits, "stop_at_valid": "2"})
    client.post(at("reopen", campaign.pk))
    assert stored(campaign).state == CampaignState.OPEN


def test_limits_that_cannot_be_are_refused(client, campaign):
    page = client.post(at("limits", campaign.pk), {"most_in_hand": "0", "quota": "7"})
    assertContains(page, "greater than or equal to 1", status_code=400)
    assertContains(page, 'value="7"', status_code=400)


def test_what_needs_a_look_is_on_the_admin_s_home_and_in_the_list_of_campaigns(
    client, olga, campaign, alice
):
    needing_a_look(campaign, alice)
    lines = [step for _, steps in next_steps(olga) for step in steps if step.is_to_do]
    texts = {step.text for step in lines if step.url == at("campaigns")}
    assert {text.split()[0] for text in texts} == {"flagged", "skipped", "draft"}
    page = client.get(at("campaigns"))
    assertContains(page, f"{at('assignments', campaign.pk)}?concern=flagged")


def test_a_campaign_without_trouble_has_no_such_line(client, campaign):
    assertNotContains(client.get(at("campaigns")), "concern=")

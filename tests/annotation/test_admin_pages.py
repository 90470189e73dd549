"""The pages of campaigns and reviews."""

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from pytest_django.asserts import assertContains

from accounts.roles import Role
from annotation.models import Annotation, Campaign, Review
from annotation.states import AnnotationState, CampaignState
from datasets.models import Collection, Contradiction
from tests.annotation import factories as make
from tests.factories import person, signed_in, stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga(client):
    return signed_in(client, make.admin("olga"))


@pytest.fixture
def alice():
    return make.annotator("alice")


@pytest.fixture
def campaign(olga):
    return make.campaign(by=olga, tags=2)


def at(name, *args):
    return reverse(f"annotation:{name}", args=args)


# ---------------------------------------------------------------- campaigns


def new_campaign(**changes):
    return {
        "name": "Mills",
        "people_per_tag": "2",
        "double_share": "1.0",
        "most_in_hand": "2",
        "seed": "1",
        "collection": "mills",
        **changes,
    }


def test_an_admin_opens_a_campaign(client, olga):
    make.tag()
    dry_run = client.post(at("campaign_new"), new_campaign())
    assert not Campaign.objects.exists()
    shown = dry_run.context["drawing"].fingerprint
    entered = new_campaign(open="", shown=shown)
    response = client.post(at("campaign_new"), entered, follow=True)
    assert b"Submitted: 0 of 2" in response.content
    assert b"at most 2 at a time" in response.content
    assert Campaign.objects.get().created_by == olga


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("name", "", "required"),
        ("people_per_tag", "0", "greater than or equal to 1"),
        ("double_share", "1.5", "less than or equal to 1"),
        ("most_in_hand", "0", "greater than or equal to 1"),
        ("collection", "No Such!", "Lower-case"),
        ("kinds", "other", "not one of the available"),
    ],
)
def test_a_campaign_that_cannot_be_opened_says_why_and_keeps_what_was_entered(
    client, olga, field, value, expected
):
    make.tag()
    response = client.post(at("campaign_new"), new_campaign(seed="4711", **{field: value}))
    assertContains(response, expected, status_code=400)
    assert b'value="4711"' in response.content
    assert Campaign.objects.count() == 0


def test_without_tags_there_is_no_campaign_and_no_empty_collection(client, olga):
    response = client.post(at("campaign_new"), new_campaign())
    assert b"No live tag matches" in response.content
    assert Collection.objects.count() == 0


def test_a_campaign_s_page_counts_what_the_database_holds(client, alice, campaign):
    make.submitted(alice, within=campaign)
    make.draft(alice, within=campaign)
    context = client.get(at("campaign", campaign.pk)).context
    counts = {stage.label: stage.count for stage in context["stages"] if stage.count}
    assert counts == {
        "Assignments: in progress": 1,
        "Assignments: submitted": 1,
        "Annotations: draft": 1,
        "Annotations: submitted": 1,
    }
    assert (context["campaign"].handed_in, context["campaign"].assigned) == (1, 2)
    (row,) = context["people"]
    assert (row["person__name"], row["held"], row["submitted"]) == ("Alice", 1, 1)


def test_the_list_shows_progress(client, alice, campaign):
    make.submitted(alice, within=campaign)
    assert b"1 of 2" in client.get(at("campaigns")).content


def test_a_campaign_is_closed_and_reopened(client, campaign):
    client.post(at("close", campaign.pk))
    campaign.refresh_from_db()
    assert campaign.state == CampaignState.CLOSED
    assert client.post(at("close", campaign.pk)).status_code == 409
    client.post(at("reopen", campaign.pk))
    assert stored(campaign).state == CampaignState.OPEN


def test_publishing_is_one_button_and_pressing_it_twice_adds_nothing(client, alice, olga, campaign):
    annotation = make.submitted(alice, within=campaign)
    decide(client, annotation, "accept")
    page = client.post(at("publish", campaign.pk), follow=True)
    assert b"1 published; 1 of them new in the collection." in page.content
    again = client.post(at("publish", campaign.pk), follow=True)
    assert b"Nothing to publish" in again.content
    assert Contradiction.objects.count() == 1


def test_without_tags_the_page_says_to_fetch_first(client, olga):
    page = client.get(at("campaign_new")).content.decode()
    assert "There are no live tags to assign." in page
    assert 'name="seed"' not in page


# ---------------------------------------------------------------- reviews


def decide(client, annotation, decision, **more):
    return client.post(
        at("review", annotation.pk),
        {"version": annotation.version, "decision": decision, "note": "", **more},
    )


def test_what_was_submitted_waits_in_the_list(client, alice, campaign):
    make.draft(alice, within=campaign)
    annotation = make.submitted(alice, within=campaign)
    page = client.get(at("reviews"))
    assert [each.pk for each in page.context["page"]] == [annotation.pk]


def test_reviewers_cannot_see_drafts(client, alice, campaign):
    draft = make.draft(alice, within=campaign)
    assert client.get(at("review", draft.pk)).status_code == 404


def test_the_page_shows_the_passages_and_what_the_checks_find(client, alice, campaign):
    annotation = make.submitted(alice, within=campaign, entries=make.whole(span_1="in 1802"))
    page = client.get(at("review", annotation.pk)).content.decode()
    assert make.WHOLE["passage_1_standalone"] in page
    assert "These words are not in passage 1." in page
    assert "The annotator ticked “I checked”." in page


def test_after_a_decision_the_next_one_opens(client, alice, campaign):
    first = make.submitted(alice, within=campaign)
    second = make.submitted(alice, within=campaign)
    assert decide(client, first, "accept").url == at("review", second.pk)
    assert decide(client, second, "drop", note="No.").url == at("reviews")


def test_admins_can_read_their_own_annotation_but_not_review_it(client, campaign):
    both = person("ada", Role.ADMIN, Role.ANNOTATOR)
    own = make.submitted(both, within=campaign)
    client.force_login(both)
    assert "Yours" in client.get(at("reviews")).content.decode()
    page = client.get(at("review", own.pk)).content.decode()
    assert "another admin has to decide on it" in page
    assert 'name="decision"' not in page
    assert decide(client, own, "accept").status_code == 403
    assert Annotation.objects.get().state == AnnotationState.SUBMITTED


def test_after_a_decision_the_next_one_is_never_ones_own(client, alice, campaign):
    both = person("ada", Role.ADMIN, Role.ANNOTATOR)
    first = make.submitted(alice, within=campaign)
    make.submitted(both, within=campaign)
    client.force_login(both)
    assert decide(client, first, "accept").url == at("reviews")


def test_a_decision_without_a_reason_is_refused_and_loses_no_note(client, alice, campaign):
    annotation = make.submitted(alice, within=campaign)
    response = decide(client, annotation, "send_back", **{"note-span_1": "  "})
    assertContains(response, "Say why you send it back", status_code=400)

    annotation.version = 0
    response = decide(client, annotation, "send_back", note="Whole.", **{"note-span_1": "Shorter."})
    page = response.content.decode()
    assert response.status_code == 412
    assert "Whole.</textarea>" in page
    assert "Shorter.</textarea>" in page
    assert Review.objects.count() == 0


def test_an_accepted_annotation_can_still_be_dropped_not_sent_back(client, alice, campaign):
    annotation = make.submitted(alice, within=campaign)
    decide(client, annotation, "accept")
    assert decide(client, annotation, "send_back", note="x").status_code == 409
    decide(client, annotation, "drop", note="Ambiguous.")
    assert Annotation.objects.get(pk=annotation.pk).state == AnnotationState.DROPPED


# ---------------------------------------------------------------- commands


def test_campaigns_are_opened_and_published_by_command(capsys, olga, alice):
    make.tag()
    call_command("open_campaign", "Mills", "--collection", "mills", "--by", "olga", "--people", "2")
    assert capsys.readouterr().out == f"Campaign {Campaign.objects.get().pk}: 2 assignments.\n"
    annotation = make.submitted(alice, within=Campaign.objects.get())
    Annotation.objects.filter(pk=annotation.pk).update(state=AnnotationState.ACCEPTED)
    for expected in (
        "1 annotations published, 1 new records.\n",
        "0 annotations published, 0 new records.\n",
    ):
        call_command("publish_campaign", "Mills")
        assert capsys.readouterr().out == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["open_campaign", "M", "--collection", "m", "--by", "nobody"], "nobody called 'nobody'"),
        (["open_campaign", "M", "--collection", "m", "--by", "olga"], "No live tag"),
        (["publish_campaign", "M"], "no campaign called 'M'"),
    ],
)
def test_a_refused_command_gives_the_reason(olga, arguments, expected):
    with pytest.raises(CommandError, match=expected):
        call_command(*arguments)


def test_a_reviewers_notes_are_kept_without_control_characters(client, campaign, alice):
    annotation = make.submitted(alice, within=campaign)
    notes = {"note": "Too\x00 vague", "note-statement_1": "Which\x07?", "note-span_1\x00": "x"}
    answer = {"version": annotation.version, "decision": "send_back", **notes}
    assert client.post(at("review", annotation.pk), answer).status_code == 302
    kept = Review.objects.get()
    assert kept.note == "Too vague"
    assert kept.notes_by_field == {"statement_1": "Which?", "span_1": "x"}


def test_a_decision_on_a_version_of_any_length_is_refused_as_stale(client, campaign, alice):
    annotation = make.submitted(alice, within=campaign)
    answer = {"version": "9" * 5_000, "decision": "accept"}
    assert client.post(at("review", annotation.pk), answer).status_code == 412

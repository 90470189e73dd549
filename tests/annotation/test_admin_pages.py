"""The pages of campaigns."""

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from pytest_django.asserts import assertContains

from accounts.roles import Role
from annotation.models import Campaign
from annotation.states import CampaignState
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
    make.decide(annotation, person("otto", Role.ADMIN))
    page = client.post(at("publish", campaign.pk), follow=True)
    assert b"1 tag published: 1 new record in the collection." in page.content
    again = client.post(at("publish", campaign.pk), follow=True)
    assert b"No accepted tag waits to be published" in again.content
    assert Contradiction.objects.count() == 1


def test_without_tags_the_page_says_to_fetch_first(client, olga):
    page = client.get(at("campaign_new")).content.decode()
    assert "There are no live tags to assign." in page
    assert 'name="seed"' not in page


# ---------------------------------------------------------------- commands


def test_campaigns_are_opened_and_published_by_command(capsys, olga, alice):
    make.tag()
    call_command("open_campaign", "Mills", "--collection", "mills", "--by", "olga", "--people", "1")
    assert capsys.readouterr().out == f"Campaign {Campaign.objects.get().pk}: 1 assignments.\n"
    annotation = make.submitted(alice, within=Campaign.objects.get())
    make.decide(annotation, olga)
    for expected in ("1 tags published, 1 new records.\n", "0 tags published, 0 new records.\n"):
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

"""The pages of campaigns."""

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from pytest_django.asserts import assertContains, assertNotContains

from accounts.roles import Role
from annotation.models import Campaign
from annotation.states import CampaignState
from datasets.models import Collection, Contradiction
from tests.annotation import factories as make
from tests.factories import person, signed_in, stored
from wikifetch.models import FetchRun

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


def typed(client, **changes):
    """What the page gets half a second after the last change."""
    page = client.post(at("campaign_new"), new_campaign(**changes), headers={"HX-Request": "true"})
    assert page.status_code == 200
    return " ".join(page.content.decode().split())


def test_what_would_be_drawn_is_shown_as_one_types_before_there_is_a_name(client, olga, alice):
    make.tag()
    shown = typed(client, name="", collection="")
    assert "<strong>1</strong> of 1 tag that matches." in shown
    assert "<strong>2</strong> annotations to make, about 2 for each of 1 person." in shown
    assert "<h1" not in shown
    assert not Campaign.objects.exists()
    assert not Collection.objects.exists()


@pytest.mark.parametrize(
    ("entered", "expected"),
    [
        ({"since": "x"}, "Dated since: Enter a whole number."),
        ({"people_per_tag": ""}, "People for each tag: This field is required."),
        ({"words": "bridge"}, "No live tag matches."),
        ({"limit": "1", "of_inconsistent": "1"}, "At most this many tags: Give a number for each"),
        ({"pilot": "2"}, "The pilot has 2 tags"),
        ({"fetch": "77"}, "Tags of: Select a valid choice."),
    ],
)
def test_what_cannot_be_drawn_is_said_as_one_types(client, olga, entered, expected):
    make.tag()
    shown = typed(client, **entered)
    assert expected in shown
    assert "Open the campaign" not in shown


def test_what_is_folded_is_said_in_a_line(client, olga):
    make.tag()
    plain = client.get(at("campaign_new")).content.decode()
    for line in (
        "every kind of tag, any date",
        "all that match, none in reserve, seed 1",
        "each tag by all of its people, 3 drafts per person",
        "no pilot, ends when all are annotated",
        "a new collection named after the campaign",
    ):
        assert f">{line}</span>" in plain
    assert "(optional)" not in plain
    shown = typed(
        client, kinds=["inconsistent"], since="2010", until="2012", words="mill", reserve="2",
        of_inconsistent="3", quota="9", double_share="0.2", pilot="1", stop_at_valid="4",
    )  # fmt: skip
    for line in (
        "Inconsistent (inline), dated since 2010, dated until 2012, with the words “mill”",
        "3 Inconsistent (inline), 2 in reserve, seed 1",
        "a share of 0.2 by several people, the rest by one, 2 drafts per person, 9 tags per person",
        "1 tag in a pilot, ends at 4 valid tags",
        "mills",
    ):
        assert f">{line}</span>" in shown


def test_a_fold_with_an_error_is_open_and_the_others_are_not(client, olga):
    make.tag()
    page = client.post(at("campaign_new"), new_campaign(seed="", most_in_hand="2"))
    assert page.content.decode().count('class="card fold" open') == 1
    assert [key for key, fold in page.context["folds"].items() if fold.is_open] == ["number"]


@pytest.mark.parametrize(
    ("name", "collection"), [("Mills of 2026!", "mills-of-2026"), ("Kettle Mill", "kettle-mill")]
)
def test_without_a_collection_it_is_named_after_the_campaign(client, olga, name, collection):
    make.tag()
    asked = new_campaign(name=name, collection="")
    shown = client.post(at("campaign_new"), asked).context["drawing"].fingerprint
    client.post(at("campaign_new"), {**asked, "open": "", "shown": shown})
    assert Campaign.objects.get().collection.name == collection


def test_a_name_without_latin_letters_asks_for_the_collections_name(client, olga):
    make.tag()
    page = client.post(at("campaign_new"), new_campaign(name="磨坊", collection=""))
    assertContains(page, "has no letter from a to z", status_code=400)
    assertContains(page, 'value="磨坊"', status_code=400)


def test_a_campaign_joins_an_older_one_s_collection_only_where_that_is_named(client, olga):
    make.tag()
    older = Collection.objects.create(name="mills", created_by=olga)
    asked = new_campaign(name="Mills", collection="")
    page = client.post(at("campaign_new"), asked)
    assertContains(page, "There is a collection “mills” already.", status_code=400)
    assert page.context["folds"]["published"].is_open
    asked["collection"] = "mills"
    shown = client.post(at("campaign_new"), asked).context["drawing"].fingerprint
    client.post(at("campaign_new"), {**asked, "open": "", "shown": shown})
    assert Campaign.objects.get().collection == older


def test_a_campaign_begins_with_the_fetch_and_filters_that_were_looked_at(client, olga):
    make.tag()
    run = FetchRun.objects.create(source="xml", label="mills.xml", state="done")
    asked = {"fetch": run.pk, "kinds": "inconsistent", "since": "2010", "words": "mill"}
    page = client.get(at("campaign_new"), asked)
    assertContains(page, f'<option value="{run.pk}" selected>')
    assertContains(page, "Inconsistent (inline), dated since 2010, with the words “mill”")
    # An address that somebody has changed chooses nothing.
    assertNotContains(client.get(at("campaign_new"), {"fetch": "x"}), " selected>Fetch")


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

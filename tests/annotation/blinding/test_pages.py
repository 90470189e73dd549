"""What people see of others' work on tags that they may still annotate: lists, the question, what comes after it."""

import pytest
from django.urls import reverse

from accounts.roles import Role
from annotation.campaigns import managing
from annotation.models import Annotation, Seen
from annotation.reviewing.publishing_tags import publish_campaign
from annotation.workflow import assigning
from annotation.workflow.claiming import next_assignment
from datasets.models import Contradiction, Instance
from datasets.records import record_of
from datasets.releasing.freezing import freeze
from judging import studies
from tests.annotation import factories as make
from tests.datasets import factories as records
from tests.datasets.factories import edited, imported
from tests.factories import person, signed_in
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db

EXPORT = "/collections/mills/export/wikicontradict-json/"
RELEASE = "/collections/mills/releases/1.0/files/wikicontradict-json/"


@pytest.fixture
def alice(client):
    return signed_in(client, person("alice", *Role))


@pytest.fixture
def campaign(alice):
    """One published annotation by bob of a tag that alice may still get, and one of a tag that nobody may."""
    campaign = make.campaign(tags=2, people=2)
    bob = make.annotator("bob")
    for _ in range(2):
        annotation = make.submitted(bob, within=campaign)
        statement = f"Statement {annotation.pk}"
        Annotation.objects.filter(pk=annotation.pk).update(statement_1=statement)
        make.decide(annotation, campaign.created_by)
    publish_campaign(campaign)
    freeze(collection=campaign.collection, version="1.0")
    make.second_round(Annotation.objects.get(sighting__tag=open_tag(campaign)))
    return campaign


def open_tag(campaign):
    return campaign.assignments.order_by("order").first().tag_id


@pytest.fixture
def record(campaign):
    """The hidden record."""
    return Contradiction.objects.get(annotations__sighting__tag=open_tag(campaign))


@pytest.mark.both
@pytest.mark.parametrize(
    "path",
    [
        "",
        "questions/",
        "revised/",
        "exclusions/",
        "?validity=Valid",
        "?q=mill",
        "questions/?kind=wh",
    ],
)
def test_lists_leave_hidden_records_out_and_say_how_many(client, record, path):
    page = client.get(f"/collections/mills/{path}")
    assert page.status_code == 200
    assert "1 record is hidden from you" in " ".join(page.content.decode().split())
    assert f'href="/contradictions/{record.pk}/' not in page.content.decode()


def test_what_changed_between_two_releases_leaves_hidden_records_out(client, campaign, record):
    edited(record, statement_1="It was changed.")
    freeze(collection=campaign.collection, version="2.0")
    page = client.get("/collections/mills/releases/2.0/since/1.0/").content.decode()
    assert "1 of these records is not listed" in " ".join(page.split())
    assert "It was changed" not in page
    assert "No record changed" not in page
    imported(records.record(title="Weir"))
    freeze(collection=campaign.collection, version="3.0")
    page = client.get("/collections/mills/releases/3.0/since/1.0/").content.decode()
    assert "<bdi>Weir</bdi>" in page
    assert "It was changed" not in page


@pytest.mark.both
def test_how_many_tags_are_valid_so_far_is_hidden(client, campaign):
    campaign.stop_at_valid = 40
    campaign.save()
    page = client.get(f"/campaigns/{campaign.pk}/").content.decode()
    assert "40 valid tags; now: hidden from you" in page
    signed_in(client, person("olaf", Role.ADMIN))
    assert "now: 2" in client.get(f"/campaigns/{campaign.pk}/").content.decode()


@pytest.mark.both
def test_a_search_says_nothing_of_hidden_records(client, record):
    pages = [client.get("/collections/mills/", {"q": q}).context for q in ("Statement", "Kettle")]
    assert [page["hidden"] for page in pages] == [1, 1]
    assert [len(page["rows"]) for page in pages] == [0, 1]


@pytest.mark.both
def test_counts_are_of_what_is_shown(client, record):
    counts = client.get("/collections/mills/").context["counts"]
    assert (counts.contradictions, counts.questions) == (1, 1)
    [row] = client.get("/collections/").context["rows"]
    assert row[1:] == (1, 1)
    api = client.get("/api/collections/").json()["results"]
    assert [(each["records"], each["questions"]) for each in api] == [(1, 1)]


def test_the_api_leaves_hidden_records_out_without_a_number(client, record):
    answer = client.get("/api/collections/mills/records/").json()
    assert (len(answer["results"]), answer["next"], set(answer)) == (1, None, {"results", "next"})
    assert record.pk not in [each["id"] for each in answer["results"]]


@pytest.mark.parametrize(
    "path",
    [
        "/contradictions/{record}/",
        "/contradictions/{record}/questions/1/exclusion/",
        "/contradictions/{record}/questions/1/revised/",
        "/collections/mills/?hidden=show",
        EXPORT,
        RELEASE,
        "/reports/collections/mills/",
        "/reports/collections/mills/table.csv",
        "/reports/campaigns/{campaign}/",
        "/reviews/{campaign}/1/{tag}/",
        "/people/{bob}/data.json",
    ],
)
def test_what_shows_a_hidden_record_asks_first(client, alice, campaign, record, path):
    ids = {"record": record.pk, "campaign": campaign.pk, "tag": open_tag(campaign)}
    address = path.format(**ids, bob=record.annotations.get().author_id)
    page = client.get(address)
    assert page.status_code == 409
    assert "what others entered for 1 tag that you could still get" in page.content.decode()
    assert not Seen.objects.filter(person=alice).exists()
    fields = page.context["refusal"].agreeing
    assert client.post(reverse("annotation:show"), {**fields, "next": address}).url == address
    shown = client.get(address)
    b"".join(shown)  # reading to the end closes a file
    assert shown.status_code == 200
    assert next_assignment(by=alice) is None
    seen = client.get(f"/campaigns/{campaign.pk}/seen/").content.decode()
    assert address.split("?")[0] in seen


@pytest.fixture
def copies(alice, record):
    """An import with the hidden record and one of another article; (hidden, shown)."""
    imported(record_of(record), records.record(title="Old Mill"), into="copies")
    return Contradiction.objects.filter(collection__name="copies").order_by("position")


def test_an_imported_record_is_hidden_while_a_tag_of_its_article_can_come(client, alice, copies):
    hidden, shown = copies
    page = client.get("/collections/copies/")
    assert ([row.pk for row, _ in page.context["rows"]], page.context["hidden"]) == ([shown.pk], 1)
    assert client.get(f"/contradictions/{shown.pk}/").status_code == 200
    address = f"/contradictions/{hidden.pk}/"
    for whole in (address, "/collections/copies/export/wikicontradict-json/"):
        asked = client.get(whole)
        assert asked.status_code == 409
        question = asked.context["refusal"]
        assert "matched by the title of their article" in question.message
    client.post(reverse("annotation:show"), {**question.agreeing, "next": address})
    assert client.get(address).status_code == 200
    assert len(client.get("/collections/copies/").context["rows"]) == 2


def test_an_imported_record_waits_while_a_tag_of_its_article_is_in_hand(client, alice, copies):
    next_assignment(by=alice)
    page = client.get(f"/contradictions/{copies[0].pk}/")
    assert (page.status_code, b"in progress" in page.content) == (409, True)


@pytest.mark.parametrize("path", ["", "paper/"])
def test_the_report_of_a_study_that_counts_a_hidden_record_asks_first(
    client, alice, campaign, record, path
):
    """Its questions are another record's: the steps from tags to tables count all of the collection."""
    model, run = judging.language_model(), judging.run("first")
    asked = Instance.objects.exclude(contradiction=record).get()
    judging.response(run, asked, "passage-1", model, text="In 1801.")
    study = judging.open_study("ivy", "joe", drawn_from=run)
    studies.close_study(study)
    address = f"/reports/{study.pk}/{path}"
    question = client.get(address)
    assert question.status_code == 409
    client.post(reverse("annotation:show"), {**question.context["refusal"].agreeing, "next": "/"})
    assert client.get(address).status_code == 200


def test_the_api_says_where_one_can_agree(client, alice, record):
    run = judging.run("first")
    asked = record.instances.get()
    judging.response(run, asked, "passage-1", judging.language_model(), text="In 1801.")
    address = f"/api/runs/{run.pk}/"
    answer = client.get(address)
    assert answer.status_code == 409
    agree = answer.json()["agree"]
    client.post(agree["post_to"], agree["fields"], "application/json")
    assert client.get(address).status_code == 200


@pytest.mark.parametrize(
    ("comes_from", "leads_to"),
    [
        ("http://testserver/collections/mills/?q=mill#list", "/collections/mills/?q=mill"),
        ("https://elsewhere.example/", "/"),
        ("", "/"),
    ],
)
def test_agreeing_after_a_button_leads_to_the_page_with_the_button(
    client, record, comes_from, leads_to
):
    """The button's own address may have no page."""
    address = f"/contradictions/{record.pk}/questions/1/exclusion/"
    asked = client.post(address, {"reason": "Not so"}, headers={"Referer": comes_from})
    assert (asked.status_code, asked.context["next"]) == (409, leads_to)
    assert f'name="next" value="{leads_to}"' in asked.content.decode()


@pytest.mark.both
def test_an_export_is_refused_whole_and_then_whole(client, record):
    assert "Statement" not in client.get(EXPORT).content.decode()
    client.post(
        reverse("annotation:show"),
        {**client.get(EXPORT).context["refusal"].agreeing, "next": EXPORT},
    )
    assert len(b"".join(client.get(EXPORT)).split(b"Statement ")) == 3


def test_a_record_of_a_tag_in_hand_waits_until_it_is_submitted_or_handed_back(
    client, alice, record
):
    next_assignment(by=alice)
    page = client.get(f"/contradictions/{record.pk}/")
    assert (page.status_code, b"in progress" in page.content) == (409, True)
    assert b"<button" not in page.content.split(b"<main")[1]


def test_a_record_of_ones_own_tag_is_shown(client, alice, campaign, record):
    Annotation.objects.filter(contradiction=record).update(author=alice)
    assert client.get(f"/contradictions/{record.pk}/").status_code == 200


def test_who_does_not_annotate_is_asked_nothing(client, record):
    signed_in(client, person("olaf", Role.ADMIN))
    assert client.get(f"/contradictions/{record.pk}/").status_code == 200
    assert client.get("/collections/mills/").context["hidden"] == 0


@pytest.mark.both
def test_a_closed_campaign_hides_its_records_until_what_is_left_is_withdrawn(
    client, campaign, record
):
    managing.change_campaign(campaign, "close")
    assert client.get(f"/contradictions/{record.pk}/").status_code == 409
    assigning.withdraw(campaign, campaign.assignments.all())
    assert client.get(f"/contradictions/{record.pk}/").status_code == 200


def test_what_was_read_of_a_closed_campaign_does_not_come_when_it_is_reopened(
    client, alice, campaign, record
):
    managing.change_campaign(campaign, "close")
    address = f"/contradictions/{record.pk}/"
    question = client.get(address).context["refusal"]
    client.post(reverse("annotation:show"), {**question.agreeing, "next": address})
    assert client.get(address).status_code == 200
    managing.change_campaign(campaign, "reopen")
    assert next_assignment(by=alice) is None
    assert next_assignment(by=make.annotator("carla")).tag_id == open_tag(campaign)


@pytest.mark.both
def test_a_record_whose_article_was_purged_stays_hidden(client, campaign, record):
    """Its wiki has hidden the text: the sighting is empty, and the record still holds what was entered."""
    record.annotations.get().sighting.tag.sightings.update(raw="", block="", block_clean="")
    assert client.get(f"/contradictions/{record.pk}/").status_code == 409


@pytest.mark.parametrize(
    "fields",
    [
        {"tags": "1", "next": "https://elsewhere.example/"},
        {"tags": "1"},
        {"tags": "", "next": "/collections/"},
        {"tags": "1,x", "next": "/collections/"},
        {"tags": "9" * 40, "next": "/collections/"},
    ],
)
def test_a_form_that_cannot_be_read_gives_nothing_up(client, alice, campaign, fields):
    assert client.post(reverse("annotation:show"), fields).status_code == 400
    assert not Seen.objects.filter(person=alice).exists()


def test_a_campaign_can_let_people_annotate_what_they_saw(client, alice, campaign, record):
    address = f"/campaigns/{campaign.pk}/seen/"
    assert client.post(address, {"lets": "yes"}).status_code == 302
    question = client.get(f"/contradictions/{record.pk}/").context["refusal"]
    assert "You can still get it" in question.message
    client.post(reverse("annotation:show"), {**question.agreeing, "next": "/"})
    assert next_assignment(by=alice).tag_id == open_tag(campaign)
    assert client.get(f"/contradictions/{record.pk}/").status_code == 409
    assert client.post(address, {"lets": "maybe"}).status_code == 400


def test_deciding_on_an_annotation_gives_up_its_tag(client, alice):
    """It may be sent back, and handed back: then it comes to somebody who has not read it."""
    annotation = make.submitted(make.annotator("bob"))
    client.post(
        make.place_of(annotation).path,
        {
            "decision": "send_back",
            "version-A": annotation.version,
            "reason": "Look again.",
        },
    )
    assert Seen.objects.get().person == alice

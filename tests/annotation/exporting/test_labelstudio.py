"""A campaign as tasks of Label Studio, and back in."""

import hashlib
import io
import json

import pytest

from accounts.models import Person
from accounts.roles import Role
from annotation.models import Annotation, Campaign
from annotation.reviewing.publishing_tags import publish_campaign
from annotation.workflow import claiming
from datasets.importers.labelstudio_tasks import LabelStudioTasks
from datasets.labelstudio.controls import controls
from datasets.labelstudio.made import of_json
from datasets.labelstudio.reading import wanted_of
from datasets.schema import ANNOTATION, VALIDITY_KEY
from tests.annotation import factories as make
from tests.factories import person, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga(client):
    olga = make.admin()
    signed_in(client, olga)
    return olga


@pytest.fixture
def campaign(olga):
    """Three tags for two people: both did the first, bob skipped one, which alice has a draft of, one is untouched."""
    campaign = make.campaign(tags=3, people=2, by=olga)
    alice, bob = make.annotator("alice"), make.annotator("bob")
    make.submitted(alice, within=campaign)
    make.submitted(bob, within=campaign, entries=make.nothing(validity="Invalid"))
    make.draft(alice, within=campaign, qa_comment="Not yet.")
    skipped = make.draft(bob, within=campaign)
    claiming.skip(assignment_id=skipped.assignment_id, by=bob, reason="Too long.")
    return campaign


def file_of(client, campaign, name):
    answer = client.get(f"/campaigns/{campaign.pk}/export/{name}")
    data = b"".join(answer.streaming_content)
    assert answer["ETag"] == f'"{hashlib.sha256(data).hexdigest()}"'
    return data


def tasks(client, campaign):
    return json.loads(file_of(client, campaign, "label-studio.json"))


def records(client, campaign, take="latest"):
    importer = LabelStudioTasks(wanted_of(take))
    file = io.BytesIO(file_of(client, campaign, "label-studio.json"))
    return [parsed.record for parsed in importer.records(file)]


def test_a_task_for_each_tag_has_everyones_work_under_pseudonyms(client, campaign):
    made = tasks(client, campaign)
    alice, bob = (Person.objects.get(username=name).pseudonym for name in ("alice", "bob"))
    by = [[(*one.by, one.is_cancelled) for one in of_json(task)] for task in made]
    pairs = [(alice.casefold(), False), (bob.casefold(), False)]
    assert sorted(by) == sorted([pairs, [(bob.casefold(), True)], []])
    assert all(task["data"]["tag"] == make.RAW.strip("{}") for task in made)
    text = json.dumps(made).lower()
    assert not any(
        word in text for word in ("alice", "bob", "olga", "not yet", "too long", '"round"')
    )


def test_the_annotation_that_a_review_accepted_is_the_ground_truth(client, campaign, olga):
    alices = Annotation.objects.get(author__username="alice", state="submitted")
    make.decide(alices, olga)
    publish_campaign(campaign)
    published = json.loads(file_of(client, campaign, "records.json"))
    assert records(client, campaign, "ground-truth") == published


def test_each_annotators_work_comes_in_again(client, campaign):
    bob = Person.objects.get(username="bob").pseudonym
    [record] = records(client, campaign, bob)
    assert record[ANNOTATION] == {VALIDITY_KEY: "Invalid"}
    assert len(records(client, campaign, Person.objects.get(username="alice").pseudonym)) == 1


def test_what_is_being_corrected_is_a_draft(client, olga):
    within = make.campaign(people=1, by=olga)
    row = make.submitted(make.annotator("alice"), within=within)
    make.decide(row, olga, "send_back", "Look again.")
    row.refresh_from_db()
    make.save_draft(
        annotation_id=row.pk, by=row.author, version=row.version, changes={"validity": ""}
    )
    [task] = tasks(client, within)
    assert task["annotations"] == []
    [draft] = task["drafts"]
    names = [result["from_name"] for result in draft["result"]]
    assert VALIDITY_KEY not in names
    assert "taxonomy" in names


def test_tags_of_two_rounds_are_two_tasks(client, olga):
    row = make.submitted(make.annotator("alice"), within=make.campaign(by=olga))
    make.second_round(row)
    within = Campaign.objects.get(pk=row.assignment.campaign_id)
    made = tasks(client, within)
    assert [task["data"]["round"] for task in made] == ["1", "2"]
    assert [len(task["annotations"]) for task in made] == [1, 0]


def test_the_configuration_has_a_field_for_the_pseudonym_and_each_question(client, olga):
    within = make.campaign(by=olga)
    entries = make.whole()
    entries["questions"] = entries["questions"][:1] * 3
    make.submitted(make.annotator("alice"), within=within, entries=entries)
    held = file_of(client, within, "label-studio.xml").decode()
    for name in ("pseudonym", *controls(3)):
        assert held.count(f'name="{name}"') == 1
    assert "question4" not in held


def test_a_campaign_without_tags_to_annotate_is_an_empty_list(client, olga, campaign):
    campaign.assignments.filter(first_submissions=None).update(state="withdrawn")
    assert len(tasks(client, campaign)) == 1
    Annotation.objects.update(first_assignment=None)
    campaign.assignments.update(state="withdrawn")
    assert tasks(client, campaign) == []


def test_tasks_are_read_a_batch_at_a_time_without_the_articles_texts(
    client, campaign, django_assert_max_num_queries
):
    with django_assert_max_num_queries(25) as read:
        tasks(client, campaign)
    assert not any("wikitext" in query["sql"] for query in read.captured_queries)


@pytest.mark.parametrize("name", ["label-studio.json", "label-studio.xml"])
def test_it_asks_first_whoever_could_still_get_a_tag(client, olga, name):
    within = make.campaign(people=2, by=olga)
    make.submitted(make.annotator("alice"), within=within)
    signed_in(client, person("carol", Role.ANNOTATOR, Role.RESEARCHER))
    assert client.get(f"/campaigns/{within.pk}/export/{name}").status_code == 409

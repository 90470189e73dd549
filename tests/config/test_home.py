"""The home page: what waits comes first, and the whole way has counts of what the person may see."""

import re

import pytest

from accounts.roles import Role
from annotation.reviewing.publishing_tags import publish_campaign
from config.next_steps import cards
from config.whole_way import STAGES, whole_way
from evaluation.frozen.snapshots import freeze
from judging import studies
from tests.annotation import factories as annotating
from tests.factories import person, signed_in
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db

NAMES = [stage.label for stage in STAGES]


def counted(someone):
    """What is counted, by stage; stages without a count are left out."""
    return {stage.label: stage.counted for stage in whole_way(someone) if stage.url}


@pytest.fixture
def olga():
    return annotating.admin("olga")


@pytest.fixture
def all_stages(olga):
    """One of everything but a report; alice and bob judge the study, and rita froze its report."""
    campaign = annotating.campaign(by=olga, tags=2)
    annotating.decide(annotating.submitted(annotating.annotator("anna"), within=campaign), olga)
    publish_campaign(campaign, olga)
    study = judging.open_study("alice", "bob")
    freeze(study, by=person("rita", Role.RESEARCHER))
    return study


def test_an_admin_sees_each_stage_with_its_count(olga, all_stages):
    assert counted(olga) == {
        "Pages": "0 pages read",
        "Tags": "2 live tags",
        "Annotated": "1 annotation",
        "Reviewed": "1 tag",
        "Published": "1 record",
        "Asked": "1 run",
        "Judged": "1 study",
        "Reported": "1 frozen report",
    }


def test_each_count_leads_to_a_page_that_the_person_may_open(client, all_stages):
    for role in Role:
        someone = signed_in(client, person(f"only-{role}", role))
        for stage in whole_way(someone):
            if stage.url:
                assert client.get(stage.url).status_code == 200, (role, stage)


@pytest.mark.parametrize(
    ("role", "labels"),
    [
        (Role.ANNOTATOR, ["Tags", "Published"]),
        (Role.RESEARCHER, ["Tags", "Published", "Asked", "Judged", "Reported"]),
        (Role.ADMIN, NAMES),
    ],
)
def test_a_stage_is_named_to_all_and_counted_to_who_may_open_its_page(client, role, labels):
    someone = signed_in(client, person("carol", role))
    assert [stage.label for stage in whole_way(someone)] == NAMES
    assert [*counted(someone)] == labels
    shown = client.get("/").content.decode()
    way = shown.partition('<ol class="way">')[2].partition("</ol>")[0]
    assert re.findall(r'"way-label">([^<]+)<', way) == NAMES
    assert way.count("<a ") == len(labels)


@pytest.mark.parametrize("role", [Role.JUDGE, Role.ADJUDICATOR])
def test_who_only_judges_or_resolves_sees_no_way(client, all_stages, role):
    someone = signed_in(client, person("carol", role))
    assert whole_way(someone) == []
    assert 'class="way"' not in client.get("/").content.decode()


@pytest.mark.parametrize("role", [Role.ADMIN, Role.RESEARCHER])
def test_what_an_open_study_hides_from_its_judge_is_not_counted(all_stages, role):
    alice = judging.judge("alice")
    alice.grants.create(role=role)
    alice.__dict__.pop("_roles", None)
    hidden = {name: counted(alice)[name] for name in ("Asked", "Judged", "Reported")}
    assert hidden == {"Asked": "0 runs", "Judged": "0 studies", "Reported": "0 frozen reports"}
    studies.close_study(all_stages)
    assert counted(alice)["Judged"] == "1 study"
    assert counted(alice)["Asked"] == "1 run"


def test_an_empty_installation_shows_a_way_of_zeros(client, olga):
    signed_in(client, olga)
    assert set(counted(olga)) == set(NAMES)
    assert "0 live tags</a>" in client.get("/").content.decode()


def test_what_waits_comes_first_and_what_is_not_there_is_one_line(client):
    orla = signed_in(client, person("orla", Role.JUDGE, Role.ADMIN))
    annotating.submitted(annotating.annotator("anna"), within=annotating.campaign(tags=1))
    admin, judge = cards(orla)
    assert (admin.role, judge.role) == (Role.ADMIN, Role.JUDGE)
    assert [(line.count, line.text) for line in admin.lines][:1] == [
        (1, "tag that waits for review")
    ]
    kinds = [(bool(line.count), line.is_to_do) for line in admin.lines]
    assert kinds == sorted(kinds, key=[(True, True), (False, True), (True, False)].index)
    assert not judge.lines
    assert judge.none.startswith("responses that wait for your verdict, responses that you can")
    shown = client.get("/").content.decode()
    assert "None now: responses that wait for your verdict," in shown
    assert "A study appears here once an admin opens it with you as a judge." in shown
    assert shown.index("As admin") < shown.index("As judge")

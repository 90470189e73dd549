"""Campaigns in numbers, what was submitted in them, and their files, by a token."""

import json

import pytest

from accounts.models import AuditEvent
from accounts.roles import Role
from accounts.tokens.scopes import Scope
from annotation.models import Seen
from annotation.reviewing.publishing_tags import publish_campaign
from tests.annotation import factories as make
from tests.factories import person
from tests.programs import Program

pytestmark = pytest.mark.django_db

LIST = "/api/campaigns/"


@pytest.fixture
def olga():
    return make.admin()


@pytest.fixture
def pair(olga):
    """alice's and bob's annotations of one tag, not decided."""
    return make.two_of_a_tag({}, {"validity": "Valid", "confidence": 1}, by=olga)


def at(campaign, *parts):
    return "/".join([f"{LIST}{campaign.pk}", *parts, ""])


def of(annotation):
    return annotation.assignment.campaign


def test_campaigns_are_listed_newest_first_and_by_state(olga):
    first = make.campaign(by=olga, name="Mills")
    second = make.campaign(by=olga, name="Weirs", into="weirs")
    type(first).objects.filter(pk=first.pk).update(state="closed")
    program = Program(make.annotator())
    rows = program.get(LIST).json()["results"]
    assert [(row["id"], row["state"], row["collection"]) for row in rows] == [
        (second.pk, "open", "weirs"),
        (first.pk, "closed", "mills"),
    ]
    assert [row["id"] for row in program.get(f"{LIST}?state=open").json()["results"]] == [second.pk]
    page = program.get(f"{LIST}?page_size=1").json()
    assert [row["id"] for row in program.get(page["next"]).json()["results"]] == [first.pk]


@pytest.mark.parametrize(
    "query", ["state=paused", "nonsense=1", "created_by__password__startswith=p"]
)
def test_an_unknown_filter_of_campaigns_is_refused(olga, query):
    answer = Program(olga).get(f"{LIST}?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_query")


def test_progress_is_in_numbers_with_people_by_pseudonym(olga, pair):
    answer = Program(olga).get(at(of(pair[0]), "progress")).json()
    assert (answer["tags"], answer["done"], answer["submitted"], answer["invalid"]) == (1, 1, 2, 0)
    assert answer["pace"]["left"] == 0
    people = {part["person"]: part["submitted"] for part in answer["people"]}
    assert people == {row.author.pseudonym: 1 for row in pair}


def test_progress_hides_verdicts_on_tags_that_the_admin_may_still_get(olga):
    ada = person("ada", Role.ADMIN, Role.ANNOTATOR)
    within = make.campaign(by=olga, people=2)
    make.submitted(make.annotator(), within=within)
    answer = Program(ada).get(at(within, "progress")).json()
    assert answer["invalid"] is None
    assert [part["invalid"] for part in answer["people"]] == [None]
    assert not Seen.objects.exists()


def test_annotations_are_those_of_the_file(olga, pair):
    """Undecided: by letters, without times."""
    program, within = Program(olga), of(pair[0])
    rows = program.get(at(within, "annotations")).json()["results"]
    lines = b"".join(program.get(at(within, "files", "annotations.jsonl"))).splitlines()
    assert rows == [json.loads(line) for line in lines]
    assert {row["annotator"] for row in rows} == {"A", "B"}
    make.decide(pair[0], olga)
    rows = program.get(at(within, "annotations")).json()["results"]
    assert {row["annotator"] for row in rows} == {row.author.pseudonym for row in pair}


def test_annotations_go_on_page_after_page_and_are_noted_as_seen(olga, pair):
    within = of(pair[0])
    program = Program(olga)
    page = program.get(at(within, "annotations") + "?page_size=1").json()
    assert Seen.objects.get().opened == at(within, "annotations")
    [second] = program.get(page["next"]).json()["results"]
    assert [page["results"][0]["annotator"], second["annotator"]] == ["A", "B"]


@pytest.mark.parametrize(
    ("query", "n"), [("state=submitted", 2), ("state=accepted", 0), ("validity=Valid", 2)]
)
def test_annotations_are_filtered(olga, pair, query, n):
    rows = Program(olga).get(f"{at(of(pair[0]), 'annotations')}?{query}").json()["results"]
    assert len(rows) == n


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("state=draft", "submitted"),
        ("validity=valid", "Valid"),
        ("changed_since=2026-01-01", "state"),  # the times of undecided ones are hidden
        ("author=1", "validity"),
    ],
)
def test_an_unknown_filter_of_annotations_is_refused(olga, pair, query, named):
    answer = Program(olga).get(f"{at(of(pair[0]), 'annotations')}?{query}")
    assert answer.status_code == 400
    assert named in answer.json()["error"]


@pytest.mark.parametrize("parts", [("annotations",), ("files", "annotations.jsonl")])
def test_who_may_still_get_the_tag_is_asked_first_and_shown_after_the_yes(olga, parts):
    rae = person("rae", Role.RESEARCHER, Role.ANNOTATOR)
    within = make.campaign(by=olga, people=2)
    row = make.submitted(make.annotator(), within=within)
    program = Program(rae)
    answer = program.get(at(within, *parts))
    assert answer.status_code == 409
    assert row.span_1 not in answer.content.decode()
    agree = answer.json()["agree"]
    assert not Seen.objects.exists()
    yes = program.send("POST", agree["post_to"], agree["fields"])
    assert (yes.status_code, yes.json()) == (200, {"tags": 1})
    [seen] = Seen.objects.all()
    assert (seen.person, seen.tag_id, seen.opened) == (rae, row.sighting.tag_id, at(within, *parts))
    shown = program.get(at(within, *parts))
    assert row.span_1.encode() in b"".join(shown)
    assert program.send("POST", "/api/assignments/next/").json()["code"] == "none_left"
    assert program.send("POST", agree["post_to"], agree["fields"]).json() == {"tags": 0}


def test_the_yes_needs_the_scope_that_gives_up_tags(olga):
    rae = person("rae", Role.RESEARCHER, Role.ANNOTATOR)
    make.submitted(make.annotator(), within=make.campaign(by=olga, people=2))
    answer = Program(rae, Scope.READ).send("POST", "/api/shown/", {"tags": "1", "next": "/"})
    assert (answer.status_code, answer.json()["details"]) == (403, {"scopes": ["annotate"]})
    assert not Seen.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"tags": "one", "next": "/"},
        {"tags": "1,2"},
        {"tags": "1", "next": "//elsewhere.example/"},
    ],
)
def test_a_yes_to_nothing_is_refused(olga, body):
    assert Program(make.annotator()).send("POST", "/api/shown/", body).status_code == 400


def test_a_tag_in_hand_is_handed_in_first(olga):
    rae = person("rae", Role.RESEARCHER, Role.ANNOTATOR)
    within = make.campaign(by=olga, people=2)
    make.submitted(make.annotator(), within=within)
    make.draft(rae, within=within)
    answer = Program(rae).get(at(within, "annotations"))
    assert answer.status_code == 409
    assert "agree" not in answer.json()


def test_files_are_listed_and_downloaded(olga, pair):
    make.decide(pair[1], olga)
    within = of(pair[0])
    publish_campaign(within, olga)
    program = Program(person("rae", Role.RESEARCHER), Scope.READ, Scope.EXPORT)
    files = program.get(at(within, "files")).json()["files"]
    assert [file["name"] for file in files] == [
        "annotations.jsonl", "by-annotator.zip", "records.json", "label-studio.json", "label-studio.xml",
    ]  # fmt: skip
    answer = program.get(files[2]["url"])
    assert answer["Content-Type"] == files[2]["content_type"]
    assert len(json.loads(b"".join(answer))) == 1
    known = program.get(files[2]["url"], headers={"If-None-Match": answer["ETag"]})
    assert (known.status_code, known["ETag"], known.content) == (304, answer["ETag"], b"")
    changed = program.get(files[2]["url"], headers={"If-None-Match": '"other"'})
    assert len(json.loads(b"".join(changed))) == 1
    assert AuditEvent.objects.filter(kind="export").exists()


def test_a_file_that_there_is_not_is_refused_in_json(olga, pair):
    answer = Program(olga).get(at(of(pair[0]), "files", "everything.xml"))
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert "annotations.jsonl" in answer.json()["error"]


def test_a_file_needs_the_scope_export(olga, pair):
    answer = Program(olga, Scope.READ).get(at(of(pair[0]), "files", "records.json"))
    assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")


def test_another_campaign_is_not_found(olga):
    program = Program(olga)
    for part in ("progress", "annotations", "files", "files/records.json"):
        assert program.get(f"{LIST}999/{part}/").status_code == 404

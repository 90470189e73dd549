"""One's own assignments: listed, taken, skipped, by a token alone."""

import pytest

from annotation.models import Annotation, Assignment
from annotation.states import AssignmentState
from annotation.workflow import claiming
from tests.annotation import factories as make
from tests.programs import Program

pytestmark = pytest.mark.django_db

LIST, NEXT = "/api/assignments/", "/api/assignments/next/"


@pytest.fixture
def alice():
    return make.annotator("alice")


@pytest.fixture
def program(alice):
    return Program(alice)


def test_the_next_tag_comes_with_what_was_seen_of_it_and_its_draft(program, alice):
    within = make.campaign()
    taken = program.send("POST", NEXT).json()
    draft = Annotation.objects.get(author=alice)
    assert (taken["id"], taken["campaign"], taken["round"]) == (draft.assignment_id, within.pk, 1)
    tag = taken["tag"]
    assert (tag["id"], tag["title"], tag["raw"]) == (draft.sighting.tag_id, "Kettle Mill", make.RAW)
    assert tag["url"].endswith(f"oldid={tag['revid']}")
    assert (taken["draft"]["id"], taken["draft"]["version"]) == (draft.pk, 0)
    assert taken["draft"]["entries"]["article_1"] == "Kettle Mill"


def test_next_gives_the_tag_that_one_has_in_hand_begun_or_not(program, alice):
    make.campaign(tags=3)
    first = program.send("POST", NEXT).json()
    assert program.send("POST", NEXT).json() == first
    make.save_draft(
        annotation_id=first["draft"]["id"], by=alice, version=0, changes={"span_1": "x"}
    )
    again = program.send("POST", NEXT).json()
    assert (again["id"], again["draft"]["version"]) == (first["id"], 1)
    assert Assignment.objects.filter(person=alice).count() == 1


def test_next_is_of_the_campaign_that_is_named(program):
    olga = make.admin()
    make.campaign(by=olga)
    other = make.campaign(by=olga, name="Weirs", into="weirs", tags=0)
    assert program.send("POST", NEXT).json()["campaign"] != other.pk
    assert program.send("POST", NEXT, {"campaign": other.pk}).json()["campaign"] == other.pk


@pytest.mark.parametrize(
    ("body", "code", "named"),
    [
        ({}, "none_left", "No campaign has a tag left for you now."),
        ({"campaign": 999}, "not_found", "There is no such campaign."),
    ],
)
def test_where_nothing_is_left_the_answer_is_404_with_the_reason(program, body, code, named):
    answer = program.send("POST", NEXT, body)
    assert (answer.status_code, answer.json()["code"]) == (404, code)
    assert answer.json()["error"] == named


@pytest.mark.parametrize("body", [{"campaign": "mills"}, {"campaign": 0}, [], {"campaign": True}])
def test_a_campaign_is_named_by_its_number(program, body):
    answer = program.send("POST", NEXT, body)
    assert answer.status_code == 400


def test_one_s_own_are_listed_with_their_drafts(program, alice):
    within = make.campaign(tags=3)
    held = make.draft(alice, within=within)
    skipped = make.draft(alice, within=within)
    claiming.skip(assignment_id=skipped.assignment_id, by=alice, reason="Greek")
    make.draft(make.annotator("bob"), within=within)
    rows = {row["id"]: row for row in program.get(LIST).json()["results"]}
    assert rows.keys() == {held.assignment_id, skipped.assignment_id}
    own = rows[held.assignment_id]
    assert (own["title"], own["state"], own["tag"]) == ("Kettle Mill", "held", held.sighting.tag_id)
    assert (own["draft"]["id"], own["draft"]["version"]) == (held.pk, 0)
    assert rows[skipped.assignment_id]["skip_reason"] == "Greek"


def test_they_are_filtered_by_state_and_campaign(program, alice):
    olga = make.admin()
    first = make.campaign(by=olga, tags=2)
    second = make.campaign(by=olga, name="Weirs", into="weirs", tags=0)
    held, submitted = make.draft(alice, within=first), make.submitted(alice, within=second)
    for query, expected in (
        ("state=held", held),
        ("state=submitted", submitted),
        (f"campaign={second.pk}", submitted),
    ):
        [row] = program.get(f"{LIST}?{query}").json()["results"]
        assert row["id"] == expected.assignment_id
    assert program.get(f"{LIST}?campaign=999").json() == {"results": [], "next": None}


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("state=free", "held"),
        ("campaign=x", "campaign"),
        ("person__password__startswith=p", "state"),
        ("page_size=-1", "500"),
    ],
)
def test_an_unknown_filter_is_refused_and_names_what_is_allowed(program, query, named):
    answer = program.get(f"{LIST}?{query}")
    assert answer.status_code == 400
    assert named in answer.json()["error"]


def skip(program, place, reason="Greek"):
    return program.send("POST", f"{LIST}{place}/skip/", {"reason": reason})


def test_a_skip_frees_the_tag_for_others_and_is_done_once(program, alice):
    place = make.draft(alice).assignment_id
    for _ in range(2):
        answer = skip(program, place)
        assert (answer.status_code, answer.json()["state"]) == (200, "skipped")
    assert Assignment.objects.filter(state=AssignmentState.FREE).count() == 1


@pytest.mark.parametrize("body", [{}, {"reason": " "}, {"reason": "\x01"}, {"reason": "x" * 1_001}])
def test_a_skip_wants_a_reason(program, alice, body):
    place = make.draft(alice).assignment_id
    answer = program.send("POST", f"{LIST}{place}/skip/", body)
    assert answer.status_code == 400
    assert "reason" in answer.json()["error"] or "why" in answer.json()["error"]
    assert Assignment.objects.get(pk=place).state == AssignmentState.HELD


def test_what_is_handed_in_is_not_skipped(program, alice):
    answer = skip(program, make.submitted(alice).assignment_id)
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")


def test_another_person_s_assignment_is_not_found(program):
    place = make.draft(make.annotator("bob")).assignment_id
    assert skip(program, place).status_code == 404

"""What was taken, submitted or begun is handed back, undone, taken up and flagged by a token alone."""

import pytest

from annotation.models import Assignment
from annotation.states import AnnotationState, AssignmentState
from annotation.workflow import claiming, saving
from tests.annotation import factories as make
from tests.factories import stored
from tests.programs import Program

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice():
    return make.annotator("alice")


@pytest.fixture
def program(alice):
    return Program(alice)


@pytest.fixture
def draft(alice):
    return make.draft(alice)


def act(program, draft, verb, body=None, **headers):
    return program.send("POST", f"/api/drafts/{draft.pk}/{verb}/", body, **headers)


def hand_back(program, draft):
    return program.send("POST", f"/api/assignments/{draft.assignment_id}/hand-back/")


def undo(program, row):
    return act(program, row, "undo", if_match=f'"{row.version}"')


def test_a_submission_is_a_draft_again_and_undone_once(program, draft):
    row = stored(make.handed_in(draft))
    answer = undo(program, row).json()
    assert (answer["state"], answer["assignment"]) == ("draft", draft.assignment_id)
    assert answer["entries"]["span_1"] == make.WHOLE["span_1"]
    assert undo(program, row).json() == answer
    saved = program.send(
        "PATCH",
        f"/api/drafts/{draft.pk}/",
        {"entries": {"span_1": "1820"}},
        if_match=f'"{answer["version"]}"',
    )
    assert saved.status_code == 200


def test_what_cannot_be_undone_says_why(program, draft):
    row = stored(make.handed_in(draft))
    assert act(program, row, "undo").json()["code"] == "version_required"
    old = act(program, row, "undo", if_match=f'"{row.version - 1}"')
    assert (old.status_code, "only the newest version" in old.json()["error"]) == (409, True)
    assert undo(Program(make.annotator("bob")), row).status_code == 404
    make.decide(row, make.admin("ada"))
    late = undo(program, row)
    assert (late.status_code, "opened for review" in late.json()["error"]) == (409, True)
    assert stored(row).state == AnnotationState.ACCEPTED


def test_a_tag_that_was_handed_back_is_free_and_its_draft_is_taken_up_again(program, draft):
    place = draft.assignment_id
    answer = hand_back(program, draft)
    assert (answer.status_code, answer.json()["assignment"]) == (200, None)
    assert Assignment.objects.get(pk=place).state == AssignmentState.FREE
    assert hand_back(program, draft).status_code == 404
    [listed] = program.get("/api/drafts/").json()["results"]
    assert (listed["id"], listed["assignment"]) == (draft.pk, None)
    assert (listed["tag"], listed["title"]) == (draft.sighting.tag_id, "Kettle Mill")
    taken = act(program, draft, "take-up").json()
    assert (taken["id"], taken["draft"]["id"]) == (place, draft.pk)
    again = act(program, draft, "take-up")
    assert (again.status_code, again.json()["code"]) == (409, "conflict")


def test_what_is_submitted_is_not_handed_back(program, draft):
    make.handed_in(draft)
    assert hand_back(program, draft).status_code == 409


def test_own_drafts_are_listed_by_state_and_nobody_else_s(program, alice):
    within = make.campaign(tags=3)
    begun, done = make.draft(alice, within=within), make.submitted(alice, within=within)
    make.draft(make.annotator("bob"), within=within)
    for query, expected in (
        ("", [done.pk, begun.pk]),
        ("?state=draft", [begun.pk]),
        ("?state=submitted", [done.pk]),
        ("?state=published", []),
    ):
        rows = program.get(f"/api/drafts/{query}").json()["results"]
        assert [row["id"] for row in rows] == expected
    assert program.get("/api/drafts/?author=1").status_code == 400


def test_a_draft_is_flagged_with_a_note_and_the_flag_removed(program, draft):
    sent = {"flagged": True, "note": "Which year?"}
    answer = act(program, draft, "flag", sent).json()
    assert (answer["flagged"], answer["flag_note"], answer["version"]) == (True, "Which year?", 0)
    assert act(program, draft, "flag", {"flagged": False}).json()["flag_note"] == ""


@pytest.mark.parametrize(
    "body", [{}, {"flagged": "perhaps"}, {"flagged": True, "note": "x" * 1001}]
)
def test_a_flag_that_cannot_be_read_is_refused(program, draft, body):
    answer = act(program, draft, "flag", body)
    assert (answer.status_code, len(answer.json()["fields"])) == (400, 1)


@pytest.mark.parametrize("meanwhile", ["submitted", "skipped"])
def test_what_is_given_away_while_a_flag_is_on_its_way_is_not_flagged(
    program, draft, monkeypatch, meanwhile
):
    read = saving.draft_of

    def read_before(*args):
        monkeypatch.undo()
        row = read(*args)
        if meanwhile == "submitted":
            make.handed_in(draft)
        else:
            claiming.skip(assignment_id=draft.assignment_id, by=draft.author, reason="Too long")
        return row

    monkeypatch.setattr(saving, "draft_of", read_before)
    answer = act(program, draft, "flag", {"flagged": True, "note": "Which year?"})
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    row = stored(draft)
    assert (row.flagged, row.flag_note) == (False, "")

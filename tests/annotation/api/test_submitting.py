"""A draft is saved and handed in by a token."""

import pytest

from annotation.fields.checks import check
from annotation.models import Annotation
from annotation.states import AnnotationState
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


def submit(program, draft, version, **body):
    return program.send("POST", f"/api/drafts/{draft.pk}/submit/", body, if_match=f'"{version}"')


def checked(entries):
    return [finding.key for finding in check(entries)]


def test_what_is_missing_is_named_by_field_and_the_entries_are_saved(program, draft):
    answer = submit(program, draft, 0, entries={"validity": "Valid", "span_1": "1801"})
    body = answer.json()
    assert (answer.status_code, body["code"], body["retry"]) == (400, "incomplete", False)
    assert {"passage_2_copied", "questions-0-question"} <= body["fields"].keys()
    assert body["details"]["version"] == 1
    row = stored(draft)
    assert (row.state, row.version, row.span_1) == (AnnotationState.DRAFT, 1, "1801")


def test_a_warning_is_ticked_by_its_key(program, draft):
    refused = submit(program, draft, 0, entries=make.whole(span_1="in 1802")).json()
    [finding] = refused["details"]["findings"]
    assert (finding["key"], finding["level"]) == ("span_not_found:span_1", "warn")
    answer = submit(program, draft, refused["details"]["version"], checked=[finding["key"]])
    assert answer.status_code == 200


def test_submitting_twice_is_done_once(program, draft):
    sent = {"entries": make.whole(), "checked": checked(make.whole())}
    first, second = (submit(program, draft, 0, **sent) for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json()["version"] == second.json()["version"]


def test_from_an_older_version_nothing_is_handed_in(program, alice, draft):
    """Not even what is stored, which somebody else's page has saved since."""
    changes = make.whole()
    make.save_draft(annotation_id=draft.pk, by=alice, version=0, changes=changes)
    answer = submit(program, draft, 0, entries={}, checked=checked(changes))
    assert (answer.status_code, answer.json()["code"]) == (412, "stale_version")
    details = answer.json()["details"]
    assert (details["version"], details["mine"]) == (1, {})
    assert stored(draft).state == AnnotationState.DRAFT


def test_a_submission_names_its_version(program, draft):
    answer = program.send("POST", f"/api/drafts/{draft.pk}/submit/", {"entries": make.whole()})
    assert (answer.status_code, answer.json()["code"]) == (428, "version_required")


@pytest.mark.parametrize(
    "body",
    [
        {"entries": {"no_such_field": "x"}},
        {"entries": {"validity": "Perhaps"}},
        {"entries": []},
        {"checked": "all"},
        {"checked": ["x" * 101]},
        {"seconds": -1},
    ],
)
def test_what_cannot_be_read_is_refused_and_nothing_is_saved(program, draft, body):
    answer = submit(program, draft, 0, **body)
    assert answer.status_code == 400
    assert answer.json()["fields"]
    assert stored(draft).version == 0


def test_another_person_s_draft_is_not_there(draft):
    other = Program(make.annotator("bob"))
    assert submit(other, draft, 0).status_code == 404
    assert other.get(f"/api/drafts/{draft.pk}/").status_code == 404


def test_what_was_taken_away_is_saved_and_not_handed_in(program, draft):
    make.withdraw(draft.assignment_id, draft.assignment.campaign)
    answer = submit(program, draft, 0, entries=make.whole(), checked=checked(make.whole()))
    assert answer.status_code == 409
    assert stored(draft).span_1 == make.WHOLE["span_1"]


def test_what_was_sent_back_comes_with_the_reviewer_s_note(program, alice, draft):
    row = make.handed_in(draft)
    make.decide(row, make.admin("ada"), "send_back", "Which year?")
    read = program.get(f"/api/drafts/{draft.pk}/").json()
    assert (read["state"], read["note"]) == ("sent_back", "Which year?")
    answer = submit(program, draft, read["version"], checked=checked(make.whole()))
    assert answer.json()["state"] == "submitted"


def test_with_a_token_alone_a_tag_is_found_taken_saved_and_handed_in(alice):
    make.campaign(tags=2)
    program = Program(alice)
    tags = program.get("/api/tags/?state=live&kind=inconsistent").json()["results"]
    taken = program.send("POST", "/api/assignments/next/").json()
    assert taken["tag"]["id"] in {tag["id"] for tag in tags}
    draft = f"/api/drafts/{taken['draft']['id']}/"
    version = taken["draft"]["version"]
    saved = program.send("PATCH", draft, {"entries": make.whole()}, if_match=str(version)).json()
    sent = {"checked": checked(make.whole())}
    done = program.send("POST", f"{draft}submit/", sent, if_match=str(saved["version"]))
    assert done.json()["state"] == "submitted"
    following = program.send("POST", "/api/assignments/next/").json()
    assert following["tag"]["id"] != taken["tag"]["id"]
    assert Annotation.objects.get(pk=taken["draft"]["id"]).submitted_at

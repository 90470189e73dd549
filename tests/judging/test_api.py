"""The judge's moves through the API."""

import json

import pytest

from judging import verdicts
from judging.models import Judgment
from tests.judging import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def slots(client):
    study = make.open_study(drawn_from=make.finished_run(instances=4))
    alice = make.judge("alice")
    client.force_login(alice)
    return make.slots(study, alice)


# What each change takes at least.
TAKEN = {
    "verdict": {"verdict": "correct"},
    "undo": {},
    "skip": {"reason": "No."},
    "flag": {"flagged": True},
}


def post(client, slot, act, version=0, **data):
    url = f"/api/slots/{slot.pk}/{act}/"
    headers = {} if version is None else {"If-Match": f'"{version}"'}
    return client.post(url, json.dumps(data), content_type="application/json", headers=headers)


def test_twenty_quick_verdicts_land_on_their_items_once(client, slots):
    wanted = {}
    for place, slot in enumerate(slots[:20]):
        verdict = ("correct", "partially correct", "incorrect")[place % 3]
        wanted[slot.pk] = verdict
        for _ in range(1 + place % 2):  # every other one arrives twice
            assert post(client, slot, "verdict", verdict=verdict).status_code == 200
    assert dict(Judgment.objects.values_list("slot", "verdict")) == wanted
    assert all(slot.events.count() == 1 for slot in slots[:20])


def test_the_answer_says_what_is_stored_now(client, slots):
    answer = post(client, slots[0], "verdict", verdict="correct", comment=" x ", seconds=3.5).json()
    assert answer == {
        "slot": str(slots[0].pk),
        "state": "judged",
        "verdict": "correct",
        "flagged": False,
        "version": 1,
        "progress": {"judged": 1, "skipped": 0, "waiting": 23, "total": 24},
    }
    assert Judgment.objects.get().comment == " x "


def test_undo_skip_and_flag(client, slots):
    post(client, slots[0], "verdict", verdict="correct")
    assert post(client, slots[0], "undo", 1).json()["state"] == "waiting"
    assert post(client, slots[0], "undo", 1).status_code == 200
    assert post(client, slots[0], "skip", 2, reason="Cut.").json()["state"] == "skipped"
    assert post(client, slots[1], "flag", flagged=True, note="Look.").json()["flagged"] is True


@pytest.mark.parametrize(
    ("act", "data", "status"),
    [
        ("verdict", {}, 400),
        ("verdict", {"verdict": "correct", "seconds": "long"}, 400),
        ("verdict", {"verdict": ["correct"]}, 400),
        ("skip", {}, 400),
        ("flag", {"flagged": "perhaps"}, 400),
    ],
)
def test_bad_input_is_refused_with_a_sentence(client, slots, act, data, status):
    answer = post(client, slots[0], act, **data)
    assert answer.status_code == status
    assert answer.json()
    assert not Judgment.objects.exists()


def test_what_is_not_json_is_refused(client, slots):
    url = f"/api/slots/{slots[0].pk}/verdict/"
    answer = client.post(url, "verdict", "application/json", headers={"If-Match": '"0"'})
    assert answer.status_code == 400


GIVEN = {"verdict": "incorrect", "comment": "Second thoughts.", "skip_reason": ""}


@pytest.mark.parametrize(
    ("act", "data", "given"),
    [
        ("verdict", {"verdict": "incorrect", "comment": "Second thoughts."}, GIVEN),
        ("undo", {}, dict.fromkeys(GIVEN, "")),
        ("skip", {"reason": "Cut."}, {**dict.fromkeys(GIVEN, ""), "skip_reason": "Cut."}),
    ],
)
def test_from_an_older_state_both_entries_come_back_and_nothing_changes(
    client, slots, act, data, given
):
    """Two tabs."""
    post(client, slots[0], "verdict", verdict="correct", comment="First.")
    answer = post(client, slots[0], act, **data)
    assert answer.status_code == 412
    first = {"verdict": "correct", "comment": "First.", "skip_reason": ""}
    assert answer.json()["details"] == {"version": 1, "stored": first, "given": given}
    assert (Judgment.objects.get().verdict, slots[0].events.count()) == ("correct", 1)


def test_either_of_both_can_be_kept(client, slots):
    post(client, slots[0], "verdict", verdict="correct")
    stale = post(client, slots[0], "verdict", verdict="incorrect").json()["details"]
    answer = post(client, slots[0], "verdict", stale["version"], verdict="incorrect")
    assert (answer.status_code, answer.json()["version"]) == (200, 2)
    assert Judgment.objects.get().verdict == "incorrect"


def test_the_same_request_again_succeeds_though_its_state_is_older(client, slots):
    """The answer to the first one was lost on the way."""
    for version in (0, 0, 1):
        answer = post(client, slots[0], "verdict", version, verdict="correct", comment="Once.")
        assert (answer.status_code, answer.json()["version"]) == (200, 1)
    for act, version, data in (("undo", 1, {}), ("skip", 2, {"reason": "Cut."})):
        for _ in range(2):
            answer = post(client, slots[0], act, version, **data)
            assert (answer.status_code, answer.json()["version"]) == (200, version + 1)


@pytest.mark.parametrize(
    ("act", "version"),
    [("verdict", None), ("undo", "new"), ("skip", ""), ("verdict", "-1"), ("undo", "9" * 40)],
)
def test_a_change_names_the_state_that_it_was_made_from(client, slots, act, version):
    answer = post(client, slots[0], act, version, **TAKEN[act])
    assert answer.status_code == 428
    assert "If-Match" in answer.json()["error"]
    assert not Judgment.objects.exists()


def test_the_other_entry_is_never_another_judges(client, slots):
    bob = make.judge("bob")
    for theirs in make.slots(slots[0].round.study, bob):
        verdicts.give(theirs, "incorrect", comment="What Bob thinks.")
    post(client, slots[0], "verdict", verdict="correct")
    answer = post(client, slots[0], "verdict", verdict="partially correct")
    assert answer.status_code == 412
    assert "Bob" not in answer.content.decode()
    assert "incorrect" not in answer.content.decode()


@pytest.mark.parametrize(
    ("body", "kind"), [("[]", "text/plain"), ('{"verdict":', "application/json")]
)
def test_undo_ignores_its_body(client, slots, body, kind):
    post(client, slots[0], "verdict", verdict="correct")
    url = f"/api/slots/{slots[0].pk}/undo/"
    answer = client.post(url, body, content_type=kind, headers={"If-Match": '"1"'})
    assert (answer.status_code, answer.json()["state"]) == (200, "waiting")


@pytest.mark.parametrize("act", ["verdict", "undo", "skip", "flag"])
def test_it_checks_ownership(client, slots, act):
    client.force_login(make.judge("bob"))
    assert post(client, slots[0], act, **TAKEN[act]).status_code == 404
    slots[0].refresh_from_db()
    assert (slots[0].state, slots[0].flagged) == ("waiting", False)


def test_a_closed_item_answers_conflict(client, slots):
    study = slots[0].round.study
    make.hand_in(study, "alice")
    answer = post(client, slots[0], "verdict", verdict="incorrect")
    assert answer.status_code == 409
    assert answer.json()["retry"] is False


def of_study(client, slots, act):
    return client.post(f"/api/studies/{slots[0].round.study.pk}/{act}/")


def test_a_study_is_handed_in_once_nothing_waits(client, slots):
    early = of_study(client, slots, "hand-in")
    assert (early.status_code, early.json()["error"][:30]) == (
        409,
        "24 of your items have no verdi",
    )
    for slot in slots:
        verdicts.give(slot, "correct")
    for _ in range(2):
        answer = of_study(client, slots, "hand-in")
        assert (answer.status_code, answer.json()["handed_in"]) == (200, True)
    assert post(client, slots[0], "verdict", 1, verdict="incorrect").status_code == 409


def test_what_was_not_judged_is_handed_back(client, slots):
    verdicts.give(slots[0], "correct")
    for _ in range(2):
        answer = of_study(client, slots, "hand-back").json()
        assert answer["progress"] == {"judged": 1, "skipped": 0, "waiting": 0, "total": 1}
    assert post(client, slots[1], "verdict", verdict="correct").status_code == 404


@pytest.mark.parametrize("act", ["hand-in", "hand-back"])
def test_only_its_judges_hand_in_or_back(client, slots, act):
    client.force_login(make.judge("carol"))
    assert of_study(client, slots, act).status_code == 404

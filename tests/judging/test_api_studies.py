"""Studies and the next item through the API."""

import json

import pytest

from accounts.roles import Role
from accounts.tokens.scopes import Scope
from judging import studies, verdicts
from judging.models import GoldItem, JudgingSlot
from tests.accounts.factories import bearer
from tests.factories import person
from tests.judging import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db):
    return make.open_study(drawn_from=make.finished_run(instances=1))


def test_a_judge_gets_what_the_page_judge_shows(client, study):
    make.open_study("bob", name="Bob's own", drawn_from=make.later_run(), judges_per_response=1)
    headers = bearer(make.judge("alice"), Scope.JUDGE)
    answer = client.get("/api/studies/mine/", headers=headers)
    [mine] = answer.json()["results"]
    assert mine == {
        "id": study.pk,
        "name": "Pilot",
        "state": "open",
        "is_demonstration": False,
        "judged": "response",
        "progress": {"judged": 0, "skipped": 0, "waiting": 6, "total": 6},
        "handed_in": False,
        "free": 0,
        "discussed": 0,
    }
    assert client.get(f"/api/studies/{study.pk}/mine/", headers=headers).json() == mine


@pytest.mark.parametrize("act", ["mine", "next"])
def test_a_study_that_one_does_not_judge_is_not_there(client, study, act):
    headers = bearer(make.judge("carl"), Scope.JUDGE)
    send = client.post if act == "next" else client.get
    answer = send(f"/api/studies/{study.pk}/{act}/", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_next_is_the_same_until_it_has_a_verdict(client, study):
    headers = bearer(make.judge("alice"), Scope.JUDGE)
    first, again = (client.post(f"/api/studies/{study.pk}/next/", headers=headers) for _ in "12")
    assert first.json() == again.json()
    slot = first.json()["slot"]
    assert JudgingSlot.objects.get(pk=slot).shown_at
    given = client.post(
        f"/api/slots/{slot}/verdict/",
        json.dumps({"verdict": "correct"}),
        "application/json",
        headers={**headers, "If-Match": '"0"'},
    )
    assert given.json()["progress"]["judged"] == 1
    assert client.post(f"/api/studies/{study.pk}/next/", headers=headers).json()["slot"] != slot


def test_next_draws_from_a_pool(client):
    study = make.open_study(pairing="pool", drawn_from=make.finished_run(instances=1))
    headers = bearer(make.judge("alice"), Scope.JUDGE)
    answer = client.post(f"/api/studies/{study.pk}/next/", headers=headers)
    assert answer.json()["total"] == 6


def test_where_nothing_is_left_next_says_so(client, study):
    alice = make.judge("alice")
    for slot in make.slots(study, alice):
        verdicts.give(slot, "correct")
    answer = client.post(f"/api/studies/{study.pk}/next/", headers=bearer(alice, Scope.JUDGE))
    assert (answer.status_code, answer.json()["code"]) == (404, "none_left")


def test_the_warm_up_comes_first(client, study):
    known = make.response(make.run("gold"), make.instance(9), "passage-1", make.language_model())
    GoldItem.objects.create(study=study, response=known, position=1, verdict="correct")
    headers = bearer(make.judge("alice"), Scope.JUDGE)
    answer = client.post(f"/api/studies/{study.pk}/next/", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (409, "warm_up")


def test_a_token_without_the_scope_gives_no_verdict(client, study):
    alice = make.judge("alice")
    [slot, *_] = make.slots(study, alice)
    headers = {**bearer(alice, Scope.READ), "If-Match": '"0"'}
    body = json.dumps({"verdict": "correct"})
    answer = client.post(
        f"/api/slots/{slot.pk}/verdict/", body, "application/json", headers=headers
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")
    slot.refresh_from_db()
    assert slot.state == "waiting"


@pytest.mark.parametrize(
    "address", ["/api/slots/not-a-slot/", "/api/slots/", "/api/studies/x/next/"]
)
def test_there_are_no_such_addresses(client, study, address):
    answer = client.get(address, headers=bearer(make.judge("alice"), Scope.JUDGE))
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_an_unknown_slot_is_not_there(client, study):
    headers = bearer(make.judge("alice"), Scope.JUDGE)
    answer = client.get("/api/slots/00000000-0000-4000-8000-000000000000/", headers=headers)
    assert (answer.status_code, answer.json()["error"]) == (404, verdicts.NOT_YOURS)


def test_researchers_list_studies(client, study):
    draft = make.draft("Later", drawn_from=make.later_run())
    headers = bearer(person("rita", Role.RESEARCHER), Scope.READ)
    listed = client.get("/api/studies/", headers=headers).json()["results"]
    assert [(row["id"], row["responses"]) for row in listed] == [(draft.pk, 3), (study.pk, 6)]
    opened = client.get("/api/studies/?state=open", headers=headers).json()["results"]
    assert [row["progress"]["total"] for row in opened] == [12]


@pytest.mark.parametrize(
    "query", ["state=new", "nonsense=1", "page_size=-1", "created_by__password__startswith=a"]
)
def test_an_unknown_parameter_or_value_names_what_is_allowed(client, query):
    headers = bearer(person("rita", Role.RESEARCHER), Scope.READ)
    answer = client.get(f"/api/studies/?{query}", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_query")


def test_a_study_is_read_with_its_judges_and_results(client, study):
    alice = make.judge("alice")
    verdicts.give(make.slots(study, alice)[0], "correct")
    headers = bearer(person("rita", Role.RESEARCHER), Scope.READ)
    answer = client.get(f"/api/studies/{study.pk}/", headers=headers).json()
    judged = {judge["pseudonym"]: judge["progress"]["judged"] for judge in answer["judges"]}
    assert judged == {alice.pseudonym: 1, make.judge("bob").pseudonym: 0}
    assert answer["final"]["waiting"] == 6
    assert [entry["n"] for entry in answer["rounds"]] == [1]
    assert answer["hidden"] == ""


def test_a_judge_who_is_a_researcher_sees_no_results_while_it_is_open(client, study):
    alice = make.judge("alice")
    alice.grants.create(role=Role.RESEARCHER)
    headers = bearer(alice, Scope.READ, Scope.EXPORT)
    answer = client.get(f"/api/studies/{study.pk}/", headers=headers).json()
    assert [answer[part] for part in ("progress", "judges", "final", "rounds")] == [None] * 4
    assert "hidden from you" in answer["hidden"]
    assert client.get(f"/api/studies/{study.pk}/exports/csv/", headers=headers).status_code == 403
    studies.close_study(study)
    assert client.get(f"/api/studies/{study.pk}/", headers=headers).json()["final"]["total"] == 6


def test_an_export_is_the_file_of_the_page(client, study):
    headers = bearer(person("rita", Role.RESEARCHER), Scope.EXPORT)
    answer = client.get(f"/api/studies/{study.pk}/exports/json/", headers=headers)
    client.force_login(person("rosa", Role.RESEARCHER))
    page = client.get(f"/studies/{study.pk}/export/json/")
    assert b"".join(answer) == b"".join(page)


@pytest.mark.parametrize(("form", "status"), [("xlsx", 404), ("published", 400)])
def test_an_export_that_there_is_not_is_refused_as_json(client, study, form, status):
    headers = bearer(person("rita", Role.RESEARCHER), Scope.EXPORT)
    answer = client.get(f"/api/studies/{study.pk}/exports/{form}/", headers=headers)
    assert answer.status_code == status
    assert answer.json()["error"]

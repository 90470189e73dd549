"""Operations on models, prompts, runs and responses."""

import pytest

from accounts.roles import Role
from datasets import blinding
from generation import access
from generation.models import Run
from generation.states import ResponseState, RunState
from leases.refusal import AsksFirst
from tests.factories import person, signed_in, stored
from tests.generation.factories import answer_all, canals, echo, run

pytestmark = pytest.mark.django_db

RUNS = "/api/runs/"


@pytest.fixture
def olga(client):
    return signed_in(client, person("olga", Role.ADMIN))


def results(client, address, **query):
    answer = client.get(address, query)
    assert answer.status_code == 200, answer.json()
    return answer.json()["results"]


def post(client, address, key="", **sent):
    headers = {"Idempotency-Key": key} if key else {}
    return client.post(address, sent, content_type="application/json", headers=headers)


def wanted(**changes):
    """The body of a run over new canals."""
    if "collection" not in changes:
        canals()
    usual = {"collection": "canals", "models": [echo().pk], "prompts": ["both-passages"]}
    return {**usual, **changes}


# ---------------------------------------------------------------- models and prompts


def test_models_and_prompts_are_listed(client, olga, local):
    model = echo(temperature=0.5)
    (only,) = results(client, "/api/models/", service="local")
    assert (only["id"], only["options"]["temperature"]) == (model.pk, 0.5)
    prompts = {one["key"]: one for one in results(client, "/api/prompts/", origin="program")}
    assert prompts["both-passages"]["protocol"] == "wikicontradict"
    assert prompts["both-passages"]["body"]["template"]


# ---------------------------------------------------------------- runs


@pytest.fixture
def hidden(monkeypatch):
    """Function: hide these runs from everybody."""

    def hide(*runs):
        keys = {run.pk for run in runs}
        monkeypatch.setattr(access.hides_runs, "providers", {"test": lambda who, runs: keys})

    return hide


def test_runs_are_listed_with_their_progress(client, olga, local):
    made = run()
    answer_all(made)
    run(collection=made.collection, started=False, name="Later")
    later, first = results(client, RUNS)
    assert (first["state"], first["progress"]["done"], first["progress"]["total"]) == ("done", 3, 3)
    assert (first["collection"], [one["model_id"] for one in first["models"]]) == (
        "canals",
        ["echo-1"],
    )
    assert results(client, RUNS, state="draft") == [later]
    assert results(client, RUNS, collection="canals", state="done") == [first]
    assert client.get(f"{RUNS}{made.pk}/").json() == first


def test_a_list_is_the_same_whether_a_run_is_hidden_or_was_never_made(client, olga, local, hidden):
    shown = [run(name="A", started=False)]
    collection = shown[0].collection
    shown.append(run(collection=collection, name="B", started=False))
    before = client.get(RUNS, {"page_size": 2}).json()
    secret = run(collection=collection, name="Secret", started=False)
    hidden(secret)
    assert client.get(RUNS, {"page_size": 2}).json() == before
    assert before["next"] is None
    for way, address in (
        (client.get, f"{RUNS}{secret.pk}/"),
        (client.get, f"{RUNS}{secret.pk}/responses/"),
        (client.post, f"{RUNS}{secret.pk}/stop/"),
    ):
        assert way(address).status_code == 404
    assert stored(secret).state == RunState.DRAFT


def test_a_run_is_made_started_and_stopped(client, olga, local):
    answer = post(client, RUNS, **wanted(samples=2, limit=1, name="Trial"))
    assert answer.status_code == 201, answer.json()
    made = answer.json()
    assert (made["state"], made["name"], made["progress"]["waiting"]) == ("draft", "Trial", 2)
    assert made["left_out"] == []
    started = client.post(f"{RUNS}{made['id']}/start/")
    assert (started.status_code, started.json()["state"]) == (200, "running")
    again = client.post(f"{RUNS}{made['id']}/start/")
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    stopped = client.post(f"{RUNS}{made['id']}/stop/").json()
    assert (stopped["state"], stopped["progress"]["cancelled"]) == ("cancelled", 2)
    row = Run.objects.get()
    assert (row.created_by, row.prompts) == (olga, ["both-passages"])


def test_a_finished_run_cannot_be_stopped(client, olga, local):
    made = run()
    answer_all(made)
    answer = client.post(f"{RUNS}{made.pk}/stop/")
    assert (answer.status_code, answer.json()["error"]) == (
        409,
        "This run is done; it cannot be changed that way any more.",
    )


@pytest.mark.both
def test_a_run_that_is_sent_twice_with_one_key_is_one(client, olga, local):
    body = wanted()
    first, second = (post(client, RUNS, key="K-1", **body) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    other = post(client, RUNS, key="K-1", **{**body, "samples": 2})
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert Run.objects.count() == 1
    assert post(client, RUNS, **body).json()["id"] != first.json()["id"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"collection": "none"}, "collection"),
        ({"collection": None}, "collection"),
        ({"models": [0]}, "models.0"),
        ({"models": [10**9]}, "models"),
        ({"models": []}, "models"),
        ({"models": "1"}, "models"),
        ({"prompts": []}, "prompts"),
        ({"prompts": ["no-such-prompt"]}, "prompts"),
        ({"samples": 101}, "samples"),
        ({"limit": 0}, "limit"),
        ({"limit": 10**30}, "limit"),
        ({"models": [10**30]}, "models.0"),
        ({"cost_cap": -1}, "cost_cap"),
        ({"cost_cap": "NaN"}, "cost_cap"),
        ({"name": "a" * 121}, "name"),
    ],
)
def test_a_run_that_cannot_be_is_refused_with_the_field(client, olga, local, changes, field):
    canals()
    answer = post(client, RUNS, **wanted(collection="canals") | changes)
    assert answer.status_code == 400
    assert field in answer.json()["fields"], answer.json()
    assert not Run.objects.exists()


def test_a_cap_that_cannot_hold_makes_no_run(client, olga, local):
    answer = post(client, RUNS, **wanted(cost_cap=1.0))
    assert answer.status_code == 400
    assert "A cap needs the prices of all models." in answer.json()["error"]
    assert not Run.objects.exists()


@pytest.mark.parametrize("body", ["{", "[1, 2]", '"run"', "[" * 10_000, '{"name": "a\\u0000"}'])
def test_what_is_no_json_of_a_run_is_refused(client, olga, body):
    answer = client.post(RUNS, body, content_type="application/json")
    assert answer.status_code == 400
    assert not Run.objects.exists()


def test_a_body_of_50_mb_is_refused_unread(client, olga):
    answer = client.generic(
        "POST", RUNS, CONTENT_TYPE="application/json", CONTENT_LENGTH=str(50 * 1024**2)
    )
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


# ---------------------------------------------------------------- responses


@pytest.mark.both
def test_responses_come_in_the_order_of_their_requests(client, olga, local):
    made = run(prompts=("4", "1"))
    answer_all(made)
    address = f"{RUNS}{made.pk}/responses/"
    found, page = [], f"{address}?page_size=4"
    while page:
        answer = client.get(page).json()
        found += answer["results"]
        page = answer["next"]
    rows = list(made.responses.order_by("order"))
    assert [one["id"] for one in found] == [row.pk for row in rows]
    assert [one["text"] for one in found] == [row.text for row in rows]
    assert len(results(client, address, prompt=rows[0].prompt)) == 3
    assert len(results(client, address, question=rows[0].instance_id)) == 2
    assert results(client, address, state=ResponseState.FAILED) == []


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"page_size": "101"}, "a whole number from 1 to 100"),
        ({"state": "Done"}, "one of pending, running, done, failed, cancelled"),
        ({"model": "echo"}, "a whole number from 1"),
        ({"words": "a"}, "Allowed are: state, prompt, model, question"),
    ],
)
def test_what_is_no_filter_of_responses_is_refused(client, olga, local, query, says):
    answer = client.get(f"{RUNS}{run(started=False).pk}/responses/", query)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_query")
    assert says in answer.json()["error"]


def test_responses_to_hidden_records_ask_first(client, olga, local, monkeypatch):
    made = run(started=False)
    asks = AsksFirst(
        "You may get its tag.",
        view="home",
        operation="annotation:api_show",
        fields={"tag": "1"},
        button="Show",
        details=None,
    )
    monkeypatch.setattr(blinding.records_problem, "providers", {"test": lambda who, rows: asks})
    for address in (f"{RUNS}{made.pk}/", f"{RUNS}{made.pk}/responses/"):
        answer = client.get(address)
        assert (answer.status_code, answer.json()["code"]) == (409, "asks_first")
        assert answer.json()["agree"]["fields"] == {"tag": "1", "next": address}

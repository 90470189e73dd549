import pytest

from accounts.roles import Role
from datasets.records import current
from tests.datasets.factories import annotation, edited, mills, record
from tests.factories import person

pytestmark = pytest.mark.django_db

ADDRESS = "/api/datasets/collections/mills/contradictions/"


@pytest.fixture
def reader(client):
    client.force_login(person("bob", Role.RESEARCHER))
    return client


def test_collections_are_listed_with_their_sizes(reader):
    mills(record(), record(title="B"))
    (only,) = reader.get("/api/datasets/collections/").json()
    assert (only["name"], only["contradictions"], only["questions"]) == ("mills", 2, 2)


def test_a_contradiction_comes_with_its_record_questions_and_deviations(reader):
    whole = record(given=annotation(confidence=""))
    row = current(mills(whole)).get()
    (only,) = reader.get(ADDRESS).json()["results"]
    assert only["record"] == whole
    assert (only["external_id"], only["version"], only["position"]) == (row.external_id, 1, 0)
    assert [(one["n"], one["answer_1"], one["kind"]) for one in only["questions"]] == [
        (1, "1791", "wh")
    ]
    assert only["deviations"] == [
        {"kind": "no confidence given", "place": "confidence", "detail": ""}
    ]


def test_contradictions_come_in_pages_in_the_collections_order(reader):
    mills(*(record(title=f"{n}") for n in range(5)))
    first = reader.get(ADDRESS, {"page_size": 2}).json()
    assert (first["count"], first["previous"]) == (5, None)
    assert [row["record"]["title"] for row in first["results"]] == ["0", "1"]
    last = reader.get(ADDRESS, {"page_size": 2, "page": 3}).json()
    assert ([row["record"]["title"] for row in last["results"]], last["next"]) == (["4"], None)
    assert reader.get(ADDRESS, {"page_size": 2, "page": 4}).status_code == 404


def test_only_the_newest_version_is_read(reader):
    old = current(mills()).get()
    edited(old, title="new")
    (only,) = reader.get(ADDRESS).json()["results"]
    assert (only["record"]["title"], only["version"]) == ("new", 2)


def test_reading_is_all_that_can_be_done(reader):
    mills()
    for way in (reader.post, reader.put, reader.patch, reader.delete):
        assert way(ADDRESS, {}).status_code == 405


def test_the_schema_of_the_api_can_be_made(client):
    client.force_login(person("alice", Role.ADMIN))
    answer = client.get("/api/schema.json")
    assert answer.status_code == 200
    assert ADDRESS.replace("mills", "{name}") in answer.json()["paths"]

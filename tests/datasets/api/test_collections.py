"""Operations on collections, their records, questions and subsets."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db.models import Q
from django.db.models.functions import Now

from accounts.roles import Role
from datasets import blinding
from datasets.drawing import SubsetPlan
from datasets.models import Contradiction, Instance
from datasets.records import current
from datasets.subsets import Query, freeze
from leases import clock
from tests.datasets.factories import annotation, edited, mills, record
from tests.factories import person

pytestmark = pytest.mark.django_db

RECORDS = "/api/collections/mills/records/"
QUESTIONS = "/api/collections/mills/questions/"


@pytest.fixture
def bob():
    return person("bob", Role.RESEARCHER)


@pytest.fixture
def reader(client, bob):
    client.force_login(bob)
    return client


def results(client, address, **query):
    answer = client.get(address, query)
    assert answer.status_code == 200, answer.json()
    return answer.json()["results"]


def refused(client, address, **query):
    answer = client.get(address, query)
    assert answer.status_code == 400
    assert answer.json()["code"] == "bad_query"
    return answer.json()["error"]


def titles(rows):
    return [row["record"]["title"] for row in rows]


def test_collections_are_listed_with_their_sizes(reader):
    mills(record(), record(title="B"))
    (only,) = results(reader, "/api/collections/")
    assert (only["name"], only["records"], only["questions"]) == ("mills", 2, 2)
    assert (only["protocol"], only["protocol_version"]) == ("wikicontradict", 1)


def test_a_collection_says_what_filters_give(reader):
    mills(record(), record(title="B", given=annotation(wikitag_label_valid="Invalid")))
    one = reader.get("/api/collections/mills/").json()
    assert (one["records"], one["invalid"]) == (2, 1)
    for facet in one["facets"]:
        given = {facet["parameter"]: facet["value"]}
        assert len(results(reader, QUESTIONS, **given)) == facet["questions"], facet


def test_a_record_comes_with_its_questions_and_deviations(reader):
    whole = record(given=annotation(confidence=""))
    row = current(mills(whole)).get()
    (only,) = results(reader, RECORDS)
    assert only["record"] == whole
    assert (only["external_id"], only["version"], only["position"]) == (row.external_id, 1, 0)
    assert [(one["n"], one["answer_1"], one["kind"]) for one in only["questions"]] == [
        (1, "1791", "wh")
    ]
    assert only["deviations"] == [
        {"kind": "no confidence given", "place": "confidence", "detail": ""}
    ]
    one = reader.get(f"/api/records/{row.pk}/").json()
    assert {key: one[key] for key in only} == only
    assert (one["collection"], one["supersedes"], one["superseded_by"]) == ("mills", None, None)


@pytest.mark.both
def test_records_come_in_the_collections_order_each_once(reader):
    mills(*(record(title=f"{n}") for n in range(5)))
    found, address = [], f"{RECORDS}?page_size=2"
    while address:
        answer = reader.get(address).json()
        assert set(answer) == {"results", "next"}
        found += titles(answer["results"])
        address = answer["next"]
    assert found == ["0", "1", "2", "3", "4"]


@pytest.mark.both
def test_only_the_newest_version_is_listed_and_every_one_can_be_read(reader):
    old = current(mills()).get()
    new = edited(old, title="new")
    (only,) = results(reader, RECORDS)
    assert (only["record"]["title"], only["version"]) == ("new", 2)
    assert reader.get(f"/api/records/{old.pk}/").json()["superseded_by"] == new.pk
    assert reader.get(f"/api/records/{new.pk}/").json()["supersedes"] == old.pk


@pytest.mark.both
def test_records_are_filtered(reader):
    invalid = annotation(wikitag_label_valid="Invalid")
    implicit = annotation(Contradict__type__IV="Implicit (reasoning required)")
    mills(record(), record(title="B", given=invalid), record(title="C", given=implicit))
    Contradiction.objects.filter(title="C").update(created_at=Now() + timedelta(days=1))
    old_mill = "Old Mill, Ahrfeld"
    later = (clock.now() + timedelta(hours=1)).isoformat()
    for query, found in (
        ({"validity": "Invalid"}, ["B"]),
        ({"validity": "Valid"}, [old_mill, "C"]),
        ({"reasoning": "implicit"}, ["C"]),
        ({"reasoning": "explicit", "validity": "Valid"}, [old_mill]),
        ({"kind": "yes-no"}, []),
        ({"kind": "wh", "passages": "different", "validity": "Invalid"}, ["B"]),
        ({"changed_since": later}, ["C"]),
    ):
        assert titles(results(reader, RECORDS, **query)) == found, query


@pytest.mark.both
def test_questions_are_listed_with_their_records(reader):
    row = current(mills(record(), record(title="B"))).first()
    first, second = results(reader, QUESTIONS)
    assert (first["record"], first["external_id"], first["n"]) == (row.pk, row.external_id, 1)
    assert first["id"] == Instance.objects.get(contradiction=row).pk
    assert second["record"] != row.pk


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"nonsense": "1"}, "Allowed are: validity, reasoning"),
        ({"validity": "invalid"}, "Valid, Invalid"),
        ({"kind": "Wh"}, "yes-no, wh"),
        ({"page_size": "-1"}, "1 to 500"),
        ({"page_size": "501"}, "1 to 500"),
        ({"changed_since": "yesterday"}, "2026-05-01T12:00:00Z"),
        ({"created_by__password__startswith": "a"}, "There is no parameter"),
        ({"cursor": ""}, "a text of 1 to"),
        ({"slice": "relation:capital"}, "mills has no slices. Use reasoning"),
    ],
)
def test_what_is_no_filter_is_refused_with_what_is(reader, query, names):
    mills()
    assert names in refused(reader, RECORDS, **query)


def test_a_cursor_of_another_list_or_person_is_refused(reader, client):
    mills(record(), record(title="B"), record(title="C"))
    address = reader.get(RECORDS, {"page_size": 1}).json()["next"]
    cursor = parse_qs(urlsplit(address).query)["cursor"][0]
    for other, query in (
        (QUESTIONS, {}),
        (RECORDS, {"validity": "Valid"}),
        ("/api/collections/", {}),
    ):
        answer = reader.get(other, {"cursor": cursor, **query})
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_cursor")
    assert len(reader.get(RECORDS, {"cursor": cursor}).json()["results"]) == 2
    client.force_login(person("carol", Role.RESEARCHER))
    assert client.get(RECORDS, {"cursor": cursor}).status_code == 400


@pytest.mark.parametrize("address", ["/api/collections/none/records/", "/api/records/0/"])
def test_what_is_not_there_is_404(reader, address):
    answer = reader.get(address)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_reading_is_all_that_can_be_done(reader):
    mills()
    for way in (reader.post, reader.put, reader.patch, reader.delete):
        answer = way(RECORDS, {})
        assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")


def test_no_list_tells_what_is_hidden(reader, bob, monkeypatch):
    """Of three records one is hidden: pages are full, and no number is greater."""
    collection = mills(record(title="A"), record(title="B"), record(title="C"))
    hidden = current(collection).get(title="B")
    monkeypatch.setattr(
        blinding.hides_records,
        "providers",
        {"test": lambda who, path: Q(**{f"{path}pk": hidden.pk})},
    )
    answer = reader.get(RECORDS, {"page_size": 2}).json()
    assert (titles(answer["results"]), answer["next"]) == (["A", "C"], None)
    assert hidden.pk not in [row["record"] for row in results(reader, QUESTIONS)]
    assert len(results(reader, QUESTIONS)) == 2
    assert results(reader, "/api/collections/")[0]["records"] == 2
    assert reader.get("/api/collections/mills/").json()["questions"] == 2


def test_a_subset_says_how_it_was_drawn(reader):
    collection = mills(record(), record(title="B"))
    subset = freeze(
        "Few", collection, Query({"kind": "wh"}), SubsetPlan(seed=7, wanted={"": 1}), by=None
    )
    (only,) = results(reader, "/api/collections/mills/subsets/")
    assert (only["name"], only["questions"], only["frame"], only["seed"]) == ("Few", 1, 2, 7)
    address = f"/api/collections/mills/subsets/{subset.pk}/"
    one = reader.get(address).json()
    assert one["of"] == "Wh- questions"
    assert one["strata"] == [{"label": "All questions", "questions": 2, "drawn": 1}]
    (question,) = results(reader, f"{address}questions/")
    assert question["id"] == subset.instances.get().pk
    assert reader.get("/api/collections/mills/subsets/0/").status_code == 404

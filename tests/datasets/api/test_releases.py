"""Operations on releases and exports: files come byte for byte, each with its own hash."""

import hashlib
import json

import pytest

from accounts.models import AuditEvent
from accounts.rates import JOBS
from accounts.roles import Role
from datasets import blinding
from datasets.models import Contradiction, Release, WithheldRecord
from datasets.records import current
from datasets.releasing import freeze_jobs
from datasets.releasing.freezing import freeze
from datasets.releasing.publishing import publish
from datasets.releasing.withholding import withhold
from leases.refusal import AsksFirst
from tests.accounts.factories import use_up
from tests.datasets.factories import annotation, mills, record
from tests.factories import person

pytestmark = pytest.mark.django_db

RELEASES = "/api/collections/mills/releases/"


@pytest.fixture(autouse=True)
def data_dir(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def olga():
    return person("olga", Role.ADMIN)


@pytest.fixture
def admin(client, olga):
    client.force_login(olga)
    return client


@pytest.fixture
def rosa(client):
    rosa = person("rosa", Role.RESEARCHER)
    client.force_login(rosa)
    return rosa


def frozen(*records, version="1.0"):
    return freeze(collection=mills(*records), version=version, notes="The first.")


def post(client, address, **sent):
    return client.post(address, sent, content_type="application/json")


def bytes_of(answer):
    return b"".join(answer.streaming_content)


def test_a_release_is_listed_and_its_files_have_the_hashes_that_it_says(client, rosa):
    row = frozen(record(), record(title="B"))
    (only,) = client.get(RELEASES).json()["results"]
    assert (only["version"], only["records"], only["sha256"]) == ("1.0", 2, row.sha256)
    one = client.get(f"{RELEASES}1.0/").json()
    assert one["counts"] == {"records": 2, "invalid": 0, "questions": 2}
    assert row.sha256 in one["citation"]
    assert {file["format"] for file in one["files"]} == {file.format for file in row.files.all()}
    for file in one["files"]:
        answer = client.get(file["url"])
        data = bytes_of(answer)
        assert hashlib.sha256(data).hexdigest() == file["sha256"]
        assert (len(data), answer["ETag"]) == (file["bytes"], f'"{file["sha256"]}"')
        assert answer["Content-Type"] == file["content_type"]
    assert AuditEvent.objects.filter(kind="export").count() == len(one["files"])


def test_a_file_is_sent_in_parts_and_only_if_it_is_new(client, rosa):
    frozen()
    file = client.get(f"{RELEASES}1.0/").json()["files"][1]
    whole = bytes_of(client.get(file["url"]))
    known = client.get(file["url"], headers={"If-None-Match": f'"{file["sha256"]}"'})
    assert (known.status_code, known.content) == (304, b"")
    part = client.get(file["url"], headers={"Range": "bytes=5-9"})
    assert (part.status_code, bytes_of(part)) == (206, whole[5:10])
    assert AuditEvent.objects.filter(kind="export").count() == 2  # the whole, and the part
    past = client.get(file["url"], headers={"Range": f"bytes={len(whole)}-"})
    assert (past.status_code, past.json()["code"]) == (416, "range_not_satisfiable")
    assert past["Content-Range"] == f"bytes */{len(whole)}"


def test_the_etag_of_another_release_gives_the_file(client, rosa):
    first = frozen()
    second = freeze(collection=mills(record(title="B")), version="1.1")
    hashes = [row.files.get(format="wikicontradict-json").sha256 for row in (first, second)]
    assert hashes[0] != hashes[1]
    for version, other in (("1.0", hashes[1]), ("1.1", hashes[0])):
        answer = client.get(
            f"{RELEASES}{version}/files/wikicontradict-json/",
            headers={"If-None-Match": f'"{other}"'},
        )
        assert (answer.status_code, len(bytes_of(answer)) > 2) == (200, True)


@pytest.mark.parametrize(
    "address", ["2.0/", "2.0/files/wikicontradict-json/", "1.0/files/parquet/"]
)
def test_what_is_not_there_is_404(client, rosa, address):
    frozen()
    answer = client.get(f"{RELEASES}{address}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_one_download_too_many_waits(client, rosa):
    frozen()
    use_up(f"downloads {rosa.pk}", JOBS["downloads"])
    answer = client.get(f"{RELEASES}1.0/files/parquet/")
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_requests")
    assert int(answer["Retry-After"]) > 0


def test_the_files_of_a_withheld_release_are_given_out_no_more(client, rosa, olga):
    row = frozen()
    publication, _ = publish(row, by=olga, name="old-mills")
    withhold(Contradiction.objects.all(), WithheldRecord.Why.HIDDEN, by=None)
    one = client.get(f"{RELEASES}1.0/").json()
    assert "its wiki has hidden the text" in one["withheld"]
    assert [each["url"] for each in one["publications"]] == [
        f"http://testserver/data/old-mills/{publication.version}/"
    ]
    answer = client.get(one["files"][0]["url"])
    assert (answer.status_code, answer.json()["code"]) == (410, "gone")
    export = client.get("/api/collections/mills/exports/wikicontradict-json/")
    assert json.loads(bytes_of(export)) == []


def test_who_gets_no_file_is_not_led_to_where_everybody_gets_it(client, olga):
    publication, _ = publish(frozen(), by=olga)
    for role, is_led in ((Role.ANNOTATOR, False), (Role.RESEARCHER, True)):
        client.force_login(person(role.value, role))
        for address in (f"{RELEASES}1.0/", "/collections/mills/releases/1.0/"):
            answer = client.get(address)
            assert answer.status_code == 200
            assert (publication.token in answer.content.decode()) is is_led, (role, address)


def test_files_that_hold_hidden_records_ask_first(client, rosa, monkeypatch):
    frozen()
    asks = AsksFirst(
        "You may get its tag.",
        view="home",
        operation="annotation:api_show",
        fields={"tag": "1"},
        button="Show",
        details=None,
    )
    monkeypatch.setattr(blinding.records_problem, "providers", {"test": lambda who, rows: asks})
    for address in (
        "/api/collections/mills/exports/wikicontradict-json/",
        f"{RELEASES}1.0/files/bundle/",
        f"/api/records/{Contradiction.objects.get().pk}/",
    ):
        answer = client.get(address)
        assert (answer.status_code, answer.json()["code"]) == (409, "asks_first"), address
        assert answer.json()["agree"]["fields"] == {"tag": "1", "next": address}
    assert client.get("/api/collections/mills/exports/parquet/").status_code == 404


def test_a_release_is_frozen(admin, olga):
    mills()
    doi = "https://doi.org/10.5281/zenodo.1"
    answer = post(admin, RELEASES, version="1.0", notes="First.", doi=doi)
    assert answer.status_code == 201, answer.json()
    row = Release.objects.get()
    assert (answer.json()["state"], answer.json()["version"]) == ("done", "1.0")
    assert (row.created_by, row.notes, row.doi) == (olga, "First.", "10.5281/zenodo.1")
    again = post(admin, RELEASES, version="1.0")
    assert (again.status_code, Release.objects.count()) == (409, 1)


def test_a_large_collection_is_frozen_by_a_worker(admin, monkeypatch):
    monkeypatch.setattr(freeze_jobs, "LARGE", 1)
    mills(record(), record(title="B"))
    first, again = (post(admin, RELEASES, version="1.0") for _ in range(2))
    assert (first.status_code, first.json()["state"]) == (202, "waiting")
    assert again.json() == first.json()
    assert admin.get("/api/collections/mills/freezes/1.0/").json() == first.json()
    assert not Release.objects.exists()
    assert admin.get("/api/collections/mills/freezes/2.0/").status_code == 404


def test_names_in_comments_are_read_before_a_freeze(admin):
    mills(record(given=annotation(qa_comment="As bob@example.org says.")))
    key = current(mills()).first().pk
    answer = post(admin, RELEASES, version="1.0")
    assert (answer.status_code, answer.json()["code"]) == (409, "names_found")
    details = answer.json()["details"]
    assert details["places"] == [
        {"record": key, "column": "comment on the questions", "text": "As bob@example.org says."}
    ]
    assert not Release.objects.exists()
    answer = post(admin, RELEASES, version="1.0", names_read=details["names_read"])
    assert answer.status_code == 201


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({}, "version"),
        ({"version": "a b"}, "version"),
        ({"version": 1.5, "notes": []}, "notes"),
        ({"version": "1.0", "note": "First."}, "note"),
        ({"version": "1.0", "doi": "zenodo"}, "doi"),
    ],
)
def test_what_cannot_be_frozen_is_refused_by_its_field(admin, sent, field):
    mills()
    answer = post(admin, RELEASES, **sent)
    assert answer.status_code == 400
    assert field in answer.json()["fields"]
    assert not Release.objects.exists()


def test_an_export_is_what_a_release_would_hold(client, rosa):
    whole = record()
    mills(whole)
    formats = client.get("/api/collections/mills/exports/").json()["formats"]
    assert [one["format"] for one in formats] == [
        "wikicontradict-json",
        "wikicontradict-csv",
        "complete-json",
        "label-studio-json",
        "label-studio-xml",
    ]
    answer = client.get(formats[0]["url"])
    assert answer["Content-Type"] == formats[0]["content_type"]
    assert json.loads(bytes_of(answer)) == [whole]
    for one in formats[1:]:
        answer = client.get(one["url"])
        assert (bytes_of(answer) != b"", answer["Content-Type"]) == (True, one["content_type"])
    refused = client.get(formats[0]["url"], {"excluded": "without"})
    assert (refused.status_code, refused.json()["error"]) == (400, "excluded takes one of with.")
    assert client.get("/api/collections/mills/exports/parquet/").status_code == 404

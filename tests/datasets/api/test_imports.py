"""Operations on imports: a file is sent, a worker imports it, and its sender reads what came of it."""

import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.roles import Role
from datasets import tasks
from datasets.importers import import_jobs
from datasets.importers.record_imports import RecordImports
from datasets.models import Collection, ImportJob
from tests.datasets import labelstudio
from tests.datasets.factories import record, text_of
from tests.factories import person

pytestmark = pytest.mark.django_db

IMPORTS = "/api/imports/"
EXPORT = Path(labelstudio.__file__).parent / "export.json"


@pytest.fixture(autouse=True)
def data_dir(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def olga(client):
    olga = person("olga", Role.ADMIN)
    client.force_login(olga)
    return olga


@pytest.fixture
def sent_on(monkeypatch):
    """The keys of the imports that workers were asked for."""
    keys = []
    monkeypatch.setattr(tasks.carry_out_import, "apply_async", lambda args, **_: keys.extend(args))
    return keys


def sent(client, data, key="", **fields):
    form = {"collection": "mills", "format": "wikicontradict", **fields}
    headers = {"Idempotency-Key": key} if key else {}
    file = SimpleUploadedFile("mills.json", data)
    return client.post(IMPORTS, {**form, "file": file}, headers=headers)


def test_a_file_is_imported_by_a_worker(client, olga, sent_on, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        answer = sent(client, text_of(record(), record(title="B")))
    assert answer.status_code == 202, answer.json()
    begun = answer.json()
    assert (begun["state"], begun["report"], begun["file_name"]) == ("waiting", None, "mills.json")
    assert sent_on == [begun["id"]]
    import_jobs.carry_out(begun["id"])
    over = client.get(f"{IMPORTS}{begun['id']}/").json()
    assert (over["state"], over["report"]["added"], over["error"]) == ("done", 2, "")
    assert client.get("/api/collections/mills/").json()["records"] == 2
    assert client.get(IMPORTS, {"state": "done"}).json()["results"] == [over]
    assert client.get(IMPORTS, {"state": "failed"}).json()["results"] == []


def test_options_of_label_studio_say_what_is_taken_and_what_controls_are(client, olga):
    text = EXPORT.read_bytes().replace(b'"wikitag_label_valid"', b'"valid?"')
    asked = {"taken": "annotator", "annotator": "2", "names": {"valid?": "wikitag_label_valid"}}
    begun = sent(client, text, format="label-studio", options=json.dumps(asked)).json()
    assert begun["options"] == asked
    import_jobs.carry_out(begun["id"])
    report = client.get(f"{IMPORTS}{begun['id']}/").json()["report"]
    assert (report["added"], report["annotators"]) == (9, {"1": 10, "2": 9})
    [named] = [one for one in report["controls"] if one["name"] == "valid?"]
    assert named == {
        "name": "valid?", "kind": "choices", "n": 9, "key": "wikitag_label_valid", "proposed": "",
        "example": "Valid",
    }  # fmt: skip
    answer = sent(client, text, format="label-studio", options='{"names": {"valid?": "no"}}')
    assert answer.status_code == 400
    assert "is no key of the published record" in answer.json()["error"]


def test_a_refused_file_says_what_is_wrong_with_it(client, olga):
    begun = sent(client, text_of({"title": "no record"})).json()
    import_jobs.carry_out(begun["id"])
    over = client.get(f"{IMPORTS}{begun['id']}/").json()
    assert over["state"] == "failed"
    assert over["error"] == "The record cannot be read; nothing was imported."
    assert "no record" in over["problems"][0]


@pytest.mark.both
def test_an_import_that_is_sent_twice_is_one(client, olga):
    first, second = (sent(client, text_of(record()), key="K-1") for _ in range(2))
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json()["id"] == second.json()["id"]
    assert second["Idempotency-Replayed"] == "true"
    other = sent(client, text_of(record(title="B")), key="K-1")
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert ImportJob.objects.count() == 1


def test_a_file_is_checked_and_imported_once_that_is_confirmed(client, olga, sent_on):
    options = '{"taken": "annotator", "annotator": "2"}'
    file = Path(__file__).parents[1] / "labelstudio" / "export.json"
    asked = {"format": "label-studio", "options": options, "dry_run": "true"}
    begun = sent(client, file.read_bytes(), **asked).json()
    assert (begun["kind"], begun["options"]["annotator"]) == ("records", "2")
    address = f"{IMPORTS}{begun['id']}/"
    import_jobs.carry_out(begun["id"])
    checked = client.get(address).json()
    assert (checked["state"], checked["report"]["added"]) == ("checked", 9)
    assert not Collection.everything.exists()
    assert sent(client, file.read_bytes(), **asked).json()["id"] == begun["id"]
    assert client.post(f"{address}confirm/").status_code == 202
    import_jobs.carry_out(begun["id"])
    assert client.get("/api/collections/mills/").json()["records"] == 9
    answer = client.post(f"{address}discard/")
    assert (answer.status_code, answer.json()["error"][:20]) == (409, "This import is done;")
    assert client.post(f"{address}undo/").json()["state"] == "undone"
    assert client.get("/api/collections/mills/").status_code == 404


def test_a_checked_file_can_be_discarded(client, olga):
    begun = sent(client, text_of(record()), dry_run="true").json()
    address = f"{IMPORTS}{begun['id']}/"
    assert client.post(f"{address}discard/").json()["state"] == "discarded"
    assert client.post(f"{address}confirm/").status_code == 409


@pytest.mark.parametrize(
    ("fields", "status", "says"),
    [
        ({"collection": "../mills"}, 400, "cannot name a collection"),
        ({"collection": "a" * 81}, 400, "collection: "),
        ({"format": "table"}, 404, "There is no format 'table'; there are wikicontradict"),
        ({"file": ""}, 400, "file: "),
        ({"options": '{"hue": "red"}'}, 400, "has no option 'hue'"),
        ({"options": '{"columns": null}'}, 400, "The option columns is for CSV"),
        ({"options": '{"columns": null}', "dry_run": "true"}, 400, "The option columns is for CSV"),
        ({"options": '{"delimiter": "tab"}'}, 400, "The option delimiter is for CSV"),
        ({"options": "[]"}, 400, "options is a JSON object"),
        ({"options": "{"}, 400, "options: "),
    ],
)
def test_what_cannot_be_imported_is_refused_at_once(client, olga, fields, status, says):
    answer = client.post(
        IMPORTS,
        {
            "collection": "mills",
            "format": "wikicontradict",
            "file": SimpleUploadedFile("a.json", b"[]"),
            **fields,
        },
    )
    assert answer.status_code == status
    assert says in answer.json()["error"]
    assert not ImportJob.objects.exists()


def test_a_file_that_is_too_large_is_refused(client, olga, monkeypatch, settings):
    monkeypatch.setattr(RecordImports, "most_bytes", 20)
    answer = sent(client, b"[" + b" " * 20)
    assert answer.status_code == 400
    assert "larger than" in answer.json()["error"]
    assert not list(settings.DATA_DIR.glob("uploads/*"))


def test_json_is_no_upload(client, olga):
    answer = client.post(IMPORTS, {"collection": "mills"}, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_others_imports_are_not_seen(client, olga):
    key = sent(client, text_of(record())).json()["id"]
    client.force_login(person("oscar", Role.ADMIN))
    assert client.get(IMPORTS).json()["results"] == []
    assert client.get(f"{IMPORTS}{key}/").status_code == 404
    client.force_login(person("rosa", Role.RESEARCHER))
    answer = client.get(IMPORTS)
    assert (answer.status_code, answer.json()["code"]) == (403, "role_missing")
    assert not Collection.objects.exists()

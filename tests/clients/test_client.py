"""The client's operations."""

import hashlib
import json
import tomllib
from pathlib import Path

import pytest
from sicetnon import ApiError, HashDiffers

from tests.clients.scripted import ADDRESS, scripted

NONE_LEFT = (404, {"error": "Nothing is left.", "code": "none_left"}, {})
GONE = (404, {"error": "No such study.", "code": "not_found"}, {})
BUSY = (429, {"error": "Wait.", "code": "too_many_requests"}, {"Retry-After": "1"})


def test_nothing_left_is_none_and_nothing_there_is_an_error():
    client, _, _ = scripted(NONE_LEFT, NONE_LEFT, GONE)
    assert client.next_tag() is None
    assert client.next_slot(3) is None
    with pytest.raises(ApiError, match="No such study"):
        client.next_slot(4)


def test_a_draft_goes_on_from_each_version():
    saved = (200, {"version": 1, "state": "draft"}, {})
    done = (200, {"version": 2, "state": "submitted"}, {})
    client, server, _ = scripted(saved, done)
    draft = {"id": 7, "version": 0}
    client.save(draft, {"span_1": "1801"})
    client.submit(draft, checked=["spans"])
    assert [asked.headers["If-Match"] for asked in server.asked] == ['"0"', '"1"']
    assert json.loads(server.asked[1].body) == {"entries": {}, "checked": ["spans"]}
    assert draft["version"] == 2


def test_what_was_saved_though_not_submitted_goes_on_from_there():
    refusal = {"error": "Saved.", "code": "incomplete", "details": {"version": 4}}
    client, _, _ = scripted((400, refusal, {}))
    draft = {"id": 7, "version": 3}
    with pytest.raises(ApiError, match="Saved"):
        client.submit(draft, {"span_1": "1801"})
    assert draft["version"] == 4


def test_a_judge_goes_on_from_each_version():
    answers = [(200, {"version": n}, {}) for n in (1, 2, 3, 3)]
    client, server, _ = scripted(*answers)
    slot = {"slot": "abc", "version": 0}
    client.verdict(slot, "correct", "Surely")
    client.undo(slot)
    client.skip(slot, "Cut off.")
    client.flag(slot, "Look.")
    assert [asked.url.rsplit("/", 2)[1] for asked in server.asked] == [
        "verdict", "undo", "skip", "flag",
    ]  # fmt: skip
    assert [asked.headers["If-Match"] for asked in server.asked][:3] == ['"0"', '"1"', '"2"']


def test_a_file_is_sent_whole_again_with_the_same_key(tmp_path):
    file = tmp_path / "records.json"
    file.write_text('[{"title": "Mill"}]')
    started = (202, {"id": 5, "state": "queued"}, {})
    over = (200, {"id": 5, "state": "done"}, {})
    client, server, waits = scripted(BUSY, started, started, over)
    job = client.import_file("mills", "wikicontradict", file)
    assert client.wait_for(job)["state"] == "done"
    first, second = server.asked[:2]
    assert b'[{"title": "Mill"}]' in first.body
    assert b'[{"title": "Mill"}]' in second.body
    assert first.headers["Idempotency-Key"] == second.headers["Idempotency-Key"]
    assert waits == [1, 2]


def test_responses_are_sent_to_their_release(tmp_path):
    file = tmp_path / "responses.jsonl"
    file.write_text('{"row": "a:1:p", "model": "m", "text": ""}\n')
    client, server, _ = scripted((202, {"id": 5, "state": "waiting"}, {}))
    assert client.import_responses("mills", "1.0", file, name="Lab")["id"] == 5
    assert server.asked[0].url == f"{ADDRESS}/api/imports/"
    options = {"release": "1.0", "name": "Lab"}
    assert_sent(server.asked[0], kind="responses", collection="mills", options=json.dumps(options))
    assert b'"text": ""' in server.asked[0].body


def assert_sent(request, **fields):
    for name, value in fields.items():
        assert f'name="{name}"\r\n\r\n{value}\r\n'.encode() in request.body


def test_a_file_is_sent_with_options_to_be_checked(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("frage\nWhen?\n")
    client, server, _ = scripted(*[(202, {"id": 5, "state": "waiting"}, {})] * 2)
    columns = {"frage": "question"}
    client.import_file("mills", "csv", file, dry_run=True, columns=columns, delimiter="comma")
    client.import_file("mills", "csv", file)
    options = json.dumps({"columns": columns, "delimiter": "comma"})
    assert_sent(server.asked[0], dry_run="True", options=options, format="csv")
    assert_sent(server.asked[1], dry_run="False", options="{}")


def test_an_import_that_was_checked_waits_for_its_sender():
    """So nobody waits for it; it is confirmed or discarded, and undone once it is done."""
    checked = (200, {"id": 5, "state": "checked"}, {})
    client, server, waits = scripted(checked, *[(202, {"id": 5}, {})] * 3)
    job = client.wait_for({"id": 5})
    client.confirm_import(job)
    client.discard_import(job)
    client.undo_import(job)
    assert (job["state"], waits) == ("checked", [])
    assert [(asked.method, asked.url) for asked in server.asked[1:]] == [
        ("POST", f"{ADDRESS}/api/imports/5/{act}/") for act in ("confirm", "discard", "undo")
    ]


def test_verdicts_of_people_are_downloaded(tmp_path):
    client, server, _ = scripted((200, b'{"row": null}\n', {}))
    assert client.human(4, tmp_path / "human.jsonl").read_bytes() == b'{"row": null}\n'
    assert server.asked[0].url == f"{ADDRESS}/api/studies/4/exports/human/"


def test_an_import_that_never_ends_is_waited_for_in_vain():
    client, _, waits = scripted(*[(200, {"id": 5, "state": "queued"}, {})] * 4)
    with pytest.raises(TimeoutError, match="queued"):
        client.wait_for({"id": 5}, seconds=5)
    assert sum(waits) == 6


def released(content, sha256):
    file = {"format": "csv", "name": "../x.csv", "sha256": sha256, "url": f"{ADDRESS}/api/x/"}
    return (200, {"files": [file]}, {}), (200, content, {})


def test_the_files_of_a_release_are_checked(tmp_path):
    """Whatever a file is called, it goes into the folder."""
    described, file = released(b"a,b\n", hashlib.sha256(b"a,b\n").hexdigest())
    client, server, _ = scripted(described, file)
    [path] = client.release("old mills", "1.0", tmp_path)
    assert path == tmp_path / "x.csv"
    assert path.read_bytes() == b"a,b\n"
    assert server.asked[0].url == f"{ADDRESS}/api/collections/old%20mills/releases/1.0/"


def test_a_changed_file_of_a_release_is_refused(tmp_path):
    client, _, _ = scripted(*released(b"changed", "0" * 64))
    with pytest.raises(HashDiffers):
        client.release("mills", "1.0", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_form_that_a_release_has_not_is_named(tmp_path):
    client, _, _ = scripted(*released(b"", ""))
    with pytest.raises(ValueError, match="no xlsx; it has csv"):
        client.release("mills", "1.0", tmp_path, ["xlsx"])


def test_two_runs_have_two_keys():
    client, server, _ = scripted((201, {"id": 1}, {}), (201, {"id": 2}, {}))
    client.make_run(collection="mills")
    client.make_run(collection="mills")
    assert len({asked.headers["Idempotency-Key"] for asked in server.asked}) == 2


def test_the_client_has_the_version_of_the_program():
    """A checkout has the client that fits it."""
    root = Path(__file__).resolve().parents[2]
    folders = (root, root / "clients" / "python")
    texts = [(folder / "pyproject.toml").read_text(encoding="utf-8") for folder in folders]
    ours, client = (tomllib.loads(text)["project"]["version"] for text in texts)
    assert client == ours

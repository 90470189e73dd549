"""What can go wrong around a freeze: nothing is released by half, and a sentence says what to do."""

import errno
import os
import tempfile

import pytest
from django.db import OperationalError
from pytest_django.asserts import assertContains

from accounts.roles import Role
from datasets.exclusions import exclude
from datasets.exporters.export_files import ExportFailed
from datasets.models import Collection, Instance, Release
from datasets.records import current
from datasets.releasing import freezing, stored_files
from datasets.releasing.citing import bibtex, plain
from datasets.releasing.verifying import problems
from leases.refusal import Conflict, Refusal
from tests import conflictbank
from tests.datasets.factories import annotation, edited, imported, mills, record
from tests.factories import person, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def stored():
    return {path.name for path in stored_files.folder().rglob("*") if path.is_file()}


def exclude_all(collection, most=None):
    olga = person("olga", Role.RESEARCHER)
    for question in Instance.objects.filter(contradiction__collection=collection)[:most]:
        exclude(instance=question, reason="Both are true.", by=olga)


@pytest.mark.parametrize("made", [mills, lambda: conflictbank.collection(2)])
def test_a_collection_whose_questions_are_all_excluded_is_refused(made):
    collection = made()
    exclude_all(collection)
    with pytest.raises(Refusal, match="Every question of the collection is excluded"):
        freezing.freeze(collection=collection, version="1.0")


def test_tags_without_a_question_are_a_release():
    invalid = record(given=annotation(wikitag_label_valid="Invalid", question1=None,
                     question1_answer1=None, question1_answer2=None))  # fmt: skip
    assert freezing.freeze(collection=mills(invalid), version="1.0").rows.count() == 1


CHANGES = {
    "added": lambda collection: imported(record(title="C")),
    "superseded": lambda collection: edited(current(collection).first(), title="B"),
    "excluded": lambda collection: exclude_all(collection, most=1),
}


@pytest.mark.both
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_changes_while_it_is_frozen_stops_the_freeze(monkeypatch, change):
    collection = mills(record(title="A"), record(title="A2"))
    bundled = freezing._bundled

    def changed(*args):
        change(collection)
        return bundled(*args)

    monkeypatch.setattr(freezing, "_bundled", changed)
    with pytest.raises(Conflict, match=r"nothing was released\. Freeze it again"):
        freezing.freeze(collection=collection, version="1.0")
    assert not Release.objects.exists()
    monkeypatch.undo()
    assert not list(problems(freezing.freeze(collection=collection, version="1.0")))


def test_a_comment_that_is_superseded_between_two_clicks_is_read_again(client):
    collection = mills(record(given=annotation(valid_comment="Ask a@example.org.")))
    signed_in(client, person("alice", Role.ADMIN))
    address, given = "/collections/mills/releases/", {"version": "1.0"}
    digest = client.post(address, given).context["names"].digest
    edited(current(collection).first(), valid_comment="Ask b@example.org.")
    answer = client.post(address, given | {"names_read": digest})
    assertContains(answer, "<mark>b@example.org.</mark>", status_code=400)
    assert not Release.objects.exists()


def fails_from(monkeypatch, module, name, call):
    """The function says from its `call`-th call on that the disk is full; the list of its calls."""
    real, calls = getattr(module, name), []

    def full(*args, **kwargs):
        calls.append(args)
        if len(calls) >= call:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*args, **kwargs)

    monkeypatch.setattr(module, name, full)
    return calls


@pytest.mark.parametrize(
    ("module", "name", "calls"),
    [
        (os, "replace", 4),
        (os, "fsync", 12),  # of each file: it and its two folders
        (tempfile, "NamedTemporaryFile", 4),
        (tempfile, "TemporaryFile", 1),
    ],
    ids=str,
)
def test_a_disk_that_is_full_at_any_step_leaves_no_release(monkeypatch, module, name, calls):
    collection = mills()
    for call in range(1, calls + 1):
        made = fails_from(monkeypatch, module, name, call)
        with pytest.raises(ExportFailed, match="No space left on device"):
            freezing.freeze(collection=collection, version="1.0")
        assert len(made) == call
        assert not any(left.endswith(".part") for left in stored())
        monkeypatch.undo()
    assert not Release.objects.exists()
    fails_from(monkeypatch, module, name, calls + 1)  # there is no further step
    assert not list(problems(freezing.freeze(collection=collection, version="1.0")))


@pytest.mark.both
def test_a_database_without_room_leaves_no_release(monkeypatch):
    collection = mills()
    for step in ("insert_values", "ReleaseFile.save", "record"):
        holder, _, name = step.rpartition(".")

        def full(*args, **kwargs):
            raise OperationalError("database or disk is full")

        monkeypatch.setattr(getattr(freezing, holder) if holder else freezing, name, full)
        with pytest.raises(OperationalError):
            freezing.freeze(collection=collection, version="1.0")
        monkeypatch.undo()
        assert not Release.objects.exists()
    assert not list(problems(freezing.freeze(collection=collection, version="1.0")))


def test_one_version_of_different_rows_is_told_apart():
    """As two installations froze it; each file keeps its own hash, also under the other's name."""
    one = freezing.freeze(collection=mills(), version="1.0")
    Collection.objects.filter(name="mills").update(name="elsewhere")
    other = freezing.freeze(collection=mills(record(title="New Mill")), version="1.0")
    Release.objects.filter(pk=one.pk).update(created_at=other.created_at)
    one.refresh_from_db()
    mine, theirs = one.files.get(format="bundle"), other.files.get(format="bundle")
    assert mine.name == theirs.name
    assert mine.sha256 != theirs.sha256
    for cited in (plain, bibtex):
        assert one.sha256 in cited(one, "")
        assert cited(one, "") != cited(other, "")
    path = stored_files.path_of(mine.sha256)
    path.write_bytes(stored_files.path_of(theirs.sha256).read_bytes())
    assert "mills-1.0.zip is missing or damaged" in next(problems(one))
    assert not list(problems(other))


@pytest.mark.parametrize("change", [bytes.upper, lambda data: data[:-1]], ids=["changed", "cut"])
def test_a_stored_file_that_was_changed_by_hand_is_said_to_be(change):
    release = freezing.freeze(collection=mills(), version="1.0")
    file = release.files.get(format="wikicontradict-json")
    path = stored_files.path_of(file.sha256)
    path.write_bytes(change(path.read_bytes()))
    assert f"{file.name} is missing or damaged" in next(problems(release))
    assert not any("Its rows give" in said for said in problems(release))

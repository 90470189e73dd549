"""Restoring a backup, and refusals, after which nothing is written."""

import errno
import fcntl
import json
import os
import shutil
import warnings
import zipfile

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from accounts.models import Person
from accounts.roles import Role
from annotation.models import DraftRevision
from datasets.models import Collection
from datasets.releasing.freezing import freeze
from datasets.releasing.publishing import publish, withdraw
from datasets.releasing.verifying import sha256_of_rows
from leases.refusal import Conflict, Refusal
from operations import backups, restoring
from operations.bundle import BadBundle, Writer
from operations.schema_version import unknown
from operations.serialization import SerializedTable
from operations.signing import signature
from tests import conflictbank
from tests.annotation import factories as annotation
from tests.datasets.factories import mills
from tests.factories import person
from tests.leases.test_planner import known_size
from tests.operations.places import a_place, manage, python, rewritten, room_for, with_rows

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]


def refused(path, error, kind=Refusal):
    """Check that restoring raises `kind` with `error`, and leaves no person and no file."""
    with pytest.raises(kind, match=error):
        restoring.restore(path)


def nothing_there(folder):
    return not Person.objects.exists() and [p.name for p in folder.iterdir()] in (
        [],
        ["running.lock"],
    )


def test_what_anyone_can_read_is_named_after_a_restore():
    rita = person("rita", Role.ADMIN)
    release = freeze(collection=mills(), version="1.0")
    publish(release, by=rita)
    assert restoring.public_again() == ["release 1.0 of mills"]
    withdraw(release, reason="An error.", by=rita)
    assert restoring.public_again() == []


def test_rows_and_files_come_back(backup, settings):
    done = restoring.restore(backup)
    assert (done.rows, done.files) == (2, 3)
    assert sorted(Person.objects.values_list("username", flat=True)) == ["alice", "bob"]
    assert known_size(Person) == 2
    assert (settings.DATA_DIR / "uploads" / "dump.export").read_text() == "<mediawiki/>"
    assert not (settings.DATA_DIR / ".restoring").exists()


def test_files_come_back_into_a_folder_on_another_disk(backup, settings, monkeypatch):
    def between_disks(*paths):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    for name in ("rename", "replace"):
        monkeypatch.setattr(os, name, between_disks)
    restoring.restore(backup)
    assert (settings.DATA_DIR / "uploads" / "dump.export").read_text() == "<mediawiki/>"


def test_another_disk_that_is_full_takes_the_rows_back_too(backup, settings, monkeypatch):
    move, moved = shutil.move, []

    def full(source, target):
        if len(moved) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
        moved.append(target)
        return move(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "move", full)
        refused(backup, "Nothing was restored: No space left on device")
    assert len(moved) == 2
    assert not Person.objects.exists()
    assert not any(
        path.is_file() for path in settings.DATA_DIR.rglob("*") if path.suffix != ".lock"
    )
    assert restoring.restore(backup).files == 3


def test_a_truncated_file_is_refused(backup, settings, tmp_path):
    cut = tmp_path / "cut.zip"
    cut.write_bytes(backup.read_bytes()[:-200])
    refused(cut, "its end is missing", BadBundle)
    assert nothing_there(settings.DATA_DIR)


def test_a_foreign_file_is_refused(settings, backup, tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear all,")
    refused(letter, "no backup of Sic et Non", BadBundle)
    assert nothing_there(settings.DATA_DIR)


def test_a_damaged_file_is_refused_before_anything_is_written(backup, settings, tmp_path):
    bytes_ = bytearray(backup.read_bytes())
    bytes_[bytes_.index(b"accounts.person.jsonl") + 60] ^= 0xFF
    (tmp_path / "damaged.zip").write_bytes(bytes_)
    refused(tmp_path / "damaged.zip", "is damaged", BadBundle)
    assert nothing_there(settings.DATA_DIR)


@pytest.mark.parametrize(
    "name",
    ["files/scheduler", "files/scheduler.db", "files/secret_key", "files/broker/queue/1.msg",
     "files/db.sqlite3", "files/static/js/app.js", "files/cron.d/job", "files/../../x", "/tmp/x"],
)  # fmt: skip
def test_a_file_that_no_backup_holds_is_refused_before_anything_is_written(
    backup, settings, tmp_path, name
):
    planted = with_files(backup, tmp_path / "planted.zip", {name: b"cos\nsystem\n(S'id'\ntR."})
    refused(planted, "would write files that no backup holds", BadBundle)
    assert list(settings.DATA_DIR.iterdir()) == []


def test_a_file_that_is_there_twice_is_refused(backup, settings, tmp_path):
    twice = with_files(backup, tmp_path / "twice.zip", {"files/uploads/dump.export": b"other"})
    refused(twice, "holds a part twice", BadBundle)
    assert list(settings.DATA_DIR.iterdir()) == []


def test_rows_of_a_table_that_no_backup_holds_are_refused(backup, settings, tmp_path):
    """Such as a session of an administrator."""
    planted = rewritten(
        backup,
        tmp_path / "planted.zip",
        lambda manifest: manifest["tables"][0].update(table="accounts.session"),
    )
    refused(planted, "no backup holds rows of accounts.session", BadBundle)
    assert nothing_there(settings.DATA_DIR)


def test_a_newer_schema_is_refused(backup, settings, tmp_path):
    newer = rewritten(
        backup,
        tmp_path / "newer.zip",
        lambda manifest: manifest["migrations"]["judging"].append("0099_later"),
    )
    refused(newer, r"newer version.*judging\.0099_later", BadBundle)
    assert nothing_there(settings.DATA_DIR)


def test_a_database_with_rows_is_refused(backup, settings):
    person("charlie")
    refused(backup, r"holds rows already \(in accounts\.person", Conflict)
    assert list(Person.objects.values_list("username", flat=True)) == ["charlie"]
    assert [p.name for p in settings.DATA_DIR.iterdir()] == ["running.lock"]


def test_a_folder_with_files_is_refused(backup, settings):
    (settings.DATA_DIR / "files").mkdir()
    (settings.DATA_DIR / "files" / "mine.txt").write_text("Mine.")
    refused(backup, "holds files already, such as files/mine.txt", Conflict)
    assert not Person.objects.exists()


def test_a_running_program_is_refused(backup, settings):
    with (settings.DATA_DIR / "running.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refused(backup, "Stop it first", Conflict)
    assert nothing_there(settings.DATA_DIR)


@pytest.mark.postgres
def test_open_connections_of_others_are_refused(backup, settings):
    other = connection.copy("other")
    with other.cursor() as cursor:
        cursor.execute("SELECT 1")
        refused(backup, "1 other connections to the database are open", Conflict)
    other.close()
    restoring.restore(backup)


def test_a_full_disk_leaves_both_empty(data_dir, settings, tmp_path):
    (data_dir / "files" / "large").write_bytes(b"x" * 500_000)
    large = backups.make(tmp_path / "kept").path
    call_command(
        "flush", interactive=False, verbosity=0
    )  # the entry of the backup in the audit log
    settings.DATA_DIR = tmp_path / "empty"
    settings.DATA_DIR.mkdir()
    with room_for(100_000), pytest.raises(Refusal, match="Nothing was restored: File too large"):
        restoring.restore(large)
    assert nothing_there(settings.DATA_DIR)


def test_a_database_without_room_for_the_rows_leaves_both_empty(backup, settings, monkeypatch):
    def full(self, rows, using):
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(SerializedTable, "write", full)
    refused(backup, "The database failed: database or disk is full. Nothing was restored")
    assert nothing_there(settings.DATA_DIR)


def test_rows_that_do_not_fit_together_are_refused_as_a_whole(backup, settings, tmp_path):
    """A grant to a person who does not exist, as only a manual edit can produce."""
    grant = [1, 77, "judge", None, "2026-01-01T00:00:00+00:00"]
    odd = with_rows(backup, tmp_path / "odd.zip", "accounts.rolegrant", [grant])
    refused(odd, "do not fit together", BadBundle)
    assert nothing_there(settings.DATA_DIR)


def test_an_interrupted_restore_leaves_nothing_and_can_be_begun_again(
    backup, settings, monkeypatch
):
    with monkeypatch.context() as patch:

        def interrupted(self, rows, using):
            list(rows)
            raise KeyboardInterrupt

        patch.setattr(SerializedTable, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            restoring.restore(backup)
    assert nothing_there(settings.DATA_DIR)
    assert restoring.restore(backup).rows == 2


def test_the_remains_of_a_killed_restore_do_not_prevent_another(backup, settings):
    left = settings.DATA_DIR / ".restoring" / "files"
    left.mkdir(parents=True)
    (left / "half.txt").write_text("ha")
    assert restoring.restore(backup).files == 3
    assert not left.exists()


LATER = {"DJANGO_SETTINGS_MODULE": "tests.operations.later"}

MOTTOS = """
import django; django.setup()
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("SELECT motto FROM accounts_person")
    print(cursor.fetchall())
"""


def test_an_older_backup_is_brought_up_to_date(backup, tmp_path):
    """Restored into the tables as they were then, and migrated."""
    with a_place(tmp_path / "new", with_tables=False) as place:
        done = manage(place | LATER, "restore", backup)
        assert done.returncode == 0, done.stderr
        found = python(place, "-c", MOTTOS)
    assert found.stdout.count("sic et non") == 2, found.stderr


def test_tables_that_are_newer_than_the_backup_are_taken_back_first(backup, tmp_path):
    """The tables were made by a later version, before the restore."""
    with a_place(tmp_path / "new", with_tables=True) as place:
        assert manage(place | LATER, "migrate").returncode == 0
        assert python(place, "-c", MOTTOS).stdout.strip() == "[]"
        done = manage(place | LATER, "restore", backup)
        found = python(place, "-c", MOTTOS)
    assert done.returncode == 0, done.stderr
    assert "2 rows" in done.stdout
    assert found.stdout.count("sic et non") == 2, found.stderr


def test_tables_of_a_room_that_the_backup_is_older_than_are_taken_back_first(backup, tmp_path):
    def change(manifest):
        del manifest["migrations"]["evaluation"]
        manifest["tables"] = [
            part for part in manifest["tables"] if not part["table"].startswith("evaluation.")
        ]

    path = rewritten(backup, tmp_path / "older.zip", change)
    with a_place(tmp_path / "new", with_tables=True) as place:
        done = manage(place, "restore", path)
    assert done.returncode == 0, done.stderr
    assert "2 rows" in done.stdout


def test_json_null_is_distinguished_from_no_value(data_dir, settings, tmp_path):
    """In a column that may not be NULL, JSON's null is a value like any other."""
    draft = annotation.draft(annotation.annotator(), valid_comment="a")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE annotation_draftrevision SET entries = 'null'")
    path = backups.make(tmp_path / "kept").path
    call_command("flush", interactive=False, verbosity=0)
    settings.DATA_DIR = tmp_path / "empty"
    settings.DATA_DIR.mkdir()
    restoring.restore(path)
    assert DraftRevision.objects.get(annotation=draft.pk).entries is None


def test_records_of_a_protocol_come_back_and_their_release_has_its_hash(
    data_dir, settings, tmp_path
):
    given = conflictbank.collection(3)
    release = freeze(collection=given, version="1.0")
    path = backups.make(tmp_path / "kept").path
    call_command("flush", interactive=False, verbosity=0)
    settings.DATA_DIR = tmp_path / "empty"
    settings.DATA_DIR.mkdir()
    restoring.restore(path)
    collection = Collection.objects.get()
    assert collection.declaration == given.declaration
    assert collection.file_kept == given.file_kept
    assert [row.fields for row in collection.contradictions.all()] == conflictbank.records(3)
    assert sha256_of_rows(release) == release.sha256


def test_the_command_says_the_refusal(tmp_path):
    with pytest.raises(CommandError, match="There is no file"):
        call_command("restore", str(tmp_path / "none"))


def test_migrations_that_are_not_here_are_named():
    assert unknown({"accounts": ["0001_all_tables", "0099_x"], "gone": ["0001_x"]}) == [
        "accounts.0099_x",
        "gone.0001_x",
    ]


def with_files(path, to, files):
    """A copy of a backup with more files, and a matching manifest."""
    with zipfile.ZipFile(path) as old, to.open("wb") as file:
        writer = Writer(file)
        manifest = json.loads(old.read("manifest.json"))
        for part in [*manifest["tables"], *manifest["files"]]:
            writer.part(part["name"], [old.read(part["name"])])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a name that is there twice
            added = [writer.part(name, [body]) for name, body in files.items()]
        manifest["files"] += added
        writer.close(manifest, signature)
    return to

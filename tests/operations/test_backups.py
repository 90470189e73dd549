"""A backup contains all rows and kept files, and appears complete or not at all."""

import json
import signal
from io import StringIO

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from accounts.models import Person
from accounts.roles import Role
from leases.clock import now
from leases.refusal import Conflict, Refusal
from operations import backups, serialization
from operations.bundle import Bundle
from operations.serialization import SerializedTable, tables
from tests.annotation import factories as annotation
from tests.factories import person
from tests.operations.places import checksums_of, here, python, room_for
from wikifetch.models import RevisionHtml
from wikifetch.recording import record_htmls
from wikifetch.source.htmls import HtmlAsked

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]

# A real kill in the middle of the rows, so that no clean-up runs.
KILLED = """
import os, signal, django
django.setup()
from operations import backups, serialization
def read(self, using):
    if self.name == "judging.study":
        os.kill(os.getpid(), signal.SIGKILL)
    yield from ()
serialization.SerializedTable.rows = read
backups.make()
"""


@pytest.fixture
def people():
    return [person("alice", Role.ADMIN), person("bob", Role.JUDGE), person("charlie")]


def left(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != ".writing.lock")


def test_every_table_is_in_it_with_its_rows(people, data_dir):
    counted = {table.name: table.model._base_manager.count() for table in tables(apps)}
    made = backups.make()
    assert {name: rows for name, (rows, _) in checksums_of(made.path).items()} == counted
    assert counted["accounts.person"] == 3
    assert made.rows == sum(counted.values())


def test_every_model_is_backed_up_or_left_out_for_a_reason():
    named = {table.model for table in tables(apps)}
    left_out = {model for model in apps.get_models(include_auto_created=True) if model not in named}
    reasons = set(serialization.LEFT_OUT) | set(serialization.PASSING)
    assert all({m._meta.app_label, m._meta.label_lower} & reasons for m in left_out)
    assert reasons - {m._meta.app_label for m in left_out} == set(serialization.PASSING)
    for table in tables(apps):
        points_at = {field.related_model for field in table.fields if field.related_model}
        assert points_at <= named, table.name


def test_the_columns_of_every_model_can_be_written_out():
    for table in tables(apps, passing=True):
        assert [serialization.kind_of(field) for field in table.fields]


def test_the_files_of_peoples_work_are_in_it(people, data_dir):
    made = backups.make()
    bundle = Bundle(made.path)
    assert [part.name for part in bundle.files] == [
        "files/files/letter.txt",
        "files/files/releases/mills-1.0.json",
        "files/uploads/dump.export",
    ]
    assert b"".join(bundle.pieces(bundle.files[0])) == b"Sic."
    bundle.close()


def test_files_that_are_not_of_the_program_are_named(people, data_dir, capsys):
    call_command("backup")
    errors = capsys.readouterr().err
    assert "Not in the backup, because it is no folder of Sic et Non: notes" in errors
    assert errors.count("Not in the backup") == 1


def test_the_secret_key_is_in_no_part_of_it(people, data_dir):
    text = backups.make().path.read_bytes()
    assert b"a secret" not in text
    assert b"secret_key" not in text


def test_equal_rows_make_equal_parts(people, data_dir):
    one, other = (Bundle(backups.make().path) for _ in range(2))
    for bundle in (one, other):  # each backup is itself in the audit log
        bundle.tables = [part for part in bundle.tables if part.table != "accounts.auditevent"]
    assert one.tables == other.tables
    assert one.files == other.files
    one.close()
    other.close()


def test_the_time_of_the_last_backup_is_recorded(people, data_dir):
    assert backups.last_backup() is None
    began = now()
    made = backups.make()
    assert began <= backups.last_backup() <= now()
    assert backups.last_record()["bytes"] == made.path.stat().st_size


@pytest.mark.parametrize("text", ["", "{}", '{"finished_at": "soon"}', "[]", "\xff"])
def test_a_record_that_cannot_be_read_is_none(data_dir, text):
    (data_dir / backups.RECORD).write_text(text, encoding="latin-1")
    assert backups.last_backup() is None


def test_a_full_disk_leaves_earlier_backups_and_gives_an_error(people, data_dir, tmp_path):
    folder = tmp_path / "full"
    first = backups.make(folder)
    at = backups.last_backup()
    with room_for(4_000), pytest.raises(backups.BackupFailed, match="Make room"):
        backups.make(folder)
    assert left(folder) == [first.path.name]
    assert backups.last_backup() == at


def test_a_folder_that_cannot_be_written_to_is_named(people, data_dir, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(backups.BackupFailed, match="Not a directory"):
        backups.make(tmp_path / "file" / "folder")


@pytest.mark.parametrize("place", ["", "nightly", "files/nightly"])
def test_no_backup_is_written_into_a_folder_that_is_backed_up(people, data_dir, place):
    with pytest.raises(Refusal, match="would hold all backups"):
        backups.make(data_dir / place)
    assert not (data_dir / "nightly").exists()


def test_a_folder_below_the_default_one_is_allowed(people, data_dir):
    first = backups.make(data_dir / "backups" / "nightly")
    assert backups.make(data_dir / "backups" / "nightly").files == first.files


def test_a_backup_that_is_interrupted_leaves_nothing(people, data_dir, tmp_path, monkeypatch):
    def interrupted(self, using):
        raise KeyboardInterrupt

    monkeypatch.setattr(SerializedTable, "rows", interrupted)
    with pytest.raises(KeyboardInterrupt):
        backups.make(tmp_path / "to")
    assert left(tmp_path / "to") == []


def test_a_killed_one_leaves_no_backup_and_the_next_reports_its_file(people, data_dir):
    folder = backups.default_folder()
    before = left(folder)
    killed = python(here(data_dir), "-c", KILLED)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    (part,) = set(left(folder)) - set(before)
    assert part.endswith(".part")
    errors = StringIO()
    call_command("backup", stdout=StringIO(), stderr=errors)
    assert f"Removed an unfinished file of an interrupted backup: {part}" in errors.getvalue()
    assert part not in left(folder)


def test_only_one_backup_at_a_time_is_written_into_a_folder(people, data_dir, tmp_path):
    with backups.only_one(tmp_path), pytest.raises(Conflict, match="already"):
        backups.make(tmp_path)


def test_the_newest_are_kept(people, data_dir, tmp_path):
    folder = tmp_path / "to"
    names = [backups.make(folder, keep=2).path.name for _ in range(4)]
    assert left(folder) == sorted(names[2:])


def test_keeping_no_backup_is_refused(data_dir):
    with pytest.raises(CommandError, match="at least one"):
        call_command("backup", "--keep", "0")


def test_the_command_says_what_it_wrote(people, data_dir, tmp_path):
    output = StringIO()
    call_command("backup", "--to", str(tmp_path / "to"), stdout=output)
    (path,) = (tmp_path / "to").glob("*.backup.zip")
    assert output.getvalue().startswith(f"{path}: ")
    assert f"3 files, {path.stat().st_size} bytes, verified" in output.getvalue()
    assert path.stat().st_mode & 0o077 == 0


def test_uncommitted_rows_are_not_in_it(people, data_dir):
    """The snapshot uses another connection, sees only committed rows, and waits for no writer."""
    with transaction.atomic():
        Person.objects.create_person("dora")
        assert checksums_of(backups.make().path)["accounts.person"][0] == 3
    assert checksums_of(backups.make().path)["accounts.person"][0] == Person.objects.count()


def test_a_database_that_lacks_a_migration_is_not_backed_up(data_dir):
    recorder = MigrationRecorder(connection)
    (last,) = MigrationLoader(None).graph.leaf_nodes("generation")
    recorder.record_unapplied(*last)
    try:
        with pytest.raises(Refusal, match=r"generation\.\d+.*manage.py\s+migrate"):
            backups.make()
    finally:
        recorder.record_applied(*last)


def test_bytes_are_written_out_as_text_and_read_back():
    tag = annotation.tag()
    record_htmls([HtmlAsked(tag.latest.revision_id, "<p>Łódź</p>")])
    table = SerializedTable(RevisionHtml)
    rows = list(table.rows("default"))
    json.dumps(rows)
    RevisionHtml.objects.all().delete()
    table.write(rows, "default")
    assert RevisionHtml.objects.get().text == "<p>Łódź</p>"
    assert list(table.rows("default")) == rows

"""Moving to another database: all rows are copied and equal, or none is."""

import shutil
from io import StringIO

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connections

from accounts.models import Person
from accounts.roles import Role
from datasets.models import Collection, Release
from datasets.releasing.freezing import freeze
from leases.refusal import Conflict, Refusal
from operations import moving
from operations.databases import database_at
from operations.serialization import SerializedTable, tables
from tests.factories import person
from tests.leases.test_planner import known_size
from tests.operations.places import here, moved, rows_at

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    return settings.DATA_DIR


@pytest.fixture
def absent(tmp_path):
    """The address of a database that is not there yet: a move makes its tables, which takes seconds."""
    return f"sqlite:///{tmp_path}/moved.sqlite3"


@pytest.fixture
def sqlite(ready_database, absent):
    """The address of a database that has all tables and no row."""
    shutil.copy(ready_database, absent.removeprefix("sqlite:///"))
    return absent


def test_all_rows_are_there_and_read_the_same(folder, absent):
    call_command("load_demonstration", verbosity=0)
    call_command("load_example", "conflictbank", verbosity=0)
    released = freeze(collection=Collection.objects.get(name="demonstration"), version="drill")
    output = StringIO()
    call_command("move_database", absent, stdout=output)
    with database_at(absent) as there:
        assert Person.objects.using(there).count() == Person.objects.count()
        assert known_size(Person, connections[there]) == Person.objects.count()
        assert Release.objects.using(there).get(pk=released.pk).sha256 == released.sha256
    assert "were copied and are equal" in output.getvalue()
    for table in tables(apps):
        assert f"{sum(1 for _ in table.rows('default')):>10}  {table.name}  " in output.getvalue()


def test_sessions_move_too(folder, sqlite, client):
    client.force_login(person("alice", Role.ADMIN))
    assert moved(sqlite)["accounts.session"][0] == 1


def test_new_rows_there_take_new_keys(folder, sqlite):
    person("alice")
    moved(sqlite)
    with database_at(sqlite) as there:
        bob = Person(username="bob", pseudonym="P-2")
        bob.save(using=there)
        assert bob.pk > Person.objects.get().pk


# ------------------------------------------------------------ what is refused


def test_a_database_with_rows_is_refused_and_keeps_them(folder, sqlite):
    person("alice")
    moved(sqlite)
    person("bob")
    with pytest.raises(Conflict, match=r"holds rows already \(in accounts\.person"):
        moving.move(sqlite, report=lambda table: None)
    with database_at(sqlite) as there:
        assert Person.objects.using(there).count() == 1


def test_the_present_database_is_refused(folder, tmp_path):
    with pytest.raises(Conflict, match="present database"):
        moving.move(here(tmp_path)["DATABASE_URL"], report=lambda table: None)


def test_another_programs_database_is_refused(folder, absent):
    with database_at(absent) as there, connections[there].cursor() as cursor:
        cursor.execute("CREATE TABLE invoices (n integer)")
    with pytest.raises(Conflict, match="another program"):
        moving.move(absent, report=lambda table: None)


def test_a_database_of_a_newer_version_is_refused(folder, absent):
    with database_at(absent) as there, connections[there].cursor() as cursor:
        cursor.execute(
            "CREATE TABLE django_migrations (id integer, app text, name text, applied text)"
        )
        cursor.execute(
            "INSERT INTO django_migrations VALUES (1, 'judging', '0099_later', '2026-01-01')"
        )
    with pytest.raises(Conflict, match="newer version"):
        moving.move(absent, report=lambda table: None)


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("nowhere", "Write sqlite:///PATH or postgres://"),
        ("mysql://a@b/c", "Write sqlite:///PATH or postgres://"),
        ("sqlite://", "Write sqlite:///PATH or postgres://"),
        ("postgres://nobody@127.0.0.1:9/none", "cannot be reached"),
        ("sqlite:////nowhere/at/all.sqlite3", "cannot be reached"),
    ],
)
def test_an_invalid_address_is_refused(folder, url, error):
    with pytest.raises(CommandError, match=error):
        call_command("move_database", url)


def test_an_interrupted_move_leaves_no_row_there_and_can_be_begun_again(
    folder, sqlite, monkeypatch
):
    person("alice", Role.ADMIN)
    with monkeypatch.context() as patch:
        patch.setattr(SerializedTable, "write", interrupted_at("accounts.rolegrant"))
        with pytest.raises(KeyboardInterrupt):
            moving.move(sqlite, report=lambda table: None)
    assert rows_at(sqlite) == ""
    assert moved(sqlite)["accounts.person"][0] == 1


def interrupted_at(name):
    write = SerializedTable.write

    def interrupted(self, rows, using):
        if self.name == name:
            raise KeyboardInterrupt
        return write(self, rows, using)

    return interrupted


def test_no_rows_remain_there_if_some_differ(folder, sqlite, monkeypatch):
    person("alice")
    write = SerializedTable.write

    def careless(self, rows, using):
        return write(
            self, (["?" if value == "Alice" else value for value in row] for row in rows), using
        )

    monkeypatch.setattr(SerializedTable, "write", careless)
    with pytest.raises(Refusal, match=r"accounts\.person does not read there as it does here"):
        moving.move(sqlite, report=lambda table: None)
    assert rows_at(sqlite) == ""

"""Moving to another database: every row reads there as it does here, or none is there."""

from contextlib import contextmanager
from io import StringIO

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection, connections

from accounts.models import Person
from accounts.roles import Role
from datasets.models import Collection, Release
from datasets.releases import freeze
from leases.refusal import Conflict, Refusal
from operations import moving
from operations.databases import database_at
from operations.rows import Table, first_with_rows, tables
from tests.factories import person
from tests.operations.places import an_empty_postgresql, here, manage, python

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sqlite(tmp_path):
    """The address of a database that is not there yet."""
    return f"sqlite:///{tmp_path}/moved.sqlite3"


@pytest.fixture
def folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    return settings.DATA_DIR


def moved(url):
    """By table, rows and what they say there."""
    found = moving.move(url, tell=lambda table: None)
    assert all(each.read == each.written for each in found)
    return {each.table: (each.written.rows, each.written.hash) for each in found}


def rows_at(url) -> str:
    """The name of a table with rows there, "" where it has none."""
    with database_at(url) as there:
        known = connections[there].introspection.table_names()
        of = [t for t in moving.of_all() if t.model._meta.db_table in known]
        return first_with_rows(there, of)


def test_all_rows_are_there_and_read_the_same(folder, sqlite):
    call_command("load_demonstration", verbosity=0)
    released = freeze(collection=Collection.objects.get(name="demonstration"), version="drill")
    told = StringIO()
    call_command("move_database", sqlite, stdout=told)
    with database_at(sqlite) as there:
        assert Person.objects.using(there).count() == Person.objects.count()
        assert Release.objects.using(there).get(pk=released.pk).sha256 == released.sha256
    assert "and read as they do here" in told.getvalue()
    for table in tables(apps):
        assert f"{table.count('default'):>10}  {table.name}  " in told.getvalue()


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


@pytest.mark.postgres
def test_from_sqlite_to_postgresql_and_back(folder, sqlite, tmp_path):
    """Every row through both: what the demonstration set holds, each way by the command."""
    call_command("load_demonstration", verbosity=0)
    to_sqlite = moved(sqlite)
    with an_empty_postgresql() as url:
        place = {**here(tmp_path / "other"), "DATABASE_URL": sqlite}
        done = manage(place, "move_database", url)
        assert done.returncode == 0, done.stderr
        again = f"sqlite:///{tmp_path}/again.sqlite3"
        back = manage({**place, "DATABASE_URL": url}, "move_database", again)
        assert back.returncode == 0, back.stderr
        new = python({**place, "DATABASE_URL": url}, "-c", NEW_PERSON)
        assert new.returncode == 0, new.stderr
    assert done.stdout.splitlines()[:-1] == back.stdout.splitlines()[:-1]
    assert f"{sum(rows for rows, _ in to_sqlite.values())} rows" in done.stdout


NEW_PERSON = """
import django; django.setup()
from accounts.models import Person
Person.objects.create_person("charlie")
"""


# ------------------------------------------------------------ what is refused


def test_a_database_with_rows_is_refused_and_keeps_them(folder, sqlite):
    person("alice")
    moved(sqlite)
    person("bob")
    with pytest.raises(Conflict, match=r"holds rows already \(in accounts\.person"):
        moving.move(sqlite, tell=lambda table: None)
    with database_at(sqlite) as there:
        assert Person.objects.using(there).count() == 1


def test_the_present_database_is_refused(folder, tmp_path):
    with pytest.raises(Conflict, match="present database"):
        moving.move(here(tmp_path)["DATABASE_URL"], tell=lambda table: None)


def test_another_programs_database_is_refused(folder, sqlite):
    with database_at(sqlite) as there, connections[there].cursor() as cursor:
        cursor.execute("CREATE TABLE invoices (n integer)")
    with pytest.raises(Conflict, match="another program"):
        moving.move(sqlite, tell=lambda table: None)


def test_a_database_of_a_newer_version_is_refused(folder, sqlite):
    with database_at(sqlite) as there, connections[there].cursor() as cursor:
        cursor.execute(
            "CREATE TABLE django_migrations (id integer, app text, name text, applied text)"
        )
        cursor.execute(
            "INSERT INTO django_migrations VALUES (1, 'judging', '0099_later', '2026-01-01')"
        )
    with pytest.raises(Conflict, match="newer version"):
        moving.move(sqlite, tell=lambda table: None)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nowhere", "Write sqlite:///PATH or postgres://"),
        ("mysql://a@b/c", "Write sqlite:///PATH or postgres://"),
        ("sqlite://", "Write sqlite:///PATH or postgres://"),
        ("postgres://nobody@127.0.0.1:9/none", "cannot be reached"),
        ("sqlite:////nowhere/at/all.sqlite3", "cannot be reached"),
    ],
)
def test_an_address_that_leads_nowhere_is_refused(folder, url, said):
    with pytest.raises(CommandError, match=said):
        call_command("move_database", url)


def test_an_interrupted_move_leaves_no_row_there_and_can_be_begun_again(
    folder, sqlite, monkeypatch
):
    person("alice", Role.ADMIN)
    with monkeypatch.context() as patch:
        patch.setattr(Table, "write", interrupted_at("accounts.rolegrant"))
        with pytest.raises(KeyboardInterrupt):
            moving.move(sqlite, tell=lambda table: None)
    assert rows_at(sqlite) == ""
    assert moved(sqlite)["accounts.person"][0] == 1


def interrupted_at(name):
    write = Table.write

    def interrupted(self, rows, using):
        if self.name == name:
            raise KeyboardInterrupt
        return write(self, rows, using)

    return interrupted


def test_rows_that_read_otherwise_there_are_not_left_there(folder, sqlite, monkeypatch):
    person("alice")
    write = Table.write

    def careless(self, rows, using):
        return write(
            self, (["?" if value == "Alice" else value for value in row] for row in rows), using
        )

    monkeypatch.setattr(Table, "write", careless)
    with pytest.raises(Refusal, match=r"accounts\.person does not read there as it does here"):
        moving.move(sqlite, tell=lambda table: None)
    assert rows_at(sqlite) == ""


@pytest.mark.postgres
def test_what_postgresql_cannot_hold_is_named_by_its_row(folder, tmp_path):
    """SQLite takes a zero byte into a text; PostgreSQL does not."""
    source = f"sqlite:///{tmp_path}/odd.sqlite3"
    person("alice")
    odd = person("bob")
    moved(source)
    with database_at(source) as there:
        Person.objects.using(there).filter(pk=odd.pk).update(name="a\0b")
    with an_empty_postgresql() as url:
        place = {**here(tmp_path / "other"), "DATABASE_URL": source}
        done = manage(place, "move_database", url)
        assert done.returncode == 1
        assert f"accounts.person {odd.pk} is not taken by PostgreSQL" in done.stderr
        assert rows_at(url) == ""


@contextmanager
def another_connection():
    other = connection.copy("other")
    with other.cursor() as cursor:
        cursor.execute("SELECT 1")
        yield
    other.close()


@pytest.mark.postgres
def test_it_waits_for_nobody_who_is_still_connected(folder, sqlite):
    with another_connection(), pytest.raises(Conflict, match="Stop the web server"):
        moving.move(sqlite, tell=lambda table: None)

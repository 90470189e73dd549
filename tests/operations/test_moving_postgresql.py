"""Moving from PostgreSQL and to it."""

import shutil

import pytest
from django.core.management import call_command
from django.db import connection

from accounts.models import Person
from leases.refusal import Conflict
from operations import moving
from operations.databases import database_at
from tests.database import source
from tests.factories import person
from tests.operations.places import (
    a_postgresql,
    here,
    manage,
    moved,
    python,
    rows_at,
    sqlite_with_tables,
)

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

NEW_PERSON = """
import django; django.setup()
from accounts.models import Person
Person.objects.create_person("charlie")
"""


@pytest.fixture(scope="module")
def file_with_tables(tmp_path_factory):
    return sqlite_with_tables(tmp_path_factory.mktemp("tables"))


@pytest.fixture
def sqlite(file_with_tables, tmp_path, settings):
    """The address of a SQLite database that has all tables and no row."""
    settings.DATA_DIR = tmp_path
    return f"sqlite:///{shutil.copy(file_with_tables, tmp_path / 'moved.sqlite3')}"


def test_from_sqlite_to_postgresql_and_back(sqlite, file_with_tables, tmp_path):
    """Every row through both: what the demonstration set holds, each way by the command."""
    call_command("load_demonstration", verbosity=0)
    to_sqlite = moved(sqlite)
    with a_postgresql() as url:
        place = {**here(tmp_path / "other"), "DATABASE_URL": sqlite}
        done = manage(place, "move_database", url)
        assert done.returncode == 0, done.stderr
        again = f"sqlite:///{shutil.copy(file_with_tables, tmp_path / 'again.sqlite3')}"
        back = manage({**place, "DATABASE_URL": url}, "move_database", again)
        assert back.returncode == 0, back.stderr
        new = python({**place, "DATABASE_URL": url}, "-c", NEW_PERSON)
        assert new.returncode == 0, new.stderr
    assert done.stdout.splitlines()[:-1] == back.stdout.splitlines()[:-1]
    assert f"{sum(rows for rows, _ in to_sqlite.values())} rows" in done.stdout


def test_what_postgresql_cannot_hold_is_named_by_its_row(sqlite, tmp_path):
    """SQLite takes a zero byte into a text; PostgreSQL does not."""
    person("alice")
    odd = person("bob")
    moved(sqlite)
    with database_at(sqlite) as there:
        Person.objects.using(there).filter(pk=odd.pk).update(name="a\0b")
    with a_postgresql(source()) as url:
        place = {**here(tmp_path / "other"), "DATABASE_URL": sqlite}
        done = manage(place, "move_database", url)
        assert done.returncode == 1
        assert f"accounts.person {odd.pk} is not taken by PostgreSQL" in done.stderr
        assert rows_at(url) == ""


def test_the_present_database_is_refused(sqlite, tmp_path):
    with pytest.raises(Conflict, match="present database"):
        moving.move(here(tmp_path)["DATABASE_URL"], report=lambda table: None)


def test_it_waits_for_nobody_who_is_still_connected(sqlite):
    other = connection.copy("other")
    with other.cursor() as cursor:
        cursor.execute("SELECT 1")
        with pytest.raises(Conflict, match="Stop the web server"):
            moving.move(sqlite, report=lambda table: None)
    other.close()

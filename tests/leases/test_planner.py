"""The planner's statistics of rows that were just written, and of tables that have grown."""

import sqlite3
from contextlib import closing, nullcontext

import pytest
from django.db import InterfaceError, OperationalError, connection, transaction

from accounts.models import Invitation
from leases.clock import in_seconds
from leases.planner import LEAST, READ, learn_growth, learn_sizes, learn_sizes_on_commit
from leases.tasks import learn_growth as scheduled
from tests.factories import person

pytestmark = [pytest.mark.both, pytest.mark.django_db]
on_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL does it itself")


def write(count, first=0, by=(None,)):
    Invitation.objects.bulk_create(
        Invitation(
            token_hash=f"{n:064}",
            roles=["judge"],
            expires_at=in_seconds(60),
            created_by=by[n % len(by)],
        )
        for n in range(first, first + count)
    )


def known_size(model=Invitation, database=connection):
    """The number of rows that the database plans with; -1 before a table is analyzed."""
    if database.vendor == "sqlite":
        statement = (
            "SELECT coalesce(max(CAST(stat AS integer)), -1) FROM sqlite_stat1 WHERE tbl = %s"
        )
    else:
        statement = "SELECT reltuples FROM pg_class WHERE relname = %s"
    with database.cursor() as cursor:
        cursor.execute(statement, [model._meta.db_table])
        return cursor.fetchone()[0]


def test_the_planner_learns_of_rows_before_they_are_committed():
    write(321)
    learn_sizes()
    assert known_size() == 321


def test_only_the_rooms_named_are_analyzed():
    write(321)
    learn_sizes("accounts")
    write(100, first=321)
    learn_sizes("datasets")
    assert known_size() == 321


def test_a_table_without_rows_is_not_planned_as_empty():
    """With dead rows in its file, PostgreSQL would plan for no row however many are written next."""
    write(321)
    learn_sizes()
    Invitation.objects.all().delete()
    learn_sizes()
    assert known_size() == 321


def test_a_transaction_goes_on_afterwards():
    write(1)
    learn_sizes()
    write(1, first=1)
    assert Invitation.objects.count() == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("failure", [OperationalError, InterfaceError])
@pytest.mark.parametrize("in_transaction", [True, False])
def test_what_was_written_is_kept_where_the_database_fails_just_then(
    failure, in_transaction, monkeypatch, caplog
):
    def fail(*rooms):
        raise failure("terminating connection")

    monkeypatch.setattr("leases.planner.learn_sizes", fail)
    with transaction.atomic() if in_transaction else nullcontext():
        write(1)
        learn_sizes_on_commit("accounts")
    assert Invitation.objects.count() == 1
    warned = [record for record in caplog.records if record.name == "leases.planner"]
    assert [(record.levelname, record.exc_info) for record in warned] == [("WARNING", None)]


@on_sqlite
def test_tables_that_have_grown_are_analyzed_again_and_no_others():
    write(LEAST - 1)
    assert learn_growth() == []
    write(1, first=LEAST)
    assert learn_growth() == ["accounts_invitation"]
    assert known_size() >= LEAST / 2  # about: the index is read in part
    write(LEAST, first=LEAST + 1)
    assert learn_growth() == []
    write(2 * LEAST, first=2 * LEAST + 1)
    assert scheduled() == ["accounts_invitation"]


@on_sqlite
def test_rows_that_came_and_went_are_no_growth():
    write(LEAST)
    Invitation.objects.filter(token_hash__lt=f"{LEAST - 10:064}").delete()
    assert learn_growth() == []


@on_sqlite
def test_of_a_large_table_a_part_is_read():
    write(4 * READ)
    learn_sizes()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA analysis_limit")
        assert cursor.fetchone()[0] == READ


@on_sqlite
@pytest.mark.django_db(transaction=True)
def test_other_connections_plan_by_the_new_statistics():
    """SQLite's own ANALYZE leaves them with what they read when they were opened."""
    people = [person(f"admin-{n}") for n in range(30)]
    write(2, by=people[:1])
    learn_sizes()
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:

        def plan(n):
            other.execute("SELECT 1 FROM accounts_invitation")
            # Another text each time, so that it is planned again.
            where = f"created_by_id = {people[0].pk} AND {n} = {n}"
            query = f"EXPLAIN QUERY PLAN SELECT roles FROM accounts_invitation WHERE {where}"
            return other.execute(query).fetchone()[-1]

        assert "SCAN" in plan(1)
        write(900, first=2, by=people)
        assert "SCAN" in plan(2)
        learn_sizes()
        assert "SEARCH" in plan(3)

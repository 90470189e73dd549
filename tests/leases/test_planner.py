"""The planner's statistics of rows that were just written."""

import pytest
from django.db import connection

from accounts.models import Invitation
from leases.clock import in_seconds
from leases.planner import learn_sizes

pytestmark = pytest.mark.django_db


def write(count):
    Invitation.objects.bulk_create(
        Invitation(token_hash=f"{n:064}", roles=["judge"], expires_at=in_seconds(60))
        for n in range(count)
    )


def known_size(model):
    """The number of rows that PostgreSQL plans with; -1 before a table is analyzed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = %s", [model._meta.db_table])
        return cursor.fetchone()[0]


@pytest.mark.postgres
def test_the_planner_learns_of_rows_before_they_are_committed():
    write(321)
    learn_sizes()
    assert known_size(Invitation) == 321


@pytest.mark.postgres
def test_a_table_without_rows_is_not_planned_as_empty():
    """With dead rows in its file, PostgreSQL would plan for no row however many are written next."""
    write(321)
    learn_sizes()
    Invitation.objects.all().delete()
    learn_sizes()
    assert known_size(Invitation) == 321


def test_a_transaction_goes_on_afterwards():
    learn_sizes()
    write(1)
    assert Invitation.objects.count() == 1

"""Reads whose SQL is written once."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.db.models import Count, Q

from accounts.models import Person, RoleGrant
from accounts.roles import Role
from leases.prepared import Prepared
from tests.factories import person

pytestmark = [pytest.mark.both, pytest.mark.django_db]

GRANTS = Prepared(
    lambda person, other: RoleGrant.objects.filter(
        Q(person=person) | Q(person=other), role=Role.JUDGE
    ).select_related("person"),
    "person",
    "other",
)


def test_the_rows_are_those_of_the_query_for_each_key(django_assert_num_queries):
    alice, bob = person("alice", Role.JUDGE, Role.ADMIN), person("bob", Role.JUDGE)
    with django_assert_num_queries(3):
        found = [GRANTS(person=each.pk, other=0) for each in (alice, bob)]
        assert [[row.person for row in rows] for rows in found] == [[alice], [bob]]
        assert len(GRANTS(other=bob.pk, person=alice.pk)) == 2


def test_rows_are_read_again_each_time():
    alice = person("alice", Role.JUDGE)
    assert len(GRANTS(person=alice.pk, other=0)) == 1
    alice.grants.all().delete()
    assert GRANTS(person=alice.pk, other=0) == []


def test_a_number_that_no_database_holds_has_no_rows():
    assert GRANTS(person=2**63, other=0) == []


def test_counts_are_as_django_gives_them():
    counts = Prepared(
        lambda person: (
            RoleGrant.objects.filter(person=person)
            .order_by()
            .values("person")
            .annotate(n=Count("pk"))
            .values_list("n", flat=True)
        ),
        "person",
    )
    alice = person("alice", Role.JUDGE, Role.ADMIN)
    assert counts(person=alice.pk) == [2]
    assert counts(person=alice.pk + 1) == []


@pytest.mark.django_db(transaction=True)
def test_threads_share_one_query_and_each_gets_its_own_rows():
    made = []

    def rows(person):
        made.append(person)
        return RoleGrant.objects.filter(person=person).select_related("person")

    grants = Prepared(rows, "person")
    people = [person(f"anna-{n}", Role.JUDGE) for n in range(4)]
    assert len(grants(person=people[0].pk)) == 1

    def read(one):
        try:
            return {row.person == one for _ in range(100) for row in grants(person=one.pk)}
        finally:
            connection.close()

    with ThreadPoolExecutor(len(people)) as pool:
        assert [*pool.map(read, people)] == [{True}] * len(people)
    assert len(made) == 1


def test_a_key_that_the_query_does_not_use_is_an_error():
    with pytest.raises(AssertionError, match="not used"):
        Prepared(lambda person: Person.objects.all(), "person")(person=1)

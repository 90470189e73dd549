"""Queries that are built once."""

import pytest
from django.db.models import Count, Q

from accounts.models import Person, RoleGrant
from accounts.roles import Role
from leases.prepared import Prepared
from tests.factories import person

pytestmark = pytest.mark.django_db

GRANTS = Prepared(
    lambda person, role: (
        RoleGrant.objects.filter(person=person).filter(Q(role=role) | Q(person__username=role))
    ).select_related("person"),
    person=int,
    role=str,
)


def test_the_rows_are_those_of_the_query_for_each_value(django_assert_num_queries):
    alice, bob = person("alice", Role.JUDGE, Role.ADMIN), person("bob", Role.JUDGE)
    with django_assert_num_queries(3):
        found = [GRANTS(person=each.pk, role="judge") for each in (alice, bob)]
        assert [[row.person for row in rows] for rows in found] == [[alice], [bob]]
        assert GRANTS(person=alice.pk, role="annotator") == []


def test_rows_are_read_again_each_time():
    alice = person("alice", Role.JUDGE)
    assert len(GRANTS(person=alice.pk, role="judge")) == 1
    alice.grants.all().delete()
    assert GRANTS(person=alice.pk, role="judge") == []


def test_a_number_that_no_database_holds_has_no_rows():
    assert GRANTS(person=2**63, role="judge") == []


def test_values_and_counts_are_as_django_gives_them():
    counts = Prepared(
        lambda person: (
            RoleGrant.objects.filter(person=person)
            .order_by()
            .values("person")
            .annotate(n=Count("pk"))
            .values_list("n", flat=True)
        ),
        person=int,
    )
    alice = person("alice", Role.JUDGE, Role.ADMIN)
    assert counts(person=alice.pk) == [2]
    assert counts(person=alice.pk + 1) == []


def test_the_query_is_built_once():
    built = []

    def make(person):
        built.append(person)
        return Person.objects.filter(pk=person)

    prepared = Prepared(make, person=int)
    for each in (person("alice"), person("bob")):
        assert prepared(person=each.pk) == [each]
    assert len(built) == 1


def test_a_value_that_the_query_does_not_use_is_an_error():
    with pytest.raises(AssertionError, match="not used"):
        Prepared(lambda person: Person.objects.all(), person=int)(person=1)

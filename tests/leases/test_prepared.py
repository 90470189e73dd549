"""Queries that are built once."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Count, F, FloatField, Q
from django.db.models.functions import Now

from accounts.models import Person, RoleGrant
from accounts.roles import Role
from annotation.models import Annotation, DraftRevision, WorkTime
from leases import prepared
from leases.prepared import Given, Prepared, PreparedUpdate, insert
from tests.annotation import factories as make
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


@pytest.mark.django_db(transaction=True)
def test_threads_share_what_was_built_and_each_gets_its_own_rows():
    made = []

    def rows(person):
        made.append(person)
        return RoleGrant.objects.filter(person=person).select_related("person")

    grants = Prepared(rows, person=int)
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


def test_a_value_that_the_query_does_not_use_is_an_error():
    with pytest.raises(AssertionError, match="not used"):
        Prepared(lambda person: Person.objects.all(), person=int)(person=1)


# ---------------------------------------------------------------- updates

SAVE = PreparedUpdate(
    lambda annotation, version: Annotation.objects.filter(pk=annotation, version=version),
    annotation=int,
    version=Annotation._meta.get_field("version"),
)
COLUMNS = {
    "span_1": "here",
    "confidence": None,
    "filled": ["span_1"],
    "provenance": {"1": []},
    "flagged": True,
}


@pytest.fixture
def draft():
    return make.draft(make.annotator(), within=make.campaign())


def test_an_update_writes_each_kind_of_value_where_the_row_fits(draft):
    own = {"author": make.annotator("bob"), "submitted_at": Now(), "version": F("version") + 1}
    version = draft.version
    assert SAVE({**COLUMNS, **own}, annotation=draft.pk, version=version + 1) == 0
    assert SAVE({**COLUMNS, **own}, annotation=draft.pk, version=version) == 1
    stored = Annotation.objects.get()
    assert {name: getattr(stored, name) for name in COLUMNS} == COLUMNS
    assert (stored.author.username, stored.version) == ("bob", version + 1)
    assert stored.submitted_at is not None


def test_an_update_is_built_once_for_each_set_of_columns(draft, monkeypatch):
    monkeypatch.setattr(prepared, "MOST_FORMS", 2)
    built = []

    def rows(annotation):
        built.append(annotation)
        return Annotation.objects.filter(pk=annotation)

    update = PreparedUpdate(rows, annotation=int)
    for text in ("one", "two"):
        for name in ("span_1", "span_2"):
            assert update({name: text}, annotation=draft.pk) == 1
    assert len(built) == 2
    for name in ("statement_1", "span_1"):  # the third set pushes the others out
        assert update({name: "three"}, annotation=draft.pk) == 1
    assert len(built) == 4
    stored = Annotation.objects.get()
    assert (stored.span_1, stored.span_2, stored.statement_1) == ("three", "two", "three")
    assert update({"span_1": "four"}, annotation=2**63) == 0


def test_an_expression_may_have_a_value_of_each_call(draft):
    add = PreparedUpdate(lambda key: Annotation.objects.filter(pk=key), key=int)
    more = {"seconds_active": F("seconds_active") + Given("more", FloatField())}
    for seconds in (1.5, 2.0):
        add(more, key=draft.pk, more=seconds)
    assert Annotation.objects.get().seconds_active == 3.5


def test_a_refused_update_leaves_its_transaction_to_be_rolled_back(draft):
    with transaction.atomic():
        with pytest.raises(IntegrityError):
            SAVE({"confidence": 9}, annotation=draft.pk, version=draft.version)
        assert connection.needs_rollback


# ---------------------------------------------------------------- inserts


def test_an_inserted_row_is_what_its_save_would_store(draft, django_assert_num_queries):
    entries = {"span_1": "hier", "questions": [], "confidence": None}
    rows = [DraftRevision(annotation=draft, version=n, entries=entries) for n in (7, 8)]
    rows[0].save()
    with django_assert_num_queries(1):
        assert insert(rows[1]) is rows[1]
    saved, inserted = DraftRevision.objects.order_by("version")[:2]
    assert inserted == rows[1]
    assert inserted.pk == saved.pk + 1
    assert (inserted.saved_at, inserted.entries) == (rows[1].saved_at, saved.entries)
    rows[1].version = 9
    rows[1].save()
    assert [row.version for row in DraftRevision.objects.order_by("pk")] == [7, 9]


def test_an_inserted_row_may_have_expressions(draft):
    where = {"annotation": draft, "campaign": draft.assignment.campaign, "seconds": 3.0}
    insert(WorkTime(day=Now(), **where))
    today = WorkTime.objects.get().day
    insert(WorkTime(day="2020-01-01", **where))
    assert {str(row.day) for row in WorkTime.objects.all()} == {"2020-01-01", str(today)}


def test_a_row_that_the_database_refuses_is_not_inserted(draft):
    row = {"annotation": draft, "version": 7, "entries": {}}
    insert(DraftRevision(**row))
    with pytest.raises(IntegrityError), transaction.atomic():
        insert(DraftRevision(**row))
    assert DraftRevision.objects.filter(version=7).count() == 1

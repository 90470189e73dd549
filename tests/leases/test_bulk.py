"""Rows inserted in bulk are those that Django would have made."""

from datetime import UTC, date, datetime

import pytest
from django.db import IntegrityError, transaction

from datasets.models import Collection, Contradiction
from leases import bulk
from tests.annotation.factories import tag
from tests.factories import person, stored
from wikifetch.models import Sighting

pytestmark = [pytest.mark.both, pytest.mark.django_db]

ODD = "\u2028 'quoted' \"twice\" %s 😀"


def contradictions(collection, titles, **columns):
    return [
        Contradiction(
            collection=collection,
            position=n,
            external_id=f"{title:0>64}",
            title=title,
            validity="Valid",
            **columns,
        )
        for n, title in enumerate(titles)
    ]


def columns_of(row):
    left_out = {"id", "collection_id", "created_at"}
    return {
        name: value for name, value in vars(stored(row)).items() if name[0] != "_"
    } | dict.fromkeys(left_out)


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"url": ODD, "article_1": None, "oldid": 2**40, "taxonomy": [["a", ODD], []]},
        {"taxonomy": None, "filled": ["x"], "provenance": {"1": [{"text": ODD}]}},
    ],
)
def test_they_have_the_columns_that_django_gives_them(columns):
    one, two = (Collection.objects.create(name=name) for name in ("one", "two"))
    columns = {"author": person("alice"), **columns}
    ours, djangos = contradictions(one, "ab", **columns), contradictions(two, "ab", **columns)
    bulk.insert(ours)
    Contradiction.objects.bulk_create(djangos)
    assert [columns_of(row) for row in ours] == [columns_of(row) for row in djangos]
    assert all(stored(row).created_at for row in ours)


def test_values_become_the_rows_that_objects_would(monkeypatch):
    monkeypatch.setattr(bulk, "MOST_VALUES", 100)
    one, two = (Collection.objects.create(name=name) for name in ("one", "two"))
    given = [
        {"position": n, "external_id": title * 64, "title": title, "validity": "Valid", **more}
        for n, (title, more) in enumerate(
            [("a", {}), ("b", {"filled": ["x"], "taxonomy": [[ODD]]}), ("c", {"url": ODD})]
        )
    ]
    keys = bulk.insert_values(Contradiction, [{**row, "collection_id": one.pk} for row in given])
    djangos = [Contradiction.objects.create(collection=two, **row) for row in given]
    ours = [Contradiction.objects.get(pk=key) for key in keys]
    assert [columns_of(row) for row in ours] == [columns_of(row) for row in djangos]
    assert all(row.created_at for row in ours)


def test_values_of_no_column_are_a_mistake_of_the_caller():
    with pytest.raises(TypeError, match=r"Collection has no columns \['nmae'\]"):
        bulk.insert_values(Collection, [{"name": "mills"}, {"nmae": "mills"}])
    assert not Collection.objects.exists()


def test_values_that_only_some_rows_leave_to_the_database_are_refused():
    when = datetime(2021, 5, 1, tzinfo=UTC)
    with pytest.raises(ValueError, match="created_at is set in some rows only"):
        bulk.insert_values(Collection, [{"name": "a"}, {"name": "b", "created_at": when}])
    (key,) = bulk.insert_values(Collection, [{"name": "a", "created_at": when}])
    assert Collection.objects.get(pk=key).created_at == when


def test_a_date_is_kept_on_either_database():
    seen = tag().latest
    again = Sighting(
        tag=seen.tag, revision=seen.revision, position=99, kind=seen.kind, month=date(2021, 5, 1)
    )
    bulk.insert([again])
    assert stored(again).month == date(2021, 5, 1)


def test_each_gets_its_own_key_in_several_statements(monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(bulk, "MOST_VALUES", 100)
    rows = contradictions(Collection.objects.create(name="mills"), "abcde")
    with django_assert_num_queries(3):
        bulk.insert(rows)
    assert [stored(row).title for row in rows] == list("abcde")
    rows[0].title = "changed"
    rows[0].save()
    assert Contradiction.objects.count() == 5


def test_a_column_that_only_some_rows_leave_to_the_database_is_refused():
    rows = contradictions(Collection.objects.create(name="mills"), "ab")
    rows[1].created_at = datetime(2021, 5, 1, tzinfo=UTC)
    for given in (rows, rows[::-1]):
        with pytest.raises(ValueError, match="created_at is set in some rows only"):
            bulk.insert(given)
    assert not Contradiction.objects.exists()


def test_none_asks_nothing(django_assert_num_queries):
    with django_assert_num_queries(0):
        bulk.insert([])
        assert bulk.insert_values(Collection, []) == []


def test_what_the_database_refuses_is_refused():
    rows = contradictions(Collection.objects.create(name="mills"), "aa")
    with pytest.raises(IntegrityError), transaction.atomic():
        bulk.insert(rows)
    assert not Contradiction.objects.exists()


def test_rows_are_changed_each_with_its_own_values_where_they_may_be():
    collection = Collection.objects.create(name="one")
    rows = contradictions(collection, "abc")
    bulk.insert(rows)
    values = {
        "url": ODD,
        "oldid": None,
        "taxonomy": [["a", ODD]],
        "created_at": datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC),
    }
    other = {**values, "oldid": 2**40, "taxonomy": None}
    changed = bulk.update(
        Contradiction,
        {rows[0].pk: values, rows[1].pk: other, rows[2].pk: values},
        {"position": [0, 1]},
    )
    assert changed == {rows[0].pk, rows[1].pk}
    for row, given in ((rows[0], values), (rows[1], other)):
        assert {name: getattr(stored(row), name) for name in given} == given
    assert stored(rows[2]).url == ""
    assert bulk.update(Contradiction, {}, {}) == set()

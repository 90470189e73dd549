"""Pages by key are the pages of the list; the last one costs what the first one does."""

import pytest
from django.core.paginator import Paginator
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from accounts.roles import Role
from datasets.models import Contradiction
from pages.paging import ByKey, page_of
from tests.annotation.factories import tag
from tests.datasets.factories import mills, record
from tests.factories import person
from wikifetch.models import Sighting, Tag

pytestmark = [pytest.mark.both, pytest.mark.django_db]

MANY = 100_000
COUNTED = f"WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < {MANY - 1}) "


@pytest.mark.parametrize("count", [0, 1, 3, 4, 7, 8])
def test_they_are_the_pages_of_the_list(count):
    if count:
        mills(*(record(title=f"Mill {n}") for n in range(count)))
    rows = Contradiction.objects.order_by("-title")
    for number in range(1, 5):
        wanted = Paginator(rows, 3).get_page(number)
        request = RequestFactory().get(f"/?page={number}&q=mill")
        page = page_of(request, rows, per=3, pages=ByKey)
        assert list(page) == list(wanted)
        assert (page.number, page.paginator.count) == (wanted.number, count)
        assert page.query == "q=mill"


def columns(model, **changed):
    """The columns of a table, and what a copied row has in them."""
    names = [field.column for field in model._meta.concrete_fields if not field.primary_key]
    values = [changed.get(name, f"one.{name}") for name in names]
    return ", ".join(names), ", ".join(values)


@pytest.fixture
def many_tags():
    first = tag(title="Kettle Mill")
    names, values = columns(Tag, latest_id="NULL")
    seen, copied = columns(Sighting, tag_id="each.id", position="1000 + each.id")
    with connection.cursor() as cursor:
        cursor.execute(
            f"{COUNTED}INSERT INTO wikifetch_tag ({names}) SELECT {values} FROM wikifetch_tag one, counted"
        )
        cursor.execute(
            f"INSERT INTO wikifetch_sighting ({seen}) SELECT {copied} "
            "FROM wikifetch_sighting one, wikifetch_tag each WHERE each.latest_id IS NULL"
        )
        cursor.execute(
            "UPDATE wikifetch_tag SET latest_id = sighting.id FROM wikifetch_sighting AS sighting "
            "WHERE sighting.tag_id = wikifetch_tag.id AND wikifetch_tag.latest_id IS NULL"
        )
    return first


def test_the_last_page_of_100_000_tags_skips_no_rows_to_get_there(client, many_tags):
    client.force_login(person("rita", Role.RESEARCHER))
    client.get("/tags/")  # what a process learns once
    asked = {}
    for number in (1, MANY // 50, MANY):
        with CaptureQueriesContext(connection) as statements:
            page = client.get(f"/tags/?page={number}").context["page"]
        asked[number] = [one["sql"] for one in statements]
        assert len(page) == 50
    assert (page.number, page.end_index()) == (MANY // 50, MANY)
    assert page[-1].pk == Tag.objects.order_by("pk").last().pk
    assert len({len(each) for each in asked.values()}) == 1
    assert not any("OFFSET" in sql for each in asked.values() for sql in each)
    # Texts are read of the rows of the page, and not sorted; those that no line shows are not read.
    (with_texts,) = [sql for sql in asked[MANY] if '"reason"' in sql]
    assert '"wikifetch_tag"."id" IN (' in with_texts
    assert not any('"block_text"' in sql for sql in asked[MANY])

"""Lists go on by a cursor that is theirs; parameters are an allow-list."""

import json
from base64 import b64decode
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.roles import Role
from accounts.sealing import sealed, unsealed
from datasets.models import Collection
from leases.clock import now
from tests.factories import person

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.pages.rest.urls")]

MILLS = "/api/mills/"


@pytest.fixture
def reader(client):
    client.force_login(person("rosa", Role.RESEARCHER))
    return client


@pytest.fixture
def mills():
    """Titles are not unique, and two rows of them are hidden from everybody."""
    return [
        Collection.objects.create(
            name=f"mill-{n}",
            title=f"Mill {n // 3}",
            source="sun" if n % 2 else "wind",
            licence="hidden" if n in (3, 4) else "",
        )
        for n in range(10)
    ]


def walk(reader, address):
    """The names of all rows, and how many each page had."""
    names, sizes = [], []
    while address:
        page = reader.get(address).json()
        assert page.keys() == {"results", "next"}
        names += [row["name"] for row in page["results"]]
        sizes.append(len(page["results"]))
        address = page["next"]
    return names, sizes


ORDERED = [f"mill-{n}" for n in (2, 1, 0, 5, 8, 7, 6, 9)]


@pytest.mark.both
@pytest.mark.parametrize(
    ("size", "sizes"), [(1, [1] * 8), (3, [3, 3, 2]), (4, [4, 4]), (8, [8]), (50, [8])]
)
def test_pages_are_filled_and_together_the_list(reader, mills, size, sizes):
    """Whether rows are hidden does not show in the size of a page."""
    assert walk(reader, f"{MILLS}?page_size={size}") == (ORDERED, sizes)


def test_filters_hold_on_all_pages(reader, mills):
    names, sizes = walk(reader, f"{MILLS}?page_size=2&source=sun")
    assert (names, sizes) == (["mill-1", "mill-5", "mill-7", "mill-9"], [2, 2])


@pytest.mark.both
def test_rows_that_come_or_go_shift_nothing(reader, mills):
    first = reader.get(f"{MILLS}?page_size=3").json()
    Collection.objects.filter(name__in=["mill-2", "mill-0"]).delete()
    Collection.objects.create(name="first", title="A mill")
    assert walk(reader, first["next"])[0] == ORDERED[3:]


def test_an_empty_list_has_a_page(reader):
    assert reader.get(MILLS).json() == {"results": [], "next": None}


@pytest.mark.both
def test_times_and_flags_narrow(reader, mills):
    moment = now().isoformat()
    assert walk(reader, f"{MILLS}?since={moment}")[0] == []
    assert len(walk(reader, f"{MILLS}?since=2020-01-01T00:00:00Z&demonstration=false")[0]) == 8
    assert walk(reader, f"{MILLS}?demonstration=true")[0] == []


BAD = [
    ("page_size=0", "page_size takes a whole number from 1 to 50."),
    ("page_size=-1", "page_size takes a whole number from 1 to 50."),
    ("page_size=51", "page_size takes a whole number from 1 to 50."),
    ("page_size=1e1", "page_size takes a whole number from 1 to 50."),
    ("page_size=%D9%A3", "page_size takes a whole number from 1 to 50."),
    ("page_size=" + "9" * 5000, "page_size takes a whole number from 1 to 50."),
    ("page_size=1&page_size=2", "page_size is given more than once."),
    ("page=2", "There is no parameter 'page' here. Allowed are: source, demonstration, least, since, words, cursor"),
    ("nonsense=1", "There is no parameter 'nonsense' here."),
    ("created_by__password__startswith=p", "There is no parameter 'created_by__password__startswith' here."),
    ("source__startswith=s", "There is no parameter 'source__startswith' here."),
    ("source=Sun", "source takes one of sun, wind."),
    ("source=", "source takes one of sun, wind."),
    ("demonstration=1", "demonstration takes true or false."),
    ("least=9223372036854775808", "least takes a whole number from 1."),
    ("since=yesterday", "since takes a date and time such as"),
    ("since=2026-13-01T00:00:00Z", "since takes a date and time such as"),
    ("since=0001-01-01T00:00:00%2B14:00", "since takes a date and time such as"),
    ("cursor=" + "A" * 2001, "cursor takes a text of 1 to 2000 characters."),
    ("words=", "words takes a text of 1 to 200 characters."),
    ("words=" + "x" * 201, "words takes a text of 1 to 200 characters."),
    ("format=json", "There is no parameter 'format' here."),
]  # fmt: skip


@pytest.mark.parametrize(("query", "said"), BAD)
def test_another_parameter_or_value_is_refused_with_what_is_allowed(reader, query, said):
    answer = reader.get(f"{MILLS}?{query}")
    assert answer.status_code == 400
    assert said in answer.json()["error"]
    assert len(answer.json()["fields"]) == 1


def test_an_operation_without_parameters_takes_none(reader):
    answer = reader.get("/api/mills/weir/?a=1")
    assert answer.status_code == 400
    assert "None is allowed" in answer.json()["error"]


def test_many_hidden_rows_are_passed_over_in_few_statements(reader):
    Collection.objects.bulk_create(
        Collection(name=f"mill-{n}", title=f"{n:03}", licence="hidden" if n < 120 else "")
        for n in range(122)
    )
    with CaptureQueriesContext(connection) as asked:
        page = reader.get(f"{MILLS}?page_size=1").json()
    assert [row["name"] for row in page["results"]] == ["mill-120"]
    assert len([one for one in asked if "LIMIT 50" in one["sql"]]) == 3


def cursor_of(reader, address=f"{MILLS}?page_size=2"):
    return parse_qs(urlsplit(reader.get(address).json()["next"]).query)["cursor"][0]


def test_a_cursor_that_was_changed_or_is_of_another_list_is_refused(reader, mills, client):
    cursor = cursor_of(reader)
    other = sealed(json.dumps(["", 1]))
    for path, query in (
        (MILLS, f"cursor={cursor[:-1]}"),
        (MILLS, f"cursor={cursor[:20]}{'A' if cursor[20] == 'B' else 'B'}{cursor[21:]}"),
        (MILLS, f"cursor={sealed('1')}"),
        (MILLS, "cursor=1"),
        (MILLS, "cursor=abc!"),
        (MILLS, "cursor=%C3%A9"),
        (MILLS, f"cursor={other}"),
        (MILLS, f"cursor={cursor}&source=sun"),
        ("/api/others/", f"cursor={cursor}"),
    ):
        answer = reader.get(f"{path}?{query}")
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_cursor"), query
    assert reader.get(f"{MILLS}?cursor={cursor}&page_size=7").status_code == 200
    client.force_login(person("ruth", Role.RESEARCHER))
    assert client.get(f"{MILLS}?cursor={cursor}").json()["code"] == "bad_cursor"


def test_a_cursor_holds_no_more_than_its_place_which_nobody_reads(reader, mills):
    cursor = cursor_of(reader)
    assert json.loads(unsealed(cursor))[1:] == ["Mill 0", mills[1].pk]
    assert b"Mill" not in b64decode(cursor, altchars="-_")

"""Tags and fetches by a token."""

from datetime import timedelta

import pytest

from accounts.roles import Role
from accounts.tokens.scopes import Scope
from leases.clock import now
from tests.annotation import factories as annotation
from tests.factories import person
from tests.programs import Program
from tests.wikifetch.factories import TAG, export, page, revision, written
from wikifetch import fetch
from wikifetch.models import FetchRun, Revision, Sighting, Tag
from wikifetch.states import FetchState

pytestmark = pytest.mark.django_db

TAGS, FETCHES = "/api/tags/", "/api/fetches/"


@pytest.fixture
def olga():
    return person("olga", Role.ADMIN)


@pytest.fixture
def program(olga):
    return Program(olga)


@pytest.fixture
def fetched(tmp_path):
    """Three tagged articles, of which one has lost its tag."""
    texts = {
        "Kettle Mill": f"Built in 1801.{TAG}",
        "Ford": "{{Self-contradictory|about=depth}}\nDeep.",
        "Weir": "{{contradicts other|Ford}}\nWide.",
    }
    pages = [page(n, t, revision(10 + n, text)) for n, (t, text) in enumerate(texts.items(), 1)]
    fetch.fetch_xml(written(tmp_path, export(*pages)))
    return fetch.fetch_xml(written(tmp_path, export(page(2, "Ford", revision(20, "Deep.")))))


def titles(answer):
    return [row["title"] for row in answer.json()["results"]]


# ---------------------------------------------------------------- tags


@pytest.mark.both
def test_tags_are_listed_with_what_was_last_seen(program, fetched):
    mill, ford, weir = program.get(TAGS).json()["results"]
    assert (mill["title"], mill["kind"], mill["state"], mill["raw"]) == (
        "Kettle Mill", "inconsistent", "live", TAG,
    )  # fmt: skip
    assert (mill["pageid"], mill["revid"], mill["block_text"]) == (1, 11, "Built in 1801.")
    assert (ford["state"], weir["other_article"]) == ("gone", "Ford")
    assert mill["url"].endswith("oldid=11")


@pytest.mark.both
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("state=live", ["Kettle Mill", "Weir"]),
        ("state=gone", ["Ford"]),
        ("kind=inconsistent", ["Kettle Mill"]),
        ("kind=contradict-other&state=gone", []),
        ("campaign=none", ["Kettle Mill", "Ford", "Weir"]),
        ("changed_since=2001-01-01T00:00:00Z", ["Kettle Mill", "Ford", "Weir"]),
        ("changed_since=2999-01-01T00:00:00Z", []),
    ],
)
def test_tags_are_filtered(program, fetched, query, expected):
    assert titles(program.get(f"{TAGS}?{query}")) == expected


def test_tags_are_filtered_by_campaign(program, olga):
    within = annotation.campaign(by=olga)
    annotation.tag(title="Weir")
    assert titles(program.get(f"{TAGS}?campaign={within.pk}")) == ["Kettle Mill"]
    assert titles(program.get(f"{TAGS}?campaign=none")) == ["Weir"]


@pytest.mark.both
def test_changed_since_has_what_was_seen_and_what_was_found_gone(program, fetched):
    earlier = now() - timedelta(days=1)
    Sighting.objects.update(seen_at=earlier)
    Revision.objects.exclude(revid=20).update(fetched_at=earlier)
    at = (now() - timedelta(hours=1)).isoformat()
    assert titles(program.get(TAGS, {"changed_since": at})) == ["Ford"]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("state=open", "live, gone"),
        ("kind=Inconsistent", "inconsistent"),
        ("campaign=999", "the id of a campaign, or none"),
        ("campaign=x", "the id of a campaign, or none"),
        ("changed_since=yesterday", "2026-05-01"),
        ("page_size=501", "500"),
        ("page_size=-1", "500"),
        ("nonsense=1", "changed_since"),
        ("format=json", "changed_since"),
        ("created_by__password__startswith=p", "changed_since"),
        ("state=live&state=gone", "more than once"),
        ("cursor=changed", "cursor"),
    ],
)
def test_what_is_not_in_the_list_is_refused_and_named(program, fetched, query, named):
    answer = program.get(f"{TAGS}?{query}")
    assert answer.status_code == 400
    assert named in answer.json()["error"]


@pytest.mark.both
def test_the_cursor_goes_on_and_is_of_these_filters(program, fetched):
    first = program.get(f"{TAGS}?page_size=2").json()
    assert titles(program.get(first["next"])) == ["Weir"]
    assert program.get(f"{first['next']}&state=live").json()["code"] == "bad_cursor"


def test_one_tag_has_the_other_article_too(program, fetched):
    weir = Tag.objects.get(article__title="Weir")
    found = program.get(f"{TAGS}{weir.pk}/").json()
    assert (found["title"], found["introduced"]) == ("Weir", None)
    assert found["other"] == {"title": "Ford", "pageid": 2, "revid": 20}
    Sighting.objects.filter(tag=weir).update(other_article="Lock")
    assert program.get(f"{TAGS}{weir.pk}/").json()["other"] is None


def test_a_tag_that_has_not_changed_is_not_sent_again(program, fetched):
    for address in (TAGS, f"{TAGS}{Tag.objects.first().pk}/"):
        etag = program.get(address)["ETag"]
        assert program.get(address, headers={"If-None-Match": etag}).status_code == 304
        assert program.get(address, headers={"If-None-Match": '"other"'}).status_code == 200


@pytest.mark.parametrize("key", ["999", "99999999999999999999"])
def test_a_tag_that_there_is_not_is_not_found(program, key):
    answer = program.get(f"{TAGS}{key}/")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


# ---------------------------------------------------------------- fetches


def test_fetches_are_listed_newest_first_and_read(program, fetched):
    rows = program.get(FETCHES).json()["results"]
    assert [row["id"] for row in rows] == [fetched.pk, fetched.pk - 1]
    one = program.get(f"{FETCHES}{fetched.pk - 1}/").json()
    assert (one["state"], one["tags_found"], one["done"], one["total"]) == ("done", 3, 3, None)
    assert titles_of(program, "state=failed") == []
    assert program.get(f"{FETCHES}999/").status_code == 404


def titles_of(program, query):
    return [row["label"] for row in program.get(f"{FETCHES}?{query}").json()["results"]]


@pytest.mark.parametrize(
    ("body", "label"),
    [
        ({"source": "kind", "kind": "inconsistent", "limit": 5}, "inconsistent, at most 5 pages"),
        ({"source": "category", "category": "Category:Mills", "depth": 0}, "Mills"),
        ({"source": "titles", "titles": ["Kettle Mill", "Weir"]}, "2 titles"),
    ],
)
def test_a_fetch_is_started_once_for_its_key(program, live, body, label):
    sent = [program.send("POST", FETCHES, body, idempotency_key="k-1") for _ in range(2)]
    assert [answer.status_code for answer in sent] == [201, 201]
    assert sent[0].json() == sent[1].json()
    run = FetchRun.objects.get()
    assert (run.label, run.state, run.started_by.username) == (label, FetchState.WAITING, "olga")


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "source"),
        ({"source": "xml"}, "source"),
        ({"source": "titles"}, "no title"),
        ({"source": "titles", "titles": "Kettle Mill"}, "titles"),
        ({"source": "category", "category": "a|b"}, "one category"),
        ({"source": "category", "category": "Mills", "depth": 9}, "depth"),
        ({"source": "kind", "kind": "odd"}, "kind"),
        ({"source": "kind", "limit": 0}, "limit"),
        ({"source": "kind", "wiki": "https://elsewhere.example"}, "elsewhere.example"),
        ({"source": "kind", "contact": "\x01"}, "contact"),
    ],
)
def test_a_fetch_that_cannot_be_is_refused(program, live, body, named):
    answer = program.send("POST", FETCHES, body)
    assert answer.status_code == 400
    assert named in answer.json()["error"]
    assert not FetchRun.objects.exists()


def test_a_fetch_needs_the_scope_manage_and_an_admin(olga, live):
    body = {"source": "kind"}
    reading = Program(olga, Scope.READ).send("POST", FETCHES, body)
    assert (reading.status_code, reading.json()["code"]) == (403, "scope_missing")
    other = Program(person("rosa", Role.RESEARCHER)).send("POST", FETCHES, body)
    assert (other.status_code, other.json()["code"]) == (403, "role_missing")

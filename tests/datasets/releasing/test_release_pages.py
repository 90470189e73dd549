"""Pages of releases: a description, a page for each, its files with ranges, a DOI and errata."""

import pytest
from pytest_django.asserts import assertContains, assertNotContains

from accounts.roles import Role
from datasets.models import Collection
from datasets.releasing.freezing import freeze
from tests.datasets.factories import mills, record
from tests.factories import person, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/collections/mills/releases/1.0/"
FILE = f"{PAGE}files/wikicontradict-json/"
DESCRIPTION = {
    "title": "Old mills",
    "description": "Mills.",
    "creators": "Ada Ash | 0000-0002-1825-0097 | Mill Museum\n} and Sons",
    "licence": "CC-BY-4.0",
    "language": "en",
}


@pytest.fixture
def release():
    return freeze(collection=mills(record(title="A"), record(title="B")), version="1.0")


@pytest.fixture
def admin(client):
    signed_in(client, person("alice", Role.ADMIN))
    return client


def test_a_release_copies_the_description_and_keeps_it(admin):
    mills()
    assert admin.post("/collections/mills/description/", DESCRIPTION).status_code == 302
    kept = freeze(collection=Collection.objects.get(), version="1.0").about
    assert kept["creators"] == [
        {"name": "Ada Ash", "orcid": "0000-0002-1825-0097", "affiliation": "Mill Museum"},
        {"name": "} and Sons", "orcid": "", "affiliation": ""},
    ]
    admin.post("/collections/mills/description/", DESCRIPTION | {"title": "New mills"})
    page = admin.get(PAGE)
    assertContains(page, "Old mills")
    assertContains(page, r"author = {{Ada Ash} and {\textbraceright{} and Sons}}", html=False)
    assertContains(page, "Ada Ash, } and Sons (")


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("creators", "Ada | 0000-0002-1825-0098", "no ORCID"),
        ("creators", "| 0000-0002-1825-0097", "begins without a name"),
        ("creators", "Ada | A | B", "more than a name"),
        ("language", "english!", "language code"),
    ],
)
def test_a_description_that_cannot_be_read_is_kept_and_named(admin, field, value, says):
    mills()
    answer = admin.post("/collections/mills/description/", DESCRIPTION | {field: value})
    assertContains(answer, says, status_code=400)
    assertContains(answer, value, status_code=400)


def test_the_page_names_each_file_with_its_hash_and_how_to_load_it(admin, release):
    page = admin.get(PAGE)
    for file in release.files.all():
        assertContains(page, file.sha256)
        assertContains(page, file.name)
    assertContains(page, "json.load(open(&quot;mills-1.0-records.json&quot;")


def test_a_file_whose_format_is_no_more_stays(admin, release):
    release.files.filter(format="wikicontradict-csv").update(format="former-csv")
    assertContains(admin.get(PAGE), "a format that its collection has no more")
    answer = admin.get(f"{PAGE}files/former-csv/")
    assert answer["Content-Type"] == "application/octet-stream"
    assert b"".join(answer.streaming_content).startswith(b"question_ID")


def test_an_annotator_reads_the_page_and_gets_no_file(client, release):
    signed_in(client, person("anna", Role.ANNOTATOR))
    assertNotContains(client.get(PAGE), "/files/")
    assert client.get(FILE).status_code == 403


def fetched(client, **headers):
    answer = client.get(FILE, headers=headers)
    data = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer, data


def test_a_file_is_known_by_its_hash(admin, release):
    answer, data = fetched(admin)
    assert answer["ETag"] == f'"{release.sha256}"'
    assert answer["Content-Disposition"] == 'attachment; filename="mills-1.0-records.json"'
    assert int(answer["Content-Length"]) == len(data)
    again, _ = fetched(admin, if_none_match=answer["ETag"])
    assert again.status_code == 304
    other, _ = fetched(admin, if_none_match='"of-another-release"')
    assert other.status_code == 200


@pytest.mark.parametrize(
    ("asked", "part"),
    [("bytes=0-3", slice(0, 4)), ("bytes=10-", slice(10, None)), ("bytes=-5", slice(-5, None))],
)
def test_a_part_of_a_file_can_be_asked_for(admin, release, asked, part):
    _, whole = fetched(admin)
    answer, data = fetched(admin, range=asked)
    assert (answer.status_code, data) == (206, whole[part])
    first = range(len(whole))[part].start
    assert answer["Content-Range"] == f"bytes {first}-{first + len(data) - 1}/{len(whole)}"


@pytest.mark.parametrize(
    "headers",
    [
        {"range": "bytes=0-1,4-5"},
        {"range": "lines=0-1"},
        {"range": "bytes=-"},
        {"range": "bytes=5-2"},
        {"range": "bytes=0-3", "if_range": '"of-another-release"'},
    ],
)
def test_a_range_that_we_do_not_give_is_answered_with_the_whole_file(admin, release, headers):
    answer, data = fetched(admin, **headers)
    assert (answer.status_code, data) == (200, fetched(admin)[1])


def test_a_range_past_the_end_is_refused_with_the_size(admin, release):
    size = release.files.first().bytes
    answer, _ = fetched(admin, range=f"bytes={size}-")
    assert (answer.status_code, answer["Content-Range"]) == (416, f"bytes */{size}")


def test_a_doi_and_errata_are_added_later(admin, release):
    given = {"doi": "https://doi.org/10.5281/zenodo.1", "erratum": "Record 2 has a slip."}
    for _ in range(2):  # a double click adds one
        assert admin.post(f"{PAGE}amend/", given).status_code == 302
    page = admin.get(PAGE)
    assertContains(page, "Record 2 has a slip.", count=1)
    assertContains(page, "doi = {10.5281/zenodo.1}")
    for bad in ("zenodo", "10.5281/a}b"):
        answer = admin.post(f"{PAGE}amend/", {"doi": bad, "erratum": "Kept."})
        assertContains(answer, "Write a DOI", status_code=400)
        assertContains(answer, "Kept.", status_code=400)


def test_the_export_page_says_what_each_file_holds(admin, release):
    page = admin.get("/collections/mills/export/")
    for name in ("mills-records.json", "mills-questions.csv", "mills-complete.json"):
        assertContains(page, name)
    assertContains(page, "Leaves out", count=5)

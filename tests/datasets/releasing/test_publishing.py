"""Published releases: an address without signing in, withdrawn with a reason, and files that are withheld."""

import hashlib
import json
import re

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains

from accounts.models import AuditEvent
from accounts.roles import Role
from datasets.exclusions import exclude
from datasets.models import Collection, Publication, PublishedName
from datasets.records import current
from datasets.releasing import publishing, withholding
from datasets.releasing.freezing import freeze
from datasets.releasing.stored_files import path_of
from leases.refusal import Conflict, NotFoundHere, Refusal
from tests.datasets.factories import imported, mills, record
from tests.factories import person, signed_in
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db

PAGE = "/collections/mills/releases/1.0/"
NAMED = "/data/old-mills/1.0/"


@pytest.fixture
def alice():
    return person("alice", Role.ADMIN)


@pytest.fixture
def admin(client, alice):
    signed_in(client, alice)
    return client


@pytest.fixture
def release(alice):
    collection = mills(record(title="A"), record(title="B"))
    collection.title, collection.creators = (
        "Old mills",
        [{"name": "Ada Ash", "orcid": "", "affiliation": ""}],
    )
    collection.save()
    return freeze(collection=collection, version="1.0", by=alice)


@pytest.fixture
def named(release, alice):
    return publishing.publish(release, by=alice, name="old-mills")[0]


def tick(release):
    return {"read": publishing.digest_of(publishing.uses_of(release))}


def data(answer):
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


# ------------------------------------------------------------ publishing


def test_whoever_has_the_address_reads_the_release_and_nothing_of_the_program(admin, release):
    assert admin.post(f"{PAGE}publish/", tick(release)).status_code == 302
    shown = Publication.objects.get()
    assert len(shown.token) == 32
    address = f"/data/{shown.token}/1.0/"
    assertContains(admin.get(PAGE), f"http://testserver{address}")
    for reader in (Client(), admin):
        answer = reader.get(address)
        assertContains(answer, "Old mills")
        assertContains(answer, release.sha256)
        assertContains(answer, "Ada Ash")
        for text in (
            "alice",
            release.created_by.pseudonym,
            "/collections/",
            "<form",
            "<script src",
            "site-nav",
        ):
            assertNotContains(answer, text)
        assert not answer.cookies
        assert "noindex" in answer["X-Robots-Tag"]
        assert answer["Referrer-Policy"] == "no-referrer"
        assert "script-src 'self'" in answer["Content-Security-Policy"]


def test_a_named_address_may_be_listed(named):
    answer = Client().get(NAMED)
    assertNotContains(answer, "noindex")
    assert "X-Robots-Tag" not in answer


def test_each_file_is_there_by_itself(named):
    reader, release = Client(), named.release
    for file in release.files.all():
        answer = reader.get(f"{NAMED}{file.name}")
        assert answer["ETag"] == f'"{file.sha256}"'
        assert hashlib.sha256(data(answer)).hexdigest() == file.sha256
    sums = data(reader.get(f"{NAMED}SHA256SUMS")).decode().splitlines()
    assert len(sums) >= 10
    for line in sums:
        digest, _, path = line.partition("  ")
        answer = reader.get(f"{NAMED}{path}")
        assert not answer.cookies
        if path != "croissant.json":  # which has whole addresses here
            assert (answer["ETag"], hashlib.sha256(data(answer)).hexdigest()) == (
                f'"{digest}"',
                digest,
            )


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"if_none_match": '"of-another-release"'}, 200),
        ({"range": "bytes=0-3", "if_range": '"of-another-release"'}, 200),
        ({"range": "bytes=2-5"}, 206),
        ({"range": "bytes=99999999-"}, 416),
    ],
)
@pytest.mark.parametrize("part", ["mills-1.0-records.json", "data/questions.jsonl"])
def test_parts_of_a_file_are_given_out_as_asked(admin, named, part, headers, status):
    whole = data(Client().get(f"{NAMED}{part}"))
    answer = admin.get(f"{NAMED}{part}", headers=headers)
    assert answer.status_code == status
    past = f"The file has {len(whole):,} bytes, and this range begins after them.\n".encode()
    assert data(answer) == {200: whole, 206: whole[2:6], 416: past}[status]
    if status == 416:
        assert answer["Content-Range"] == f"bytes */{len(whole)}"


def test_croissant_has_whole_addresses(named):
    whole = json.loads(data(Client().get(f"{NAMED}croissant.json")))
    for file in whole["distribution"]:
        address = file["contentUrl"].removeprefix("http://testserver")
        assert hashlib.sha256(data(Client().get(address))).hexdigest() == file["sha256"]
    assert whole["url"] == f"http://testserver{NAMED}"


def linked(answer):
    [text] = re.findall(
        r'<script type="application/ld\+json">(.*?)</script>', answer.content.decode(), re.S
    )
    return json.loads(text)


def test_the_page_says_to_catalogues_what_it_is(alice):
    collection = mills()
    hostile = "</script><script>a()</script> & \u2028"
    Collection.objects.update(title=hostile, source="Ahrfeld", source_citation="Hou et al. 2024")
    release = freeze(
        collection=Collection.objects.get(pk=collection.pk), version="1.0", doi="10.5281/zenodo.1"
    )
    publishing.publish(release, by=alice, name="old-mills")
    answer = Client().get(NAMED)
    assert answer.content.count(b"<script") == 1
    assertContains(answer, "<bdi>Hou et al. 2024.</bdi>")
    assertContains(answer, '<dd dir="auto">Ahrfeld</dd>')
    found = linked(answer)
    assert found["name"] == " ".join(hostile.split())
    assert (found["@type"], found["url"]) == ("Dataset", f"http://testserver{NAMED}")
    assert found["identifier"] == "https://doi.org/10.5281/zenodo.1"
    assert found["isBasedOn"]["citation"] == found["citation"] == "Hou et al. 2024."
    for file in found["distribution"]:
        read = Client().get(file["contentUrl"].removeprefix("http://testserver"))
        if file["name"] != "croissant.json":  # which has whole addresses here
            assert hashlib.sha256(data(read)).hexdigest() == file["sha256"]
    assert found["license"] == [f"http://testserver{NAMED}LICENSES.md"]


def test_programs_in_pages_of_other_sites_read_what_is_public_and_nothing_else(admin, named):
    public = [NAMED, f"{NAMED}croissant.json", f"{NAMED}mills-1.0.zip", "/data/old-mills/"]
    for address in public:
        answer = Client().get(address)
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert data(answer)
    for address in (PAGE, "/data/none/", "/api/collections/", "/sign-in/"):
        assert "Access-Control-Allow-Origin" not in admin.get(address)


@pytest.mark.both
def test_all_versions_are_listed_the_latest_first(named, alice):
    second = freeze(collection=named.release.collection, version="2.0", doi="10.5281/zenodo.2")
    publishing.publish(second, by=alice, name="old-mills")
    publishing.withdraw(named.release, reason="Wrong <mill>.", by=alice)
    publishing.publish(named.release, by=alice, name="old-mills")
    publishing.withdraw(second, reason="Wrong <mill>.", by=alice)
    answer = Client().get("/data/old-mills/")
    page = answer.content.decode()
    assert page.index("/data/old-mills/2.0/") < page.index("/data/old-mills/1.0/")
    assert (page.count("Wrong &lt;mill&gt;."), page.count("        published ")) == (1, 1)
    assert "10.5281/zenodo.2" in page
    assert "X-Robots-Tag" not in answer
    assert "/data/old-mills/" in Client().get(NAMED).content.decode()
    assert Client().get("/data/none/").status_code == 404


def test_the_page_begins_with_what_it_is_and_how_to_cite_it(named):
    page = Client().get(NAMED).content.decode()
    wanted = ("<dt>Creators</dt>", "Licence of the annotations", "Cite it</h2>", "Files</h2>")
    assert sorted(wanted, key=page.index) == list(wanted)
    assert page.index("Cite it</h2>") < page.index("sha256 <code")


def test_what_is_not_in_the_release_is_not_found(named):
    assertContains(Client().get(f"{NAMED}data/none.jsonl"), "no such file", status_code=404)
    assert Client().get("/data/old-mills/2.0/").status_code == 404
    with pytest.raises(NotFoundHere):
        publishing.publication_at("x", "1.0")


@pytest.mark.both
def test_published_twice_it_has_one_address(admin, release, alice):
    first, made = publishing.publish(release, by=alice)
    again, made_again = publishing.publish(release, by=alice, name="other")
    assert (made, made_again, again) == (True, False, first)
    assertContains(admin.post(f"{PAGE}publish/", tick(release), follow=True), "published already")
    assert AuditEvent.objects.filter(kind="publish").count() == 1
    with pytest.raises(IntegrityError), transaction.atomic():
        Publication.objects.create(release=release, token="x", version="1.0", published_by=alice)


def test_the_name_of_another_collection_is_refused_also_once_it_is_withdrawn(named, alice):
    other = freeze(collection=imported(record(), into="others").collection, version="1.0")
    publishing.withdraw(named.release, reason="An error.", by=alice)
    with pytest.raises(Conflict, match="another collection"):
        publishing.publish(other, by=alice, name="old-mills")
    with pytest.raises(IntegrityError), transaction.atomic():  # also of two at the same moment
        PublishedName.objects.create(name="old-mills", collection=other.collection)
    assert publishing.publish(named.release, by=alice, name="old-mills")[1]


@pytest.mark.parametrize("name", ["Old Mills", "a/b", "-x", "x" * 61])
def test_what_is_no_name_is_refused_and_kept_in_the_form(admin, release, alice, name):
    with pytest.raises(Refusal, match="lower-case"):
        publishing.publish(release, by=alice, name=name)
    answer = admin.post(f"{PAGE}publish/", {**tick(release), "name": name})
    assertContains(answer, name, status_code=400)
    assert not Publication.objects.exists()


def test_who_still_works_with_it_is_said_before_and_asks_for_a_tick(admin, release):
    run, asked = judging.run("of mills"), current(release.collection).first().instances.first()
    judging.response(run, asked, "passage-1", judging.language_model())
    study = judging.open_study("bob", "carol", drawn_from=run)
    assertContains(admin.get(f"{PAGE}publish/"), f"The study {study.name} is open and uses it.")
    for given in ({}, {"read": publishing.digest_of([])}):
        answer = admin.post(f"{PAGE}publish/", {**given, "name": "old-mills"})
        assertContains(answer, "tick that you have", status_code=400)
        assertContains(answer, 'value="old-mills"', status_code=400)
    assert admin.post(f"{PAGE}publish/", tick(release)).status_code == 302


def test_a_reason_that_names_somebody_is_pointed_out_before_it_is_public(admin, alice):
    collection = mills(record(title="A"), record(title="B"))
    asked = current(collection).first().instances.first()
    exclude(instance=asked, reason="As alice said.", by=person("bob", Role.ADMIN))
    made = freeze(collection=collection, version="1.0")
    assertContains(admin.get(f"{PAGE}publish/"), "<mark>alice</mark>")
    publishing.publish(made, by=alice, name="old-mills")
    assertContains(Client().get(NAMED), "As alice said.")


# ------------------------------------------------------------ withdrawing


def test_a_withdrawn_release_says_why_at_its_old_address(admin, named):
    assert admin.post(f"{PAGE}withdraw/", {"reason": " "}).status_code == 400
    assert Client().get(NAMED).status_code == 200
    for reason in ("Record 2 is <wrong>.", "Another."):
        assert admin.post(f"{PAGE}withdraw/", {"reason": reason}).status_code == 302
    for part in ("", "mills-1.0-records.json", "data/questions.jsonl", "none"):
        gone = Client().get(f"{NAMED}{part}")
        for text in ("Record 2 is &lt;wrong&gt;.", "1.0", named.release.sha256):
            assertContains(gone, text, status_code=410)
        assertNotContains(gone, "Another.", status_code=410)
        assert "noindex" in gone["X-Robots-Tag"]
    assert AuditEvent.objects.filter(about="release 1.0 of mills, withdrawn").count() == 1
    assertContains(admin.get(PAGE), "Record 2 is &lt;wrong&gt;.")


def test_the_newer_release_is_named_where_its_address_is(named, alice):
    imported(record(title="C"))
    newer = freeze(collection=named.release.collection, version="1.1")
    publishing.withdraw(named.release, reason="An error.", by=alice)
    secret, _ = publishing.publish(newer, by=alice)
    assertNotContains(Client().get(NAMED), secret.token, status_code=410)
    publishing.withdraw(newer, reason="For a name.", by=alice)
    publishing.publish(newer, by=alice, name="old-mills")
    assertContains(Client().get(NAMED), "/data/old-mills/1.1/", status_code=410)


def test_nothing_is_withdrawn_that_was_not_published_or_without_a_reason(admin, release, alice):
    assert admin.get(f"{PAGE}withdraw/").status_code == 409
    with pytest.raises(Conflict, match="not published"):
        publishing.withdraw(release, reason="x", by=alice)
    row, _ = publishing.publish(release, by=alice)
    with pytest.raises(Refusal, match="Give a reason"):
        publishing.withdraw(release, reason=" \x00", by=alice)
    with pytest.raises(IntegrityError), transaction.atomic():
        Publication.objects.filter(pk=row.pk).update(withdrawn_at="2027-01-01T00:00Z")


# ------------------------------------------------------------ damaged and withheld files


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: b"x" * len(data)])
def test_a_damaged_file_is_not_given_out_and_says_so(named, damage):
    address = f"{NAMED}mills-1.0-records.json"
    assert len(data(Client().get(address))) > 100
    path = path_of(named.release.sha256)
    path.write_bytes(damage(path.read_bytes()))
    assertContains(Client().get(address), "This file is damaged here", status_code=500)
    assert Client().get(NAMED).status_code == 200


def withheld(release):
    withholding.withhold([current(release.collection).first()], withholding.HIDDEN, by=None)


def test_withheld_files_are_given_out_nowhere_and_the_pages_say_why(admin, named):
    withheld(named.release)
    for address in (f"{PAGE}files/bundle/", f"{NAMED}mills-1.0.zip", f"{NAMED}data/records.jsonl"):
        assertContains(admin.get(address), "its wiki has hidden the text", status_code=410)
    for page in (PAGE, NAMED):
        answer = admin.get(page)
        assertContains(answer, "not given out any more: its wiki has hidden the text")
        assertContains(answer, named.release.sha256)
    assertNotContains(Client().get(NAMED), "mills-1.0.zip")


def test_a_release_without_that_text_is_proposed(admin, named):
    withheld(named.release)
    page = admin.get(PAGE)
    assertContains(page, "Freeze version 1.1 without 1 such record")
    admin.post(
        "/collections/mills/releases/", {"version": "1.1", "notes": page.context["collection"].name}
    )
    made = named.release.collection.releases.get(version="1.1")
    assert [row.contradiction.title for row in made.rows.all()] == ["B"]
    assert len(data(admin.get("/collections/mills/releases/1.1/files/bundle/"))) > 1000
    exported = data(admin.get("/collections/mills/export/wikicontradict-json/"))
    assert [one["title"] for one in json.loads(exported)] == ["B"]


def test_the_files_are_deleted_once_an_admin_confirms_and_the_rows_stay(admin, named):
    release = named.release
    assert admin.post(f"{PAGE}delete-files/").status_code == 409
    withheld(release)
    paths = [path_of(file.sha256) for file in release.files.all()]
    assert admin.get(f"{PAGE}delete-files/").status_code == 200
    assert all(path.exists() for path in paths)
    for _ in range(2):
        assert admin.post(f"{PAGE}delete-files/").status_code == 302
    assert not any(path.exists() for path in paths)
    for page in (PAGE, NAMED):
        assertContains(admin.get(page), "The files of this release were deleted")
    assert release.files.count() == 4
    assert AuditEvent.objects.filter(about="files of release 1.0 of mills deleted").count() == 1


@pytest.mark.parametrize(
    ("version", "following"),
    [
        ("1.0", "1.1"),
        ("2", "3"),
        ("1.9", "1.10"),
        ("first", "first-2"),
        ("v1", "v2"),
        ("a" * 39 + "9", "a" * 38 + "10"),
    ],
)
def test_the_next_version_raises_the_last_number(version, following):
    assert withholding.next_version(freeze(collection=mills(), version=version)) == following

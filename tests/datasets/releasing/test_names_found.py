"""Names are looked for before a freeze, and the admin goes on or back."""

import re

import pytest
from pytest_django.asserts import assertContains, assertNotContains

from accounts.models import Person
from accounts.roles import Role
from datasets.models import Collection, Publication, Release
from datasets.releasing import forgotten_names
from datasets.releasing.forgotten_names import ForgottenNames
from datasets.releasing.freezing import freeze
from datasets.releasing.names_found import names_in
from datasets.releasing.publishing import digest_of, uses_of
from operations.forgetting import forget
from tests.datasets.factories import annotation, mills, record
from tests.factories import person, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    person("grace.ho", Role.ANNOTATOR, name="Grace Ho")
    return person("alice", Role.ADMIN)


def commented(text):
    return mills(record(given=annotation(valid_comment=text)))


@pytest.mark.both
@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("As Grace Ho said.", "Grace Ho"),
        ("as GRACE HO said", "GRACE HO"),
        ("Ask grace.ho about it.", "grace.ho"),
        ("Write to editor@example.org.", "editor@example.org."),
        ("Added by [[User:Miller|Miller]].", "User:Miller"),
        ("See User talk:Miller", "User talk:Miller"),
        ("Grace under pressure.", None),
        ("The user said so.", None),
        ("", None),
    ],
)
def test_what_names_somebody_is_listed(admin, text, marked):
    found = names_in(commented(text), admin)
    names = [piece.text for place in found.places for piece in place.pieces if piece.names]
    assert names == ([marked] if marked else [])
    assert bool(found.digest) == bool(marked)


def test_the_admin_reads_them_before_the_freeze(client, admin):
    commented("As Grace Ho said.")
    signed_in(client, admin)
    address, given = "/collections/mills/releases/", {"version": "1.0", "notes": "My notes"}
    for read in ("", "another"):
        answer = client.post(address, given | {"names_read": read})
        assertContains(answer, "<mark>Grace Ho</mark>", status_code=400)
        assertContains(answer, "My notes", status_code=400)
    assert not Release.objects.exists()
    found = names_in(Release.collection.field.related_model.objects.get(), admin)
    assert client.post(address, given | {"names_read": found.digest}).status_code == 302
    assert Release.objects.get().version == "1.0"


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("As Grace Ho said.", "Grace Ho"),
        ("by GRACE  HO.", "GRACE  HO"),
        ("Mail grace.ho@mills.example now", "grace.ho"),
        ("Grace under pressure, Ho!", None),
        ("", None),
    ],
)
def test_a_name_that_only_its_hash_knows_is_found(admin, text, marked):
    forget(Person.objects.get(username="grace.ho"))
    found = ForgottenNames().found(text)
    assert (next(iter(found.certain)) if found else None) == marked
    assert "race" not in str(Person.objects.exclude(forgotten_at=None).values().get())
    names = names_in(commented(text), admin)
    assert bool(names.digest) == bool(marked)


def test_a_word_that_begins_no_name_is_hashed_once(admin, monkeypatch):
    forget(Person.objects.get(username="grace.ho"))
    hashed = []
    hashing = forgotten_names.salted_hmac
    monkeypatch.setattr(
        forgotten_names,
        "salted_hmac",
        lambda *of, **more: hashed.append(of) or hashing(*of, **more),
    )
    names = ForgottenNames()
    assert not any(names.found("The mill and the river of the mill.") for _ in range(9))
    assert len(hashed) == 5


def test_who_was_forgotten_is_looked_for_before_a_frozen_release_is_published(client, admin):
    ida = person("ida.roe", name="Ida Roe")
    given = annotation(
        qa_comment="As Grace Ho said.",
        question1="Is Grace Ho’s mill old?",
        paragraphA_information_standalone="Grace Ho’s mill was built in 1791.",
    )
    collection = mills(record(given=given))
    Collection.objects.update(
        title="Mills of Grace Ho and Ida Roe",
        contact="Grace.Ho@mills.example",
        creators=[{"name": "Grace Ho", "orcid": "", "affiliation": ""}],
    )
    release = freeze(collection=Collection.objects.get(pk=collection.pk), version="1.0")
    signed_in(client, admin)
    address, said = "/collections/mills/releases/1.0/publish/", "who was forgotten"
    assertNotContains(client.get(address), said)
    before = digest_of(uses_of(release))
    forget(Person.objects.get(username="grace.ho"))
    page = client.post(address, {"read": before})
    assertContains(page, said, status_code=400)
    places = ", question:", ", comment on the questions:", ", stand-alone passage 1:"
    for where in ("Title", "Contact", "Creators", *places):
        assertContains(page, where, status_code=400)
    assertContains(page, "<mark>Grace Ho</mark>", count=5, status_code=400)
    assert not Publication.objects.exists()
    [read] = re.findall(r'name="read" value="(\w+)"', page.content.decode())
    forget(ida)
    page = client.post(address, {"read": read})
    assertContains(page, "<mark>Ida Roe</mark>", status_code=400)
    [read] = re.findall(r'name="read" value="(\w+)"', page.content.decode())
    assert client.post(address, {"read": read}).status_code == 302
    assert Publication.objects.exists()

"""Names are looked for before a freeze, and the admin goes on or back."""

import pytest
from pytest_django.asserts import assertContains

from accounts.roles import Role
from datasets.models import Release
from datasets.releasing.names_found import names_in
from tests.datasets.factories import annotation, mills, record
from tests.factories import person, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    person("grace.ho", Role.ANNOTATOR, name="Grace Ho")
    return person("alice", Role.ADMIN)


def commented(text):
    return mills(record(given=annotation(valid_comment=text)))


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

"""What changed between two releases: added, gone, new versions with their words, questions left out."""

import pytest
from pytest_django.asserts import assertContains, assertNotContains

from accounts.roles import Role
from datasets import exclusions
from datasets.models import Instance
from datasets.records import current
from datasets.releasing.comparing import ADDED, CHANGED, GONE, changes, left_out_since
from datasets.releasing.freezing import freeze
from tests.datasets.factories import edited, imported, mills, record
from tests.factories import person, signed_in

pytestmark = [pytest.mark.both, pytest.mark.django_db]


@pytest.fixture
def two():
    collection = mills(record(title="A"), record(title="B"))
    old = freeze(collection=collection, version="1.0")
    edited(current(collection).first(), title="A, corrected")
    imported(record(title="C"))
    question = Instance.objects.get(contradiction=current(collection)[1])
    exclusions.exclude(instance=question, reason="Too easy.", by=person("olga", Role.ADMIN))
    return old, freeze(collection=collection, version="2.0")


def test_records_are_told_apart_by_their_place(two):
    old, new = two
    assert [(change.kind, change.position) for change in changes(old, new)] == [
        (CHANGED, 0),
        (ADDED, 2),
    ]
    assert [change.kind for change in changes(new, old)] == [CHANGED, GONE]
    assert changes(new, new) == []


def test_questions_left_out_since_are_counted_both_ways(two):
    old, new = two
    [question] = new.left_out.values_list("instance_id", flat=True)
    assert left_out_since(old, new) == ({question}, set())
    assert left_out_since(new, old) == (set(), {question})


def test_the_page_compares_the_words(client, two):
    signed_in(client, person("rita", Role.RESEARCHER))
    page = client.get("/collections/mills/releases/2.0/since/1.0/")
    assertContains(page, "<dt>Records added</dt><dd>1</dd>")
    assertContains(page, "<code>title</code>")
    assertContains(page, ", corrected</ins>")
    assertContains(client.get("/collections/mills/releases/2.0/"), "/releases/2.0/since/1.0/")
    assertNotContains(client.get("/collections/mills/releases/1.0/"), "/since/")
    assert client.get("/collections/mills/releases/2.0/since/3.0/").status_code == 404

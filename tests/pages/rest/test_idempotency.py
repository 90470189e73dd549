"""What was sent twice with one key is done once."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import KeptAnswer
from accounts.rates import JOBS, Rate
from accounts.roles import Role
from accounts.tasks import sweep_doors
from datasets.models import Collection
from leases.clock import in_seconds
from pages.rest import idempotency
from tests.accounts.factories import bearer
from tests.factories import person

pytestmark = [pytest.mark.both, pytest.mark.django_db, pytest.mark.urls("tests.pages.rest.urls")]

MILLS = "/api/mills/"


@pytest.fixture
def program():
    return Client(headers=bearer(person("rosa", Role.RESEARCHER)))


def make(client, name="weir", key="k-1", **more):
    headers = {"Idempotency-Key": key} if key else {}
    body = {"name": name, **more}
    return client.post(MILLS, body, content_type="application/json", headers=headers)


def test_the_second_request_gets_the_first_ones_answer(program):
    first, again = make(program), make(program)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json() == {"name": "weir", "title": ""}
    assert (first.get("Idempotency-Replayed"), again["Idempotency-Replayed"]) == (None, "true")
    assert Collection.objects.count() == 1
    assert make(program, key="k-2").status_code == 409


def test_another_body_or_address_with_the_key_is_refused(program):
    make(program)
    other = make(program, "mill")
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    elsewhere = program.post("/api/imports/", {"name": "x"}, headers={"Idempotency-Key": "k-1"})
    assert elsewhere.status_code in (400, 422)
    assert Collection.objects.count() == 1


def test_a_key_is_its_persons(program):
    make(program)
    other = Client(headers=bearer(person("ruth", Role.RESEARCHER)))
    assert make(other, "mill").status_code == 201


def test_a_refused_request_may_be_sent_again(program):
    Collection.objects.create(name="weir")
    assert make(program).status_code == 409
    Collection.objects.all().delete()
    assert make(program).status_code == 201


def test_a_refused_request_counts_and_one_that_is_sent_again_does_not(program, monkeypatch):
    monkeypatch.setitem(JOBS, "imports", (Rate(2, 60),))
    answers = [make(program, key=key) for key in ("k-1", "k-1", "k-2", "k-3")]
    assert [answer.status_code for answer in answers] == [201, 201, 409, 429]
    assert make(program, key="").status_code == 429


def test_after_a_day_a_key_is_as_new(program):
    make(program)
    Collection.objects.all().delete()
    KeptAnswer.objects.update(at=in_seconds(-idempotency.KEPT_FOR - 1))
    assert make(program).status_code == 201
    assert Collection.objects.count() == 1


def test_answers_are_swept_after_a_day(program):
    make(program)
    sweep_doors()
    assert KeptAnswer.objects.count() == 1
    KeptAnswer.objects.update(at=in_seconds(-idempotency.KEPT_FOR - 1))
    sweep_doors()
    assert not KeptAnswer.objects.exists()


@pytest.mark.parametrize("key", ["a b", "x" * 101, "é"])
def test_a_key_that_cannot_be_one_is_refused(program, key):
    assert make(program, key=key).status_code == 400
    assert not Collection.objects.exists()


def test_files_are_compared_by_their_contents(program):
    def send(text):
        file = SimpleUploadedFile("weir.txt", text)
        return program.post(
            "/api/imports/", {"name": "weir", "file": file}, headers={"Idempotency-Key": "k-1"}
        )

    assert [send(text).status_code for text in (b"One", b"One", b"Two")] == [204, 204, 422]
    assert Collection.objects.get().title == "One"

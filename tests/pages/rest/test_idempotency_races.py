"""Two requests with one Idempotency-Key at the same time."""

import pytest
from django.test import Client

from accounts.roles import Role
from datasets.models import Collection
from tests.accounts.factories import bearer
from tests.factories import person
from tests.races import at_once

pytestmark = [
    pytest.mark.both,
    pytest.mark.alone,
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.pages.rest.urls"),
]


def test_two_at_once_are_done_once():
    headers = bearer(person("rosa", Role.RESEARCHER)) | {"Idempotency-Key": "k-1"}
    answers = []

    def send():
        sent = {"name": "weir"}
        answers.append(
            Client().post("/api/mills/", sent, content_type="application/json", headers=headers)
        )

    assert at_once(send, send, send) == [None] * 3
    assert [answer.status_code for answer in answers] == [201] * 3
    assert [answer.get("Idempotency-Replayed") for answer in answers].count(None) == 1
    assert Collection.objects.count() == 1

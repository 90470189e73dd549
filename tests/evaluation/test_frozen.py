"""Snapshots of every format that was ever written: read as they were, by the program as it is."""

import json

import pytest

from accounts.roles import Role
from evaluation.models import ReportSnapshot
from tests.evaluation import frozen
from tests.factories import PASSWORD, person
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db


@pytest.fixture(params=frozen.numbers())
def number(request):
    return request.param


@pytest.fixture
def snapshot(client, number):
    rita = person("rita", Role.RESEARCHER)
    client.login(username="rita", password=PASSWORD)
    body = frozen.body(number)
    made_of = body["snapshot"]
    return ReportSnapshot.objects.create(
        study=judging.draft(),
        body=body,
        rows_hash=made_of["sha256"],
        app_version=made_of["app_version"],
        created_by=rita,
    )


def test_the_page_still_shows_every_table(client, snapshot):
    page = client.get(f"/reports/snapshots/{snapshot.pk}/").content.decode()
    for line in snapshot.body["tables"][0]["lines"]:
        assert line["model"] in page
    for prompt in snapshot.body["prompts"]:
        assert prompt["title"] in page


def test_the_json_is_what_was_frozen(client, snapshot, number):
    kept = json.loads(client.get(f"/reports/snapshots/{snapshot.pk}.json").content)
    kept["snapshot"].pop("id")
    body = frozen.body(number)
    body["snapshot"].pop("id")
    assert kept == body


def test_the_sheets_are_equal_to_the_byte(client, snapshot, number):
    for file in frozen.folder(number).glob("*.csv"):
        answer = client.get(f"/reports/snapshots/{snapshot.pk}/{file.name}")
        assert b"".join(answer.streaming_content) == file.read_bytes()

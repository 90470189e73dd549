"""The API of the autosave."""

import pytest
from django.urls import reverse

from annotation.models import Annotation
from tests.annotation import factories as make

pytestmark = pytest.mark.django_db


def address(annotation):
    return reverse("annotation:api_draft", args=[annotation.pk])


def patch(client, annotation, version, **entries):
    return client.patch(
        address(annotation),
        {"entries": entries},
        content_type="application/json",
        headers={"if-match": f'"{version}"'},
    )


def test_a_save_is_answered_with_its_version(client, draft):
    response = patch(client, draft, 0, validity="Valid", span_1="x")
    data = response.json()
    assert (response.status_code, data["version"]) == (200, 1)
    assert data.keys() == {"version", "saved_at", "state", "notices", "warnings"}


def test_a_stale_save_is_answered_with_both_texts(client, draft):
    patch(client, draft, 0, span_1="theirs")
    response = patch(client, draft, 0, span_1="mine")
    assert response.status_code == 412
    details = response.json()["details"]
    assert (details["version"], details["fields"]) == (1, ["span_1"])
    assert (details["mine"]["span_1"], details["theirs"]["span_1"]) == ("mine", "theirs")
    assert details["filled"] == Annotation.objects.get().filled != []


def test_a_save_needs_the_version_it_was_made_from(client, draft):
    response = client.patch(address(draft), {"entries": {}}, content_type="application/json")
    assert response.status_code == 428
    assert "If-Match" in response.json()["error"]


def test_invalid_values_are_refused_by_field_and_nothing_is_stored(client, draft):
    response = patch(client, draft, 0, span_1="kept?", passage_1_copied="x" * 1_048_576)
    assert response.status_code == 400
    assert list(response.json()["fields"]) == ["passage_1_copied"]
    assert Annotation.objects.get().span_1 == ""


def test_control_characters_are_removed_and_reported(client, draft):
    response = patch(client, draft, 0, span_1="a\x00b")
    assert response.json()["notices"] == [
        "1 control character taken out of “Contradicted span of passage 1”."
    ]
    assert Annotation.objects.get().span_1 == "ab"


@pytest.mark.parametrize(
    "body", ["[]", "{}", "not json", '{"entries": 3}', '{"entries": {}, "seconds": -1}']
)
def test_other_shapes_are_refused(client, draft, body):
    response = client.patch(
        address(draft), body, content_type="application/json", headers={"if-match": '"0"'}
    )
    assert response.status_code == 400


def test_somebody_else_s_draft_is_not_found(client, draft):
    client.force_login(make.annotator("bob"))
    assert client.get(address(draft)).status_code == 404
    assert patch(client, draft, 0, span_1="mine").status_code == 404
    assert patch(client, draft, 0, span_1="x" * 5_000).status_code == 404


def raw(client, annotation, body, version="0"):
    headers = {"if-match": version}
    return client.patch(address(annotation), body, content_type="application/json", headers=headers)


@pytest.mark.parametrize(
    ("body", "version", "status"),
    [
        ('{"entries": {}}', "9" * 5_000, 428),
        ('{"entries": {"\\ud800\\u0000x": "a"}}', "0", 400),
        ('{"entries": ' + "[" * 100_000, "0", 400),
        ('{"entries": {"confidence": ' + "9" * 5_000 + "}}", "0", 400),
        ('{"entries": {}, "seconds": 1e999}', "0", 400),
    ],
)
def test_a_body_that_no_form_sends_is_answered_with_a_sentence(
    client, draft, body, version, status
):
    answer = raw(client, draft, body, version)
    assert answer.status_code == status
    assert answer.json()

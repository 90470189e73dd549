"""Limits on the size and the address of a request."""

import pytest

from accounts.roles import Role
from pages import middleware
from tests.factories import person
from wikifetch.forms import MAX_UPLOAD_MB

MULTIPART = "multipart/form-data; boundary=x"
FORM = "application/x-www-form-urlencoded"
JSON = "application/json"


def announced(client, path, size, content_type):
    """A POST with this Content-Length and no body, which is enough for a refusal."""
    return client.generic("POST", path, CONTENT_TYPE=content_type, CONTENT_LENGTH=str(size))


@pytest.mark.django_db
@pytest.mark.parametrize("content_type", [MULTIPART, FORM, JSON])
def test_a_stranger_sends_no_more_than_a_sign_in_takes(client, content_type):
    assert (
        announced(client, "/sign-in/", middleware.SIGNED_OUT + 1, content_type).status_code == 413
    )
    assert client.post("/sign-in/", {"username": "x" * 60_000}).status_code == 200


@pytest.mark.django_db
def test_only_an_upload_may_be_large(client, settings):
    client.force_login(person("anna", Role.ANNOTATOR))
    largest = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    refused = announced(client, "/api/drafts/1/", largest + 1, JSON)
    assert refused.status_code == 413
    assert "larger than 12 MB" in refused.json()["error"]
    assert announced(client, "/collections/new/import/", largest + 1, MULTIPART).status_code == 403
    assert announced(client, "/tags/", middleware.UPLOAD + 1, MULTIPART).status_code == 413


def test_the_largest_export_that_the_form_takes_is_within_the_limit():
    assert middleware.UPLOAD > MAX_UPLOAD_MB * 1024**2


@pytest.mark.both
@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    [
        "/collections/%00/",
        "/collections/%00/export/wikicontradict-json/",
        "/collections/mills/?q=%00",
        "/reports/1/rows.csv?prompt=%00",
        "/annotate/guideline/a%00b/",
        "/api/collections/%00/records/",
    ],
)
def test_an_address_with_a_nul_is_refused_on_every_database(client, address):
    client.force_login(person("max", *Role))
    assert client.get(address).status_code == 400

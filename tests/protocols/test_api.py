"""Operations on protocols."""

import hashlib

import pytest

from accounts.roles import Role
from protocols.models import Protocol
from protocols.reading import LARGEST
from protocols.shipped import file_of
from tests.factories import person, signed_in
from tests.protocols.factories import TEXT, changed, installed

pytestmark = pytest.mark.django_db

PROTOCOLS = "/api/protocols/"


@pytest.fixture
def olga(client):
    return signed_in(client, person("olga", Role.ADMIN))


def post(client, address, **sent):
    return client.post(address, sent, content_type="application/json")


def test_installed_protocols_are_listed_and_read(client, olga):
    row = installed()
    (only,) = client.get(PROTOCOLS).json()["results"]
    assert (only["name"], only["version"], only["sha256"]) == ("mills", 1, row.sha256)
    one = client.get(f"{PROTOCOLS}mills/1/").json()
    assert [field["name"] for field in one["record_fields"]][:2] == ["mill", "question"]
    assert (one["is_installed"], one["licence"]) == (True, "CC0")
    offered = {
        (one["name"], one["version"])
        for one in client.get(f"{PROTOCOLS}offered/").json()["protocols"]
    }
    assert ("conflictbank", 1) in offered
    assert client.get(f"{PROTOCOLS}conflictbank/1/").json()["is_installed"] is False
    assert client.get(f"{PROTOCOLS}mills/2/").status_code == 404


def test_a_file_comes_byte_for_byte(client, olga):
    answer = client.get(f"{PROTOCOLS}conflictbank/1/file/")
    data = b"".join(answer.streaming_content)
    assert data == file_of("conflictbank")
    digest = hashlib.sha256(data).hexdigest()
    assert answer["ETag"] == f'"{digest}"'
    known = client.get(
        f"{PROTOCOLS}conflictbank/1/file/", headers={"If-None-Match": answer["ETag"]}
    )
    assert known.status_code == 304


def test_a_file_is_checked_without_being_stored(client, olga):
    good = post(client, f"{PROTOCOLS}check/", text=TEXT).json()
    assert (good["protocol"]["name"], good["faults"], good["may_install"]) == ("mills", [], True)
    bad = post(client, f"{PROTOCOLS}check/", text=changed('type = "list"', 'type = "lists"')).json()
    assert (bad["protocol"], bad["may_install"]) == (None, False)
    (fault,) = bad["faults"]
    assert (fault["key"], fault["line"] is not None) == ("type", True)
    assert fault["sentence"].startswith(f"line {fault['line']}, ")
    assert not Protocol.objects.exists()


def test_a_file_is_installed_once(client, olga):
    first = post(client, PROTOCOLS, text=TEXT, file_name="mills.toml")
    assert (first.status_code, first.json()["is_new"]) == (201, True)
    again = post(client, PROTOCOLS, text=TEXT, file_name="mills.toml")
    assert (again.status_code, again.json()["is_new"]) == (201, False)
    row = Protocol.objects.get()
    assert (row.installed_by, row.text) == (olga, TEXT)


def test_a_file_with_faults_is_not_installed(client, olga):
    answer = post(client, PROTOCOLS, text="[protocol]\n", file_name="mills.toml")
    assert answer.status_code == 400
    assert answer.json()["error"] == "mills.toml is no protocol. Nothing was installed."
    assert answer.json()["details"]
    assert not Protocol.objects.exists()


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({}, "text"),
        ({"text": 5.5, "file_name": []}, "file_name"),
        ({"text": "a" * (LARGEST + 1)}, "text"),
    ],
)
def test_what_is_no_file_is_refused(client, olga, sent, field):
    answer = post(client, PROTOCOLS, **sent)
    assert answer.status_code == 400
    assert field in answer.json()["fields"]

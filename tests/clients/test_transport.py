"""The client's requests: the token, waits, pages and files."""

import hashlib

import pytest
import requests
from sicetnon import ApiError, AsksFirst, Client, HashDiffers, StaleVersion
from sicetnon.transport import whole_file

from tests.clients.scripted import ADDRESS, scripted

BUSY = (429, {"error": "Wait.", "code": "too_many", "retry": True}, {"Retry-After": "7"})
OUTAGE = (503, {"error": "The database is away.", "code": "outage", "retry": True}, {})
ROWS = (200, {"results": [{"id": 1}, {"id": 2}], "next": f"{ADDRESS}/api/tags/?cursor=x"}, {})
LAST = (200, {"results": [{"id": 3}], "next": None}, {})


def test_every_request_has_the_token(monkeypatch, tmp_path):
    """Also where a .netrc has a password for the host."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine sicetnon.example login alice password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    client, server, _ = scripted(LAST)
    client.get("/api/tags/")
    assert server.asked[0].headers["Authorization"] == "Bearer sicetnon_secret"


def test_a_redirect_to_another_host_gets_no_token():
    client, server, _ = scripted((302, {}, {"Location": "https://elsewhere.example/"}), LAST)
    client.get("/api/tags/")
    assert [asked.headers.get("Authorization") for asked in server.asked][1] is None


@pytest.mark.parametrize(
    "address", ["http://sicetnon.example", "sicetnon.example", "ftp://localhost"]
)
def test_a_token_goes_nowhere_in_the_clear(address):
    with pytest.raises(ValueError, match="https"):
        Client(address, "secret")


def test_a_list_is_read_to_its_end():
    client, server, _ = scripted(ROWS, LAST)
    assert [row["id"] for row in client.rows("/api/tags/", state="live")] == [1, 2, 3]
    assert [asked.url for asked in server.asked] == [
        f"{ADDRESS}/api/tags/?state=live",
        f"{ADDRESS}/api/tags/?cursor=x",
    ]


def test_an_address_may_be_written_with_capitals():
    assert Client("HTTPS://Sicetnon.Example/sub/", "secret").address == ADDRESS


def test_a_next_page_on_another_host_is_not_asked_for():
    elsewhere = (200, {"results": [], "next": "https://elsewhere.example/api/"}, {})
    client, server, _ = scripted(elsewhere)
    with pytest.raises(ValueError, match="elsewhere"):
        list(client.rows("/api/tags/"))
    assert len(server.asked) == 1


def test_it_waits_as_long_as_the_server_says():
    client, server, waits = scripted(BUSY, OUTAGE, BUSY, LAST)
    assert client.get("/api/tags/") == LAST[1]
    assert waits == [7, 5, 7]
    assert len(server.asked) == 4


def test_it_waits_no_longer_than_its_patience():
    client, _, waits = scripted(BUSY, BUSY, BUSY, patience=15)
    with pytest.raises(ApiError, match=r"429: Wait\.") as error:
        client.get("/api/tags/")
    assert waits == [7, 7]
    assert (error.value.code, error.value.retry) == ("too_many", True)


def test_a_refusal_names_the_fields():
    client, _, waits = scripted((400, {"error": "No.", "fields": {"verdict": ["Unknown."]}}, {}))
    with pytest.raises(ApiError, match=r"verdict.*Unknown"):
        client.post("/api/x/")
    assert waits == []


BROKEN = requests.ConnectionError("Remote end closed connection without response")


@pytest.mark.parametrize(
    "ask",
    [
        lambda client: client.get("/api/tags/"),
        lambda client: client.post("/api/runs/", **{"Idempotency-Key": "k"}),
    ],
)
def test_what_is_safe_to_repeat_is_sent_again_after_a_broken_connection(ask):
    client, server, waits = scripted(BROKEN, BROKEN, LAST)
    assert ask(client) == LAST[1]
    assert (len(server.asked), waits) == (3, [1, 5])
    client, *_ = scripted(BROKEN, BROKEN, BROKEN)
    with pytest.raises(requests.ConnectionError):
        ask(client)


def test_what_might_be_done_twice_is_not_sent_again():
    client, server, waits = scripted(BROKEN, LAST)
    with pytest.raises(requests.ConnectionError):
        client.post("/api/slots/x/judge/")
    assert (len(server.asked), waits) == (1, [])


@pytest.mark.parametrize("body", [b"<html>", [1], {}])
def test_an_answer_that_is_no_error_of_the_api_is_an_error_all_the_same(body):
    client, _, _ = scripted((500, body, {}))
    with pytest.raises(ApiError) as error:
        client.get("/api/x/")
    assert error.value.status == 500


def test_an_older_version_brings_both_sides():
    client, _, _ = scripted((412, {"error": "Stale.", "details": {"version": 3}}, {}))
    with pytest.raises(StaleVersion) as error:
        client.post("/api/x/")
    assert error.value.details == {"version": 3}


def test_nothing_is_agreed_to_unasked():
    agree = {"post_to": "/sub/api/shown/", "fields": {"tags": "4"}}
    client, server, _ = scripted((409, {"error": "See?", "agree": agree}, {}), (200, {}, {}))
    with pytest.raises(AsksFirst) as error:
        client.get("/api/reports/1/")
    assert len(server.asked) == 1
    client.agree(error.value)
    assert (server.asked[1].method, server.asked[1].url) == ("POST", f"{ADDRESS}/api/shown/")
    assert server.asked[1].body == b'{"tags": "4"}'


def test_a_file_is_written_whole(tmp_path):
    content = b"zip" * 100_000
    client, _, _ = scripted((200, content, {}))
    sha256 = hashlib.sha256(content).hexdigest()
    target = client.download("/api/files/x.zip", tmp_path / "x.zip", sha256=sha256)
    assert target.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["x.zip"]


def test_a_file_with_another_hash_is_not_kept(tmp_path):
    (tmp_path / "x.zip").write_bytes(b"the one before")
    client, _, _ = scripted((200, b"changed", {}))
    with pytest.raises(HashDiffers):
        client.download("/api/files/x.zip", tmp_path / "x.zip", sha256="0" * 64)
    assert (tmp_path / "x.zip").read_bytes() == b"the one before"
    assert [path.name for path in tmp_path.iterdir()] == ["x.zip"]


def test_a_file_that_is_being_written_is_no_other_file(tmp_path):
    """Whoever looks for logs finds none, and a file with a similar name stays."""
    ours = tmp_path / "x.part.eval"
    ours.write_bytes(b"mine")
    with whole_file(tmp_path / "x.eval") as part:
        assert part.suffix == ".eval"
        part.write_bytes(b"half")
        assert [*tmp_path.glob("*.eval")] == [ours]
    assert ours.read_bytes() == b"mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.eval", "x.part.eval"]

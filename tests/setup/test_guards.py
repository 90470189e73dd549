"""The suite's own guards: no network, only the published data, no skips with REQUIRE_SERVICES."""

import socket

import pytest

from tests.conftest import NetworkRefused, _check_file, require_or_skip


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80, 0, 0)])
def test_a_socket_cannot_leave_this_machine(address):
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family) as opened, pytest.raises(NetworkRefused):
        opened.connect(address)


def test_a_name_cannot_be_looked_up():
    with pytest.raises(NetworkRefused):
        socket.getaddrinfo("en.wikipedia.org", 443)


def test_this_machine_can_be_reached():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()


def test_other_data_than_the_published_fails_and_names_its_source(tmp_path):
    other = tmp_path / "wikicontradict.json"
    other.write_text("[]", encoding="utf-8")
    with pytest.raises(pytest.fail.Exception, match=r"has sha256 4f53cda1.*not abc as at there"):
        _check_file(other, "abc", "there")
    with pytest.raises(pytest.fail.Exception, match="It is published at there"):
        _check_file(tmp_path / "nothing", "abc", "there")


def test_a_missing_service_skips_unless_services_are_required(monkeypatch):
    monkeypatch.delenv("REQUIRE_SERVICES", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"No lion\. Buy one\."):
        require_or_skip("No lion", "Buy one.")
    monkeypatch.setenv("REQUIRE_SERVICES", "1")
    with pytest.raises(pytest.fail.Exception, match="No lion, and REQUIRE_SERVICES=1"):
        require_or_skip("No lion", "Buy one.")

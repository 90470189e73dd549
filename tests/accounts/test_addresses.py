"""The address that a request came from, whatever its headers claim."""

import pytest

from accounts.addresses import client_address, is_loopback


@pytest.mark.parametrize(
    ("peer", "forwarded_for", "proxies", "address"),
    [
        ("192.0.2.1", "", 0, "192.0.2.1"),
        ("192.0.2.1", "198.51.100.7", 0, "192.0.2.1"),  # no trusted proxy: the header is not read
        ("127.0.0.1", "198.51.100.7", 1, "198.51.100.7"),
        ("127.0.0.1", "203.0.113.9, 198.51.100.7", 1, "198.51.100.7"),  # the client wrote the first
        ("127.0.0.1", "203.0.113.9, 198.51.100.7, 10.0.0.2", 2, "198.51.100.7"),
        ("127.0.0.1", "198.51.100.7", 2, "198.51.100.7"),
        ("127.0.0.1", "", 1, "127.0.0.1"),
        ("127.0.0.1", " , ", 1, "127.0.0.1"),
        ("127.0.0.1", "not an address", 1, "127.0.0.1"),
        ("127.0.0.1", "198.51.100.7:5123", 1, "198.51.100.7"),
        ("127.0.0.1", "[2001:db8::7]:5123", 1, "2001:db8::"),
        ("2001:db8:0:1:2:3:4:5", "", 0, "2001:db8:0:1::"),
        ("2001:db8:0:1:ffff::9", "", 0, "2001:db8:0:1::"),  # another address of the same host
        ("::ffff:192.0.2.1", "", 0, "192.0.2.1"),
        ("fe80::1%eth0", "", 0, "fe80::"),
        ("", "", 0, ""),
        ("", "198.51.100.7", 1, "198.51.100.7"),
    ],
)
def test_the_address_is_the_one_that_the_first_trusted_proxy_added(
    peer, forwarded_for, proxies, address
):
    assert client_address(peer, forwarded_for, proxies) == address


@pytest.mark.parametrize(
    ("host", "is_here"),
    [
        ("localhost", True), ("127.0.0.1", True), ("127.0.0.53", True), ("[::1]", True), ("::1", True),
        ("0.0.0.0", False), ("192.0.2.1", False), ("127.evil.example", False), ("lab.example", False), ("", False),
    ],
)  # fmt: skip
def test_only_loopback_hosts_are_this_machine(host, is_here):
    assert is_loopback(host) is is_here

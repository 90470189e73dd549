"""The proxy alone, with nothing behind it: what it lets through is answered with 502."""

import itertools
import time

import pytest
import requests

from tests.server.team import Team, described, part, proxy


@pytest.fixture(params=["", "/sicetnon"], ids=["root", "sub-path"])
def alone(request, tmp_path):
    here = Team(folder=tmp_path, base_path=request.param)
    with part(here, "proxy", proxy(here, described(here)["proxy"])):
        wait_for(here)
        yield here


def wait_for(here):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            here.get("/")
            return
        except requests.ConnectionError:
            time.sleep(0.05)
    raise AssertionError(here.said("proxy"))


def test_a_flood_of_sign_ins_from_one_address_is_refused(alone):
    """Thirty people of one institution are no flood, even if each mistypes once."""
    with requests.Session() as session:

        def asked(method, path):
            address = f"{alone.url}{path}"
            return session.request(method, address, verify=alone.certificate, timeout=10)

        # Links are counted apart: a flood of passwords keeps none shut.
        for doors in (
            ("/sign-in/", "/sign-in/code/"),
            ("/join/token/", "/new-password/key/token/"),
        ):
            assert {asked("POST", doors[n % 2]).status_code for n in range(60)} == {502}
            refused = next(
                answer
                for n in range(1000)
                if (answer := asked("POST", doors[n % 2])).status_code != 502
            )
            assert (refused.status_code, refused.headers["Retry-After"]) == (429, "30")
            assert "Many people are signing in from your address." in refused.text
        # Pages, and what people send who are signed in, are not counted.
        assert asked("GET", "/sign-in/").status_code == 502
        assert asked("POST", "/api/annotation/").status_code == 502


@pytest.mark.parametrize("alone", [""], indirect=True)
def test_an_ipv6_address_counts_by_its_network(alone):
    """Whoever has a /64 has all addresses in it; the next network has its own count."""

    def posted(address):
        headers = {"X-Address-Of-The-Test": address}
        url = f"{alone.url}/sign-in/"
        return session.post(url, headers=headers, verify=alone.certificate, timeout=10).status_code

    with requests.Session() as session:
        found = (posted(f"2001:db8::{n:x}") for n in itertools.count(1))
        next(n for n, status in zip(range(1000), found, strict=False) if status == 429)
        assert posted("2001:db8:0:1::1") == 502


def test_only_the_address_of_the_site_is_led_to_https(alone):
    def asked(host):
        headers, url = {"Host": host}, f"http://127.0.0.1:{alone.http}/join/token/"
        return requests.get(url, headers=headers, allow_redirects=False, timeout=10)

    assert asked("127.0.0.1").headers["Location"] == "https://127.0.0.1/join/token/"
    for host in ("evil.example", "127.0.0.1.evil.example", "27.0.0.1", "127a0.0.1", "https"):
        assert (asked(host).status_code, asked(host).headers.get("Location")) == (404, None)

"""The proxy alone, with nothing behind it: what it lets through is answered with 502."""

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

        doors = ("/sign-in/", "/sign-in/code/", "/join/token/", "/new-password/key/token/")
        assert {asked("POST", doors[n % 4]).status_code for n in range(60)} == {502}
        refused = next(
            answer
            for n in range(1000)
            if (answer := asked("POST", doors[n % 4])).status_code != 502
        )
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "30")
        assert "Many people are signing in from your address." in refused.text
        # Pages, and what people send who are signed in, are not counted.
        assert asked("GET", "/sign-in/").status_code == 502
        assert asked("POST", "/api/annotation/").status_code == 502

"""A team's server as docker-compose.yml describes it, really started: once at the root, once under a sub-path."""

import json
import socket
import ssl

import pytest
import requests

from tests.server.team import APP, cluster, team, wait_until_ready
from tests.story.play import PASSWORD, People, play


@pytest.fixture(scope="module")
def postgres():
    with cluster() as running:
        yield running


@pytest.fixture(scope="module", params=["", "/sicetnon"], ids=["root", "sub-path"])
def server(request, postgres, tmp_path_factory):
    with team(tmp_path_factory.mktemp("team"), postgres, request.param) as running:
        yield running


def lines_of(server, part):
    found = (line for line in server.said(part).splitlines() if line.startswith("{"))
    return [json.loads(line) for line in found]


def test_plain_http_leads_to_https(server):
    answer = requests.get(
        f"http://127.0.0.1:{server.http}/reports/?page=2", allow_redirects=False, timeout=10
    )
    assert answer.status_code == 301
    assert answer.headers["Location"] == "https://127.0.0.1/reports/?page=2"


def test_it_speaks_http_2(server):
    context = ssl.create_default_context(cafile=server.certificate)
    context.set_alpn_protocols(["h2", "http/1.1"])
    with (
        socket.create_connection(("127.0.0.1", server.https), timeout=10) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as secured,
    ):
        assert secured.selected_alpn_protocol() == "h2"


def test_cookies_go_over_https_alone_and_to_this_path_alone(server):
    answer = server.get("/sign-in/")
    cookie = answer.headers["Set-Cookie"]
    assert "sicetnon_csrf=" in cookie
    assert "; Secure" in cookie
    assert f"; Path={server.base_path or '/'};" in f"{cookie};"
    assert "max-age=31536000" in answer.headers["Strict-Transport-Security"]


def test_static_files_and_pages_are_compressed(server):
    for path in ("/static/css/app.css", "/sign-in/"):
        answer = server.get(path, headers={"Accept-Encoding": "gzip"})
        assert answer.status_code == 200
        assert answer.headers["Content-Encoding"] == "gzip", path


def test_who_is_not_signed_in_is_sent_to_the_sign_in_page_and_back(server):
    answer = server.get("/reports/?page=2")
    assert answer.status_code == 302
    wanted = f"{server.base_path}/sign-in/?next={server.base_path}/reports/"
    assert answer.headers["Location"].replace("%2F", "/").startswith(wanted)


def test_another_host_is_refused_in_words(server):
    answer = server.get("/sign-in/", headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert server.url in answer.text
    assert "evil" not in answer.text


def test_an_address_that_a_client_claims_is_not_believed(server):
    claimed = {
        "X-Forwarded-Proto": "http",
        "X-Forwarded-For": "203.0.113.9",
        "X-Request-ID": "x" * 20,
    }
    answer = server.get("/sign-in/", headers=claimed)
    assert "; Secure" in answer.headers["Set-Cookie"]
    assert answer.headers["X-Request-ID"] != "x" * 20


def test_a_body_beyond_the_bound_is_refused_before_it_is_sent(server):
    context = ssl.create_default_context(cafile=server.certificate)
    head = (
        f"POST {server.base_path}/sign-in/ HTTP/1.1\r\nHost: 127.0.0.1:{server.https}\r\n"
        f"Content-Length: {257 * 1024**2 + 1}\r\n\r\n"
    )
    with (
        socket.create_connection(("127.0.0.1", server.https), timeout=10) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as secured,
    ):
        secured.sendall(head.encode())
        assert secured.recv(100).startswith(b"HTTP/1.1 413")


def test_a_signed_out_stranger_may_send_little(server):
    answer = requests.post(
        f"{server.url}/sign-in/", data=b"x" * 70_000, verify=server.certificate, timeout=10
    )
    assert answer.status_code == 413
    assert "64 KB" in answer.text


def test_health_and_figures(server):
    # The tests before it keep the model busy, which may then answer a look late and is reported for half a minute.
    wait_until_ready(server)
    assert server.get("/healthz").json() == {"ok": True}
    assert server.get("/readyz").json() == {"ok": True}
    assert server.get("/metrics").status_code == 403
    token = {"Authorization": f"Bearer {'m' * 20}"}
    assert "sicetnon_ready 1" in server.get("/metrics", headers=token).text
    checks = server.get("/readyz", headers=token).json()["checks"]
    assert {check["name"]: check["state"] for check in checks if check["name"] != "backup"} == (
        dict.fromkeys(
            ("database", "migrations", "broker", "work", "generation", "scheduler", "disk"), "ok"
        )
    )


# It asks the broker, which no address changes.
@pytest.mark.parametrize("server", [""], ids=["root"], indirect=True)
def test_a_workers_health_check_finds_its_heartbeat(server):
    assert "is running" in server.manage("check_heartbeat", "work")


def test_a_proxy_that_passes_the_sub_path_on_is_told_so(server):
    answer = requests.get(f"http://127.0.0.1:{server.behind}/sicetnon/sign-in/", timeout=10)
    if server.base_path:
        assert answer.status_code == 500
        assert "end proxy_pass with a slash" in answer.text
    else:
        assert answer.status_code == 404


@pytest.mark.parametrize("server", [""], ids=["root"], indirect=True)
def test_the_first_admin_joins(server, browser):
    people = People(
        browser, server.url, server.manage("first_admin_link"), ignore_https_errors=True
    )
    try:
        people.join(people.first_link, "ada").goto("people/")
    finally:
        people.close()


# Under the sub-path alone: at the root, tests/story plays it.
@pytest.mark.parametrize("server", ["/sicetnon"], ids=["sub-path"], indirect=True)
def test_the_story(server, browser):
    """From a tag to a kappa; then no log has anything that people entered."""
    first_link = server.manage("first_admin_link")
    assert first_link.startswith(f"{server.url}/join/")
    people = People(browser, server.url, first_link, ignore_https_errors=True)
    try:
        play(people)
    finally:
        people.close()

    requested = {
        line["request_id"] for line in lines_of(server, "web") if line["event"] == "request"
    }
    worked = [line for part in APP for line in lines_of(server, part) if line["event"] == "task"]
    caused = {line["request_id"] for line in worked if "request_id" in line}
    assert caused
    assert caused <= requested
    text = "".join(server.said(part) for part in (*APP, "proxy"))
    token = first_link.rstrip("/").rpartition("/")[2]
    for secret in (token, PASSWORD, "The first passage says", "In which year", "sicetnon_csrf"):
        assert secret not in text
    assert "/join/…/" in text

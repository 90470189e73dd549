"""What the log contains of requests and tasks, and what it must never contain."""

import io
import json
import logging.config
import uuid

import pytest
import structlog
from django.test import Client
from django.urls import URLPattern, get_resolver

from accounts import invitations
from accounts.roles import Role
from config import masking
from config.logs import logging_config, without_details
from config.task_lines import begin, end, sign
from operations.monitoring.findings import Finding, State
from operations.monitoring.health import HealthReport, watch
from tests.factories import person

pytestmark = pytest.mark.django_db

PASSWORD = "seven quiet herons"
PASSAGE = "The lighthouse was lit in 1858, says the passage."
QUERY_SECRET = "secret-in-the-query"
API_TOKEN = "sicetnon_0123456789"
# Parameters of URLs that are public names or words of the project. One that gives access belongs to SECRET_PARTS.
HARMLESS_PARTS = {
    "key",
    "version",
    "earlier",
    "name",
    "format",
    "sheet",
    "form",
    "verb",
    "way",
    "kind",
    "part",
}


@pytest.fixture
def written(settings):
    """`written(log_format)`: a stream of everything logged from now on."""

    def begin(log_format):
        stream = io.StringIO()
        config = logging_config(log_format, "INFO")
        config["handlers"]["stderr"]["stream"] = stream
        logging.config.dictConfig(config)
        return stream

    yield begin
    logging.config.dictConfig(settings.LOGGING)


@pytest.fixture
def log(written):
    """`log()`: the lines written so far, parsed as JSON."""
    stream = written("json")
    return lambda: [json.loads(line) for line in stream.getvalue().splitlines()]


def of_requests(lines):
    return [line for line in lines if line["event"] == "request"]


def test_a_request_has_one_line(log):
    client = Client()
    alice = person("alice", Role.ADMIN)
    client.force_login(alice)
    answer = client.get("/people/?q=x")
    (line,) = of_requests(log())
    assert line.pop("ms") >= 0
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "request",
        "level": "info",
        "logger": "config.request_lines",
        "method": "GET",
        "path": "/people/",
        "status": 200,
        "person": alice.pk,
        "request_id": answer["X-Request-ID"],
    }


@pytest.mark.parametrize(
    ("proxies", "given", "is_used"),
    [
        (1, "4f2a9c0b1d3e", True),
        (0, "4f2a9c0b1d3e", False),
        (1, "short", False),
        (1, 'forged"}\n{"event": "x', False),
        (1, "x" * 81, False),
    ],
)
def test_the_request_id_of_a_trusted_proxy_is_used(client, settings, proxies, given, is_used):
    settings.TRUSTED_PROXIES = proxies
    answer = client.get("/healthz", headers={"x-request-id": given})
    assert (answer["X-Request-ID"] == given) == is_used
    assert len(answer["X-Request-ID"]) >= 8


def test_monitoring_requests_are_not_logged(client, log):
    unwell = Finding("disk", State.FAIL, "The disk is full.")
    watch.keep(HealthReport((unwell,)), float("inf"))
    client.get("/healthz")
    assert client.get("/readyz").status_code == 503
    assert log() == []


def test_the_text_format_has_errors_only(client, written, settings):
    stream = written("text")
    client.get("/sign-in/")
    assert stream.getvalue() == ""
    settings.FORCE_SCRIPT_NAME = "/sicetnon"
    client.get("/sicetnon/sign-in/")
    assert "status=500" in stream.getvalue()


def story(client):
    """Links that work and that fail, forms accepted and refused, a link without its last character."""
    olga = person("olga", Role.ADMIN)
    token = invitations.invite(roles=[Role.ANNOTATOR], by=olga)
    path = f"/join/{token}/"
    client.get(path)
    client.post(path, {"username": "ann", "name": "Ann", "password": PASSWORD})
    client.get(path)  # used up
    client.get(path.rstrip("/"))
    client.get(f"{path}more/")
    client.post("/sign-in/", {"username": "ann", "password": f"{PASSWORD}, wrong"})
    client.post("/sign-in/", {"username": "ann", "password": PASSWORD})
    client.get(f"/tags/?q={QUERY_SECRET}")
    client.post("/annotate/99999/", {"passage_1_copied": PASSAGE})
    client.post("/api/slots/not-a-slot/verdict/", {"note": PASSAGE})
    client.get(f"/api/collections/{API_TOKEN}/")
    link = invitations.password_path(person("bob"))
    client.get(link)
    client.post(link, {"password": PASSWORD})
    return token, link


def test_a_story_leaves_neither_token_nor_password_nor_passage_in_the_log(log):
    client = Client()
    token, link = story(client)
    lines = log()
    text = json.dumps(lines, ensure_ascii=False)
    assert len(of_requests(lines)) >= 12
    of_link = link.rstrip("/").rpartition("/")[2]
    for secret in (token, of_link, PASSWORD, PASSAGE, QUERY_SECRET, API_TOKEN):
        assert secret not in text
    assert "/join/…/" in {line["path"] for line in of_requests(lines)}


def test_a_server_error_has_its_traceback_without_the_token_in_the_path(log, monkeypatch):
    from accounts.views import sign_in

    def broken(*_, **__):
        raise RuntimeError("it broke")

    monkeypatch.setattr(sign_in, "_person_of_link", broken)
    client = Client(raise_request_exception=False)
    assert client.get("/new-password/MQ/token-of-alice/").status_code == 500
    lines = log()
    assert "token-of-alice" not in json.dumps(lines)
    (failed,) = [line for line in lines if "exception" in line]
    assert "it broke" in failed["exception"]
    assert failed["request_id"] == of_requests(lines)[0]["request_id"]


@pytest.mark.both
def test_rows_that_a_database_quotes_are_left_out():
    traceback = (
        "Traceback (most recent call last):\nIntegrityError: violates a constraint\n"
        f"DETAIL:  Failing row contains (1, {PASSAGE}\nand on).\n\nThe above exception was the cause"
    )
    event = without_details(None, "error", {"event": "failed", "exception": traceback})
    assert PASSAGE not in event["exception"]
    assert "and on" not in event["exception"]
    assert "violates a constraint" in event["exception"]


def test_every_url_parameter_is_listed_as_secret_or_harmless():
    parameters = set()

    def walk(patterns):
        for pattern in patterns:
            if isinstance(pattern, URLPattern):
                words = {"StringConverter", "SlugConverter"}
                converters = pattern.pattern.converters.items()
                parameters.update(name for name, one in converters if type(one).__name__ in words)
            else:
                walk(pattern.url_patterns)

    walk(get_resolver().url_patterns)
    assert "token" in parameters
    assert parameters - HARMLESS_PARTS - masking.SECRET_PARTS == set()


# ---------------------------------------------------------------- tasks


@pytest.mark.both
def test_a_task_carries_the_id_of_the_request_that_started_it(log):
    identity = uuid.uuid4().hex
    headers = {}
    with structlog.contextvars.bound_contextvars(request_id=identity):
        sign(headers=headers)
    assert headers == {"request_id": identity}

    class Task:
        name = "generation.asking.dispatch.ask_service"
        request = headers

    begin(task=Task, task_id="t-1")
    structlog.get_logger("generation").warning("service_not_configured", service="lab")
    end(state="SUCCESS")
    inner, outer = [line for line in log() if "task" in line]
    assert inner["request_id"] == outer["request_id"] == identity
    assert (outer["event"], outer["task"], outer["state"]) == ("task", Task.name, "SUCCESS")
    assert "request_id" not in structlog.contextvars.get_contextvars()

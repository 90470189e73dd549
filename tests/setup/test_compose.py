"""docker-compose.yml, Dockerfile and the proxy's configuration."""

import re

import pytest
import yaml

from pages import bounds
from tests.server.compose import SECRETS, composed
from tests.setup.conftest import ROOT

PROXY = ROOT / "config" / "proxy" / "sicetnon.conf.template"


@pytest.fixture
def compose(bare):
    """`compose(env)`: output and exit status of `docker compose config`."""
    return lambda env: composed(bare | env)


def test_compose_reads_the_file_once_the_secrets_are_set(compose):
    done = compose(SECRETS)
    assert done.returncode == 0, done.stderr
    assert set(yaml.safe_load(done.stdout)["services"]) >= {"web", "worker", "postgres", "redis"}


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_compose_starts_nothing_while_a_secret_is_missing(compose, name):
    done = compose({key: value for key, value in SECRETS.items() if key != name})
    assert done.returncode != 0
    assert name in done.stderr


def test_every_process_but_the_embedded_model_has_a_service():
    processes = dict(
        line.split(": ", 1) for line in (ROOT / "Procfile").read_text().splitlines() if line
    )
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    assert set(processes) - {"model"} <= set(services)
    for name in ("worker", "generation"):
        queues = re.compile(r"--queues (\S+)")
        assert queues.findall(services[name]["command"]) == queues.findall(processes[name])


def test_the_image_runs_as_a_plain_user():
    users = re.findall(r"^USER (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert users
    assert users[-1] not in {"root", "0"}


@pytest.mark.parametrize("name", ["Procfile", "Dockerfile", "docker-compose.yml"])
def test_the_web_server_leaves_forwarded_headers_to_the_setting(name):
    """By default gunicorn trusts them from this machine, where a proxy may pass on anyone's request."""
    (line,) = [line for line in (ROOT / name).read_text().splitlines() if "config.wsgi" in line]
    assert re.search(r"""--forwarded-allow-ips(", ""| '')""", line)


def test_every_service_has_a_health_check(compose):
    services = yaml.safe_load(compose(SECRETS).stdout)["services"]
    without = {name for name, service in services.items() if "healthcheck" not in service}
    assert without == {
        "proxy",
        "migrate",
    }  # the proxy depends on the health of the services it serves


def test_the_base_of_the_image_is_pinned_to_one_version():
    (base,) = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", base)


def test_the_proxy_accepts_the_largest_upload():
    (bound,) = re.findall(r"client_max_body_size (\d+)m;", PROXY.read_text())
    assert int(bound) * 1024**2 == bounds.UPLOAD


def test_the_proxy_logs_no_url():
    text = PROXY.read_text()
    (form,) = re.findall(r"log_format sicetnon '(.*)';", text)
    assert not re.search(r"\$(request|request_uri|uri|args|http_referer)\b", form)
    assert set(re.findall(r"access_log (\S+?);?(?: (\w+);)?$", text, re.MULTILINE)) == {
        ("off", ""),
        ("/dev/stdout", "sicetnon"),
    }

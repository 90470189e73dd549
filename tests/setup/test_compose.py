"""A team's server as docker-compose.yml describes it."""

import re
import shutil
import subprocess

import pytest
import yaml

from tests.conftest import require_or_skip
from tests.setup.conftest import ROOT

SECRETS = {
    "SECRET_KEY": "s" * 50,
    "POSTGRES_PASSWORD": "p",
    "REDIS_PASSWORD": "r",
    "BASE_URL": "https://annotate.example",
}


@pytest.fixture
def compose(bare):
    """`compose(env)`: what `docker compose config` makes of the file, and its exit status."""
    for command in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(command[0]) and _answers([*command, "version"]):
            break
    else:
        require_or_skip("No Docker Compose", "Debian: apt-get install docker-compose.")

    def config(env: dict[str, str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, "config"], cwd=ROOT, env=bare | env, capture_output=True, text=True
        )

    return config


def _answers(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True).returncode == 0


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

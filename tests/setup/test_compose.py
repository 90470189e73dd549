"""docker-compose.yml, Dockerfile and the proxy's configuration."""

import http.server
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import yaml

from config.environment import NO_SECRET
from generation.inference.service_entries import ServiceEntry
from pages import middleware
from tests.server.compose import NEEDED, OPTIONAL_SECRETS, SECRETS, composed
from tests.setup.conftest import ROOT
from tests.setup.test_docs import settings_read

APP = ("migrate", "web", "worker", "generation", "scheduler")
# The program does not start without SECRET_KEY; the migrations send no messages.
WHOSE = {
    "SECRET_KEY": {*APP},
    "POSTGRES_PASSWORD": {*APP, "postgres"},
    "REDIS_PASSWORD": {*APP, "redis"} - {"migrate"},
    "METRICS_TOKEN": {"web"},
    "OIDC_CLIENT_SECRET": {"web"},
    "WIKI_TOKENS": {"worker"},
    "CA_CERTIFICATES": {"web", "worker", "generation"},
    "LAB_KEY": {"web", "generation"},
    "VLLM_API_KEY": {"web", "generation", "vllm"},
    "HF_TOKEN": {"vllm"},
}
PROXY = ROOT / "config" / "proxy" / "sicetnon.conf.template"


@pytest.fixture
def compose(bare):
    """`compose(env)`: output and exit status of `docker compose config`."""
    return lambda env: composed(bare | env)


def test_compose_reads_the_file_once_the_address_is_set(compose):
    done = compose(NEEDED)
    assert done.returncode == 0, done.stderr
    assert set(yaml.safe_load(done.stdout)["services"]) >= {"web", "worker", "postgres", "redis"}


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_compose_starts_nothing_while_a_needed_setting_is_missing(compose, name):
    done = compose({key: value for key, value in NEEDED.items() if key != name})
    assert done.returncode != 0
    assert name in done.stderr


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_a_secret_is_a_file_without_which_docker_starts_no_container_that_needs_it(compose, name):
    whole = yaml.safe_load(compose(NEEDED | {"SECRETS": "/srv/secrets"}).stdout)
    assert whole["secrets"][name]["file"] == f"/srv/secrets/{name}"
    for service in set(APP) & WHOSE[name]:
        described = whole["services"][service]
        assert described["environment"][f"{name}_FILE"] == f"/run/secrets/{name}"
        assert name not in described["environment"]


def test_each_container_has_its_own_secrets_and_no_others(compose, tmp_path):
    keys = tmp_path / "model-keys.env"
    keys.write_text("LAB_KEY=of-the-lab\n")
    given = {"MODEL_KEYS": str(keys), "VLLM_API_KEY": "of-vllm", "HF_TOKEN": "of-hf"}
    plain = {"METRICS_TOKEN": "m" * 20, "OIDC_CLIENT_SECRET": "of-the-client"}
    plain |= {"WIKI_TOKENS": "of-the-bot"}
    done = compose(NEEDED | given | plain | {"COMPOSE_PROFILES": "gpu"})
    held = {name: set() for name in WHOSE}
    for service, described in yaml.safe_load(done.stdout)["services"].items():
        mounted = {secret["source"] for secret in described.get("secrets", [])}
        variables = {name for name, value in described.get("environment", {}).items() if value}
        files = {name.removesuffix("_FILE") for name in variables if name.endswith("_FILE")}
        assert files == mounted or (service == "redis" and not files), service
        for name in WHOSE:
            if name in mounted | variables:
                held[name].add(service)
        for name, value in (given | plain).items():
            if name in WHOSE and service not in WHOSE[name]:
                assert value not in str(described), (service, name)
    assert held == WHOSE


def test_the_model_server_reaches_neither_the_database_nor_the_queue(compose):
    whole = yaml.safe_load(compose(NEEDED | {"COMPOSE_PROFILES": "gpu"}).stdout)
    on = {name: set(service["networks"]) for name, service in whole["services"].items()}
    reached = {name: {other for other in on if on[other] & on[name]} for name in on}
    assert reached["vllm"] == {"vllm", "web", "generation"}
    assert reached["proxy"] == {"proxy", "web"}
    assert reached["postgres"] == reached["redis"] == {*APP, "postgres", "redis"}
    # The database's network leads nowhere else; who asks wikis, models or an institution has another one.
    inside = {
        name for name, network in whole["networks"].items() if (network or {}).get("internal")
    }
    assert inside == {"data"}
    assert {name for name in on if on[name] <= inside} == {
        "migrate",
        "scheduler",
        "postgres",
        "redis",
    }


def test_no_container_starts_processes_without_end(compose):
    services = yaml.safe_load(compose(NEEDED | {"COMPOSE_PROFILES": "gpu"}).stdout)["services"]
    assert [name for name, service in services.items() if not service.get("pids_limit")] == []
    # As many as PostgreSQL takes connections, with its own few.
    (most,) = re.findall(r"max_connections=(\d+)", str(services["postgres"]["command"]))
    assert services["postgres"]["pids_limit"] > int(most) + 20


@pytest.mark.parametrize("name", OPTIONAL_SECRETS)
def test_a_secret_that_not_everybody_has_may_be_a_file_too(compose, name):
    whole = yaml.safe_load(compose(NEEDED | {f"{name}_FILE": "/srv/one"}).stdout)
    without = yaml.safe_load(compose(NEEDED).stdout)
    assert whole["secrets"][name]["file"] == "/srv/one"
    assert Path(without["secrets"][name]["file"]).read_text().strip() == NO_SECRET
    for owner in WHOSE[name]:
        environment = whole["services"][owner]["environment"]
        assert (environment[name], environment[f"{name}_FILE"]) == ("", f"/run/secrets/{name}")


def test_what_is_secret_is_a_file_in_compose_and_in_the_documentation(compose):
    secret = {
        name for name in settings_read() if re.search("KEY$|PASSWORD|SECRET|TOKEN|CERTIFI", name)
    }
    assert secret == SECRETS.keys() | set(OPTIONAL_SECRETS)
    assert secret == yaml.safe_load(compose(NEEDED).stdout)["secrets"].keys()
    page = (ROOT / "docs" / "operators" / "settings.md").read_text()
    (row,) = [line for line in page.splitlines() if line.startswith("| `SECRETS`")]
    assert set(re.findall(r"`([A-Z_]{8,})`", row)) == set(SECRETS)
    (row,) = [line for line in page.splitlines() if line.startswith("| `METRICS_TOKEN_FILE`")]
    assert set(re.findall(r"`(\w+)_FILE`", row)) == set(OPTIONAL_SECRETS)


# Settings that an operator with Compose does not choose.
NOT_PASSED = {
    "CELERY_BROKER_URL": "its own Redis",
    "DATABASE_URL": "its own PostgreSQL",
    "DATA_DIR": "the image sets it",
    "DEBUG": "never on a server",
    "EMBEDDED_MODEL_PATH": "no embedded model",
    "EMBEDDED_MODEL_PORT": "no embedded model",
    "WEB_HOST": "inside the container",
    "WORKER_POOL": "its worker uses processes",
}


PASSED = {
    name: str(number)
    for number, name in enumerate(
        sorted(settings_read() - NOT_PASSED.keys() - SECRETS.keys()), 4711
    )
}


@pytest.mark.parametrize("name", PASSED)
def test_a_setting_of_the_operator_reaches_the_containers(compose, name):
    services = yaml.safe_load(compose(NEEDED | PASSED).stdout)["services"]
    app = [services[service] for service in APP]
    if any(name in service["environment"] for service in app):
        owners = WHOSE.get(name) or ({"web"} if name.startswith("OIDC_") else APP)
        having = [services[owner] for owner in owners]
        assert {str(service["environment"][name]) for service in having} == {PASSED[name]}
    else:
        assert any(PASSED[name] in str(service) for service in app)


def test_the_list_of_settings_that_are_not_passed_is_true():
    assert NOT_PASSED.keys() <= settings_read()
    text = (ROOT / "docker-compose.yml").read_text()
    assert [name for name in NOT_PASSED if f"${{{name}" in text] == []


def test_what_only_compose_reads_is_in_the_docs():
    text = (ROOT / "docker-compose.yml").read_text()
    settings = (ROOT / "docs" / "operators" / "settings.md").read_text(encoding="utf-8")
    names = set(re.findall(r"\$\{([A-Z_]+)", text))
    assert [
        name for name in sorted(names) if not re.search(rf"^\|[^|]*`{name}`", settings, re.M)
    ] == []


def test_vllm_takes_further_options_and_can_be_measured_from_the_machine_alone(compose):
    given = NEEDED | {"COMPOSE_PROFILES": "gpu", "VLLM_OPTIONS": "--tensor-parallel-size 2"}
    vllm = yaml.safe_load(compose(given).stdout)["services"]["vllm"]
    command = vllm["command"] if isinstance(vllm["command"], list) else vllm["command"].split()
    assert command[-2:] == ["--tensor-parallel-size", "2"]
    assert "127.0.0.1" in str(vllm["ports"])


@pytest.mark.parametrize("name", APP)
def test_a_start_removes_what_killed_processes_left(compose, tmp_path, name):
    service = yaml.safe_load(compose(NEEDED).stdout)["services"][name]
    folder = tmp_path / "tmp"
    folder.mkdir()
    for file, age in (("left.upload", 7200), ("under-way.upload", 0)):
        (folder / file).write_bytes(b"x")
        os.utime(folder / file, times=(time.time() - age,) * 2)
    shell, option, script, called = service["entrypoint"]
    script = script.replace("$$", "$").replace("/tmp", str(folder))
    done = subprocess.run(
        [shell, option, script, called, "echo", "a  b"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "a  b\n"
    assert [path.name for path in folder.iterdir()] == ["under-way.upload"]


def test_no_container_has_rights_that_it_does_not_need(compose):
    services = yaml.safe_load(compose(NEEDED).stdout)["services"]
    for name, service in services.items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["logging"]["options"] == {"max-size": "10m", "max-file": "5"}, name
        if name != "vllm":
            assert service["read_only"], name
            assert service["mem_limit"], name
    assert {name for name, service in services.items() if "cap_add" in service} == {"proxy"}
    assert services["postgres"]["user"] == "postgres"
    assert services["redis"]["user"] == "redis"


def test_backups_have_a_volume_or_a_folder_of_their_own(compose):
    for given, source in (({}, "backups"), ({"BACKUPS": "/mnt/backups"}, "/mnt/backups")):
        volumes = yaml.safe_load(compose(NEEDED | given).stdout)["services"]["web"]["volumes"]
        assert source in {
            volume.split(":")[0] if isinstance(volume, str) else volume["source"]
            for volume in volumes
            if "/data/backups" in str(volume)
        }


def test_redis_does_not_start_with_an_empty_password(compose):
    command = yaml.safe_load(compose(NEEDED).stdout)["services"]["redis"]["command"]
    assert command[:2] == ["sh", "-ec"]
    assert command[2].startswith("test -s /run/secrets/REDIS_PASSWORD")


DIGEST = f"sha256:{'a' * 64}"


def test_images_are_locked_by_digest(compose, bare, tmp_path):
    """bin/lock_images with a docker that knows one digest."""
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text(
        f"#!/bin/sh\nprintf 'Name: %s\\nDigest:    {DIGEST}\\n  Digest: other\\n' $4\n"
    )
    docker.chmod(0o755)
    env = bare | {"PATH": f"{docker.parent}{os.pathsep}{bare['PATH']}"}
    printed = subprocess.run(
        [ROOT / "bin" / "lock_images"], env=env, capture_output=True, text=True, check=True
    ).stdout
    locked = dict(line.split("=", 1) for line in printed.splitlines())
    services = yaml.safe_load(compose(NEEDED | locked).stdout)["services"]
    assert services["postgres"]["image"] == f"postgres:15@{DIGEST}"
    for name, service in services.items():
        image = service["build"]["args"]["PYTHON_IMAGE"] if "build" in service else service["image"]
        assert image.endswith(f"@{DIGEST}"), name


def test_images_are_not_locked_without_a_digest(bare, tmp_path):
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    # It knows the first image only.
    docker.write_text(f"#!/bin/sh\ncase $4 in python:*) echo 'Digest: {DIGEST}';; esac\n")
    docker.chmod(0o755)
    env = bare | {"PATH": f"{docker.parent}{os.pathsep}{bare['PATH']}"}
    done = subprocess.run(
        [ROOT / "bin" / "lock_images"], env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "No digest of " in done.stderr


def test_a_generation_worker_that_is_stopped_has_time_for_its_last_calls():
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    unit = (ROOT / "config/systemd/sicetnon-generation.service").read_text()
    for seconds in (
        services["generation"]["stop_grace_period"].removesuffix("s"),
        re.search(r"^TimeoutStopSec=(\d+)$", unit, re.MULTILINE)[1],
    ):
        assert int(seconds) > ServiceEntry.timeout


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
    services = yaml.safe_load(compose(NEEDED).stdout)["services"]
    without = {name for name, service in services.items() if "healthcheck" not in service}
    assert without == {
        "proxy",
        "migrate",
    }  # the proxy depends on the health of the services it serves


def test_the_base_of_the_image_is_pinned_to_one_version():
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE) == ["${PYTHON_IMAGE}"]
    (base,) = re.findall(r"^ARG PYTHON_IMAGE=(\S+)", dockerfile, re.MULTILINE)
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", base)
    assert f"${{PYTHON_IMAGE:-{base}}}" in (ROOT / "docker-compose.yml").read_text()


def test_the_proxy_accepts_the_largest_upload():
    (bound,) = re.findall(r"client_max_body_size (\d+)m;", PROXY.read_text())
    assert int(bound) * 1024**2 == middleware.UPLOAD


def test_the_proxy_logs_no_url():
    text = PROXY.read_text()
    (form,) = re.findall(r"log_format sicetnon '(.*)';", text)
    assert not re.search(r"\$(request|request_uri|uri|args|http_referer)\b", form)
    assert set(re.findall(r"access_log (\S+?);?(?: (\w+);)?$", text, re.MULTILINE)) == {
        ("off", ""),
        ("/dev/stdout", "sicetnon"),
    }


def test_requests_leave_by_the_proxy_and_health_checks_do_not(compose):
    given = {"HTTPS_PROXY": "http://proxy.example:3128", "NO_PROXY": "gpu1"}
    services = yaml.safe_load(compose(NEEDED | given | {"COMPOSE_PROFILES": "gpu"}).stdout)[
        "services"
    ]
    through = {
        name
        for name, service in services.items()
        if service.get("environment", {}).get("HTTPS_PROXY") == given["HTTPS_PROXY"]
    }
    assert through == {"web", "worker", "generation", "vllm"}
    for name in through - {"vllm"}:
        of = services[name]["environment"]
        assert of["NO_PROXY"] == of["no_proxy"] == "localhost,127.0.0.1,vllm,gpu1"


def test_the_health_check_of_the_web_server_passes_by_a_proxy(compose):
    """Docker's client may set one for every container."""
    test = yaml.safe_load(compose(NEEDED).stdout)["services"]["web"]["healthcheck"]["test"]
    (code,) = re.findall(r'python -c "(.*)"', test if isinstance(test, str) else test[-1])
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Healthy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        code = code.replace(":8000", f":{server.server_port}")
        env = dict(os.environ, http_proxy="http://127.0.0.1:9", HTTP_PROXY="http://127.0.0.1:9")
        env |= {"no_proxy": "", "NO_PROXY": ""}
        subprocess.run([sys.executable, "-c", code], env=env, check=True)
        server.shutdown()


class Healthy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_): ...


def test_the_files_of_postgresql_are_where_the_volume_is(compose):
    """Images from 18 on choose another place, and refuse to start with a volume here."""
    postgres = yaml.safe_load(compose(NEEDED).stdout)["services"]["postgres"]
    assert postgres["environment"]["PGDATA"] in str(postgres["volumes"])

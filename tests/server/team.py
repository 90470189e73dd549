"""A team's server without Docker: the commands, variables and proxy's file of docker-compose.yml, on loopback.

Only what a container's network and mounts would give is put in their place: names of hosts, ports, folders.
"""

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import redis
import requests
import yaml

from tests.conftest import require_or_skip
from tests.server.compose import NEEDED, OPTIONAL_SECRETS, SECRETS, composed
from tests.servers import Missing, PostgreSQL, Redis, free_port
from tests.setup.conftest import ROOT

APP = ("web", "worker", "generation", "scheduler")
PROGRAMS = Path(sys.executable).parent
MAIN = """
{user}
daemon off;
pid {folder}/nginx.pid;
error_log /dev/stderr crit;
events {{}}
http {{
    access_log off;
    set_real_ip_from 127.0.0.1;
    real_ip_header X-Address-Of-The-Test;
    {temporary}
    include {folder}/site.conf;
}}
"""


@dataclass
class Team:
    """A running server: the address people use, the web server behind the proxy, what each part has said."""

    folder: Path
    base_path: str = ""
    http: int = field(default_factory=free_port)
    https: int = field(default_factory=free_port)
    behind: int = field(default_factory=free_port)
    model: int = field(default_factory=free_port)
    # Of each service; they differ in their secrets.
    envs: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.https}{self.base_path}"

    @property
    def certificate(self) -> str:
        return str(self.folder / "certificates" / "fullchain.pem")

    def get(self, path: str, **options) -> requests.Response:
        options = {"verify": self.certificate, "timeout": 20, "allow_redirects": False, **options}
        return requests.get(f"{self.url}{path}", **options)

    def said(self, part: str) -> str:
        path = self.folder / f"{part}.log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def manage(self, *arguments: str) -> str:
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.envs["web"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@contextlib.contextmanager
def cluster() -> Iterator[PostgreSQL]:
    try:
        with contextlib.closing(PostgreSQL()) as postgres:
            with psycopg.connect(postgres.url, autocommit=True) as connection:
                connection.execute("CREATE USER sicetnon PASSWORD 'p-1'")
                connection.execute("CREATE DATABASE tables OWNER sicetnon")
            yield postgres
    except Missing as missing:
        require_or_skip(*str(missing).split(". ", 1))


@contextlib.contextmanager
def team(folder: Path, postgres: PostgreSQL, base_path: str = "") -> Iterator[Team]:
    """Everything up and ready under https://127.0.0.1:PORT/BASE_PATH/ until the block ends.

    The database is empty for the first server of a cluster; the next gets a copy of the tables that it made.
    """
    here = Team(folder, base_path)
    services = described(here)
    try:
        with contextlib.closing(Redis()) as queue, database(postgres) as keep_tables:
            write_secrets(here, queue)
            for name in ("migrate", *APP):
                given = services[name]["environment"]
                here.envs[name] = environment(here, given, postgres, queue)
            run(here, "migrate", services["migrate"])
            keep_tables()
            with contextlib.ExitStack() as parts:
                for name in APP:
                    command = words(services[name]["command"])
                    command = [
                        word.replace("0.0.0.0:8000", f"127.0.0.1:{here.behind}") for word in command
                    ]
                    parts.enter_context(part(here, name, command))
                serve = ["python", "manage.py", "serve_model", "--port", str(here.model)]
                parts.enter_context(part(here, "model", serve))
                parts.enter_context(part(here, "proxy", proxy(here, services["proxy"])))
                wait_until_ready(here)
                yield here
    except Missing as missing:
        require_or_skip(*str(missing).split(". ", 1))


@contextlib.contextmanager
def database(postgres: PostgreSQL) -> Iterator[Callable[[], None]]:
    """The database `sicetnon` until the block ends, and what to call when its tables are made."""
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        copy = "CREATE DATABASE {} TEMPLATE {} OWNER sicetnon".format
        connection.execute(copy("sicetnon", "tables"))

        def keep_tables() -> None:
            connection.execute("DROP DATABASE tables")
            connection.execute(copy("tables", "sicetnon"))

        try:
            yield keep_tables
        finally:
            connection.execute("DROP DATABASE sicetnon WITH (FORCE)")


def described(here: Team) -> dict:
    """The services as Compose reads them for this address."""
    service = {"url": f"http://127.0.0.1:{here.model}/v1", "timeout": 120, "in_flight": 1}
    given = NEEDED | {
        "BASE_URL": here.url,
        "BASE_PATH": here.base_path,
        "METRICS_TOKEN": "m" * 20,
        "INFERENCE_SERVICES": json.dumps({"embedded": service}),
    }
    done = composed({"PATH": os.environ["PATH"], "HOME": str(here.folder), **given})
    assert done.returncode == 0, done.stderr
    return yaml.safe_load(done.stdout)["services"]


def environment(here: Team, given: dict, postgres: PostgreSQL, queue: Redis) -> dict[str, str]:
    """A service's variables, with our servers and files in place of the hosts and mounts of a container."""
    env = {name: str(value) for name, value in given.items() if value is not None}
    for name, host, port in (
        ("DATABASE_URL", "@postgres/", postgres.port),
        ("CELERY_BROKER_URL", "/redis/", queue.port),
    ):
        assert host in env[name]
        env[name] = env[name].replace(host, f"{host[0]}127.0.0.1:{port}/")
    for name, value in env.items():
        if value.startswith("/run/secrets/"):
            env[name] = value.replace("/run/secrets", str(here.folder / "secrets"))
    data = here.folder / "data"
    return {
        **env,
        "DATA_DIR": str(data),
        "HOME": str(here.folder),
        "PYTHONUNBUFFERED": "1",
        "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
    }


def write_secrets(here: Team, queue: Redis) -> None:
    """Write the files that Compose would mount at /run/secrets, and give Redis its password."""
    folder = here.folder / "secrets"
    folder.mkdir()
    for name, value in SECRETS.items():
        (folder / name).write_text(f"{value}\n")
    for name in OPTIONAL_SECRETS:
        shutil.copy(ROOT / "config" / "no-secret", folder / name)
    redis.Redis.from_url(queue.url).config_set("requirepass", SECRETS["REDIS_PASSWORD"])


def words(command: str | list[str]) -> list[str]:
    """Compose writes a command back as one line or as a list, by its version."""
    return shlex.split(command) if isinstance(command, str) else command


def run(here: Team, name: str, service: dict) -> None:
    command = words(service["command"])
    done = subprocess.run(
        command, cwd=ROOT, env=here.envs[name], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@contextlib.contextmanager
def part(here: Team, name: str, command: list[str]) -> Iterator[None]:
    """One process, and what it says in NAME.log."""
    with (here.folder / f"{name}.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=here.envs.get(name, here.envs.get("web")),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield
        assert process.poll() is None, f"{name} has ended: {here.said(name)[-2000:]}"
    finally:
        # Nothing of it is needed any more; how processes end in order, tests/setup shows.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def proxy(here: Team, service: dict) -> list[str]:
    """The command of an nginx with the file that the service mounts."""
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if nginx is None:
        require_or_skip("No nginx", "Debian: apt-get install nginx-light.")
    make_certificate(Path(here.certificate).parent)
    site = mounted(service, "/etc/nginx/templates/default.conf.template").read_text()
    for written, ours in (
        ("${BASE_PATH}", service["environment"]["BASE_PATH"] or ""),
        ("${BASE_URL}", service["environment"]["BASE_URL"]),
        ("listen 80 ", f"listen 127.0.0.1:{here.http} "),
        ("listen 443 ", f"listen 127.0.0.1:{here.https} "),
        ("http://web:8000/", f"http://127.0.0.1:{here.behind}/"),
        ("/etc/nginx/certificates/", f"{here.folder}/certificates/"),
    ):
        assert written in site, written
        site = site.replace(written, ours)
    (here.folder / "site.conf").write_text(site)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "\n    ".join(f"{kind}_temp_path {here.folder}/{kind};" for kind in kinds)
    user = "user root;" if os.geteuid() == 0 else ""
    main = here.folder / "nginx.conf"
    main.write_text(MAIN.format(user=user, folder=here.folder, temporary=temporary))
    return [nginx, "-e", "/dev/stderr", "-p", str(here.folder), "-c", str(main)]


def mounted(service: dict, target: str) -> Path:
    """The file on this machine that a service finds at `target`."""
    for volume in service["volumes"]:
        if isinstance(volume, str):
            source, place = volume.split(":")[:2]
        else:
            source, place = volume["source"], volume["target"]
        if place == target:
            return Path(source)
    raise AssertionError(f"nothing is mounted at {target}")


def make_certificate(folder: Path) -> None:
    """A certificate for 127.0.0.1 that nobody has signed but itself."""
    openssl = shutil.which("openssl")
    if openssl is None:
        require_or_skip("No openssl", "Debian: apt-get install openssl.")
    folder.mkdir()
    key, certificate = folder / "privkey.pem", folder / "fullchain.pem"
    made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    where = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out"]
    subprocess.run([openssl, *made, *where, str(certificate)], check=True, capture_output=True)


def wait_until_ready(here: Team) -> None:
    """Until /readyz finds nothing amiss through the proxy, whichever of the web processes answers.

    A new server has no backup yet; the model takes its time to load, and is reported until then.
    """
    deadline = time.monotonic() + 180
    found, in_a_row = "", 0
    while time.monotonic() < deadline:
        try:
            answer = here.get("/readyz", headers={"Authorization": f"Bearer {'m' * 20}"})
            in_a_row = in_a_row + 1 if is_ready(answer) else 0
            if in_a_row == 20:
                return
            if in_a_row:
                continue
            found = answer.text
        except (requests.ConnectionError, requests.Timeout) as error:
            found = str(error)
        time.sleep(0.5)
    output = "\n".join(f"{name}: {here.said(name)[-1500:]}" for name in (*APP, "proxy"))
    raise AssertionError(f"It never was ready: {found}\n{output}")


def is_ready(answer: requests.Response) -> bool:
    return answer.status_code == 200 and all(
        check["state"] == "ok" for check in answer.json()["checks"] if check["name"] != "backup"
    )

"""PostgreSQL cuts its connections, is killed and comes back: an import is complete or absent, and pages recover."""

import contextlib
import json
import os
import random
import secrets
import subprocess
import sys
import threading
from functools import partial

import psycopg
import pytest
import requests

from generation.inference.embedded import ROOT
from tests.datasets.factories import record
from tests.factories import PASSWORD
from tests.faults.conftest import pause, until
from tests.servers import PostgreSQL, free_port

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def server(seed):
    """A server for each seed, so that no test finds what another seed's left."""
    with contextlib.closing(PostgreSQL()) as started:
        yield started


@pytest.fixture(scope="module")
def environment(server, tmp_path_factory):
    """The settings of a program on this server, with migrated tables."""
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": server.url,
        "DATA_DIR": str(tmp_path_factory.mktemp("data")),
        "SECRET_KEY": secrets.token_hex(40),
        "CELERY_BROKER_URL": "filesystem://localhost",
    }
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=env, check=True)
    return env


# ---------------------------------------------------------------- an import


def cut_all(server) -> None:
    """End all connections but this one, as a failing network or an administrator does."""
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    with contextlib.suppress(psycopg.OperationalError), psycopg.connect(server.url) as connection:
        connection.execute(others)


SEEN = "(SELECT id FROM datasets_collection WHERE arriving_until IS NULL)"
CONTRADICTIONS = f"SELECT id FROM datasets_contradiction WHERE collection_id IN {SEEN}"
INSTANCES = f"SELECT id FROM datasets_instance WHERE contradiction_id IN ({CONTRADICTIONS})"


def counts(server) -> tuple[int, ...]:
    """Collections, contradictions and questions that people can see."""
    rows = (SEEN, f"({CONTRADICTIONS})", f"({INSTANCES})")
    with psycopg.connect(server.url) as connection:
        found = [
            connection.execute(f"SELECT count(*) FROM {each} AS it").fetchone() for each in rows
        ]
    return tuple(row[0] for row in found)


def let_holds_run_out(server) -> None:
    with psycopg.connect(server.url) as connection:
        connection.execute(
            "UPDATE datasets_collection SET arriving_until = arriving_until - interval '1 h'"
        )


def all_rows(server) -> tuple[int, ...]:
    tables = ("datasets_collection", "datasets_contradiction", "datasets_instance")
    with psycopg.connect(server.url) as connection:
        found = [connection.execute(f"SELECT count(*) FROM {table}").fetchone() for table in tables]
    return tuple(row[0] for row in found)


def test_an_import_under_cuts_and_a_kill_is_whole_or_absent(
    server, environment, tmp_path, seed, full_size
):
    rows, tries, chance = (
        (10_000, 8, random.Random(seed)) if full_size else (2_000, 2, random.Random(seed))
    )
    file = tmp_path / "mills.json"
    file.write_text(json.dumps([record(title=f"Mill {seed}-{n}") for n in range(rows)]))
    before = counts(server)
    whole = (before[0] + 1, before[1] + rows, before[2] + rows)
    command = [sys.executable, "manage.py", "import_dataset", "wikicontradict", str(file)]
    command += ["--collection", f"mills-{seed}"]

    def imported() -> subprocess.Popen:
        return subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    cut_short = 0
    for n in range(tries):
        running = imported()
        until(partial(begun, server, running), 60)
        pause(chance.uniform(0, 2.0 if full_size else 0.2))
        if n == tries // 2:
            server.kill()
            server.start()
        else:
            cut_all(server)
        _, said = running.communicate(timeout=120)
        if running.returncode:
            cut_short += 1
            assert "Traceback" not in said
            assert "run the command again" in said
        assert counts(server) in (before, whole)
    assert cut_short > 0, "no import was cut short"

    let_holds_run_out(server)
    again = [imported().communicate(timeout=600)[0] for _ in range(2)]
    assert counts(server) == all_rows(server) == whole
    assert "added                0" in again[1]


def begun(server, program) -> bool:
    """Whether a transaction has written, or the program has ended."""
    asked = "SELECT count(*) FROM pg_stat_activity WHERE backend_xid IS NOT NULL"
    with psycopg.connect(server.url) as connection:
        return connection.execute(asked).fetchone()[0] > 0 or program.poll() is not None


# ---------------------------------------------------------------- adjudication

CAME_APART = """
import sys
import django; django.setup()
from accounts.roles import Role
from judging import verdicts
from tests.factories import person
from tests.judging import factories as make
study = make.open_study(name=sys.argv[1], drawn_from=make.finished_run(int(sys.argv[2]), ["both-passages"], ["quokka"]))
for name, verdict in (("alice", "correct"), ("bob", "incorrect")):
    for slot in make.slots(study, make.judge(name)):
        verdicts.give(slot, verdict)
    verdicts.hand_in(make.judge(name), study)
person("charlie", Role.ADJUDICATOR)
"""

DECIDE_ALL = """
import django; django.setup()
from accounts.models import Person
from judging import adjudication
from tests.judging import factories as make
charlie = Person.objects.get(username="charlie")
for item in make.unresolved_for(charlie):
    mine = adjudication.item_for(charlie, item.pk)
    adjudication.decide(mine, by=charlie, verdict="correct", cause="slip")
    print(item.pk, flush=True)
"""


def resolutions(server) -> list[tuple[int, str]]:
    """Decided response and how it was decided, of every study."""
    with psycopg.connect(server.url) as connection:
        return connection.execute(
            "SELECT item_id, how FROM judging_resolution ORDER BY item_id"
        ).fetchall()


def test_decisions_under_cuts_and_a_kill_are_each_made_once(server, environment, seed, full_size):
    items = 200 if full_size else 25
    script = [sys.executable, "-c"]
    run = partial(subprocess.run, cwd=ROOT, env=environment, capture_output=True, text=True)
    run([*script, CAME_APART, f"Under cuts {seed}", str(items)], check=True)

    printed: set[int] = set()
    for n in range(200):
        running = subprocess.Popen(
            [*script, DECIDE_ALL],
            cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        # After a few reported decisions the connection is cut, and once the server is killed.
        for _ in range(5):
            printed |= {int(line) for line in [running.stdout.readline()] if line}
        if n == 1:
            server.kill()
            server.start()
        else:
            cut_all(server)
        printed |= {int(line) for line in running.communicate(timeout=120)[0].split()}
        if running.returncode == 0:
            break
    assert n >= 2, "no run was cut short"
    decided = resolutions(server)
    assert len(decided) == items
    assert {how for _, how in decided} == {"third_person"}
    # All reported decisions are stored.
    assert printed <= {item for item, _ in decided}
    run([*script, DECIDE_ALL], check=True)
    assert resolutions(server) == decided


# ---------------------------------------------------------------- pages

SOMEBODY = """
import django; django.setup()
from tests.annotation.factories import admin, annotator, campaign, draft
alice = annotator("{name}")
print(draft(alice, within=campaign(by=admin("for-{name}"), name="{name}")).pk)
"""


@pytest.fixture
def web(environment):
    """The address of a web server started as in the Procfile."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    env = {**environment, "BASE_URL": address}
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}"]
    command += ["--threads", "4", "--no-control-socket", "--log-level", "critical"]
    program = subprocess.Popen(command, cwd=ROOT, env=env, stderr=subprocess.DEVNULL)
    try:
        until(lambda: answers(address), 60)
        yield address
    finally:
        program.terminate()
        program.wait(30)


def answers(address) -> bool:
    try:
        return requests.get(f"{address}/healthz", timeout=5).ok
    except requests.RequestException:
        return False


def signed_in(web, name) -> tuple[requests.Session, dict[str, str]]:
    """A signed-in browser session, and the header of its saves."""
    session = requests.Session()
    session.get(f"{web}/sign-in/", timeout=60).raise_for_status()
    token = session.cookies["sicetnon_csrf"]
    form = {"csrfmiddlewaretoken": token, "username": name, "password": PASSWORD}
    answer = session.post(f"{web}/sign-in/", data=form, timeout=60, allow_redirects=False)
    assert answer.status_code == 302
    return session, {"X-CSRFToken": session.cookies["sicetnon_csrf"]}


def test_pages_and_saves_recover_by_themselves_when_the_server_is_killed_under_load(
    server, environment, web, seed
):
    name = f"alice-{seed}"
    program = [sys.executable, "-c", SOMEBODY.format(name=name)]
    printed = subprocess.run(program, cwd=ROOT, env=environment, check=True, capture_output=True)
    draft = int(printed.stdout)
    session, headers = signed_in(web, name)

    def save(version: int) -> requests.Response:
        return session.patch(
            f"{web}/api/drafts/{draft}/",
            json={"entries": {"statement_1": f"after {version}"}},
            headers={**headers, "If-Match": f'"{version}"'},
            timeout=60,
        )

    assert save(0).status_code == 200
    statuses, over = [], threading.Event()

    def load() -> None:
        while not over.is_set():
            statuses.append(requests.get(f"{web}/sign-in/", timeout=60).status_code)

    readers = [threading.Thread(target=load) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        server.kill()
        refused = save(1)
        page = session.get(f"{web}/annotate/", timeout=60)
        server.start()
        until(lambda: save(1).status_code in (200, 412), 30)
    finally:
        over.set()
        for reader in readers:
            reader.join()

    assert (refused.status_code, refused.json()["retry"]) == (503, True)
    assert page.status_code == 503
    assert "The database does not answer just now" in page.text
    assert session.get(f"{web}/annotate/", timeout=60).status_code == 200
    assert save(2).status_code == 200
    assert set(statuses) <= {200, 503}

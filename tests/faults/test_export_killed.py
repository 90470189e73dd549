"""An export while people write: killed midway it leaves no file, and a complete one is a consistent snapshot."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from datasets.models import Collection, Contradiction, Instance
from datasets.records import Draft, current, supersede
from generation.inference.embedded import ROOT
from leases.planner import learn_sizes
from tests.faults.conftest import database_url, pause, until

pytestmark = pytest.mark.django_db(transaction=True)

MOST_MEMORY = 300 * 1024  # kB

# Runs a command and prints its peak memory. An extra process, since the kernel counts for a new process the peak of
# its parent, here that of the whole test run.
WEIGHED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def mills(rows: int) -> Collection:
    made = Collection.objects.create(name="mills")
    Contradiction.objects.bulk_create(
        (
            Contradiction(
                collection=made,
                position=n,
                external_id=hashlib.sha256(str(n).encode()).hexdigest(),
                title=f"first {n}",
                validity="Invalid",
                valid_comment=f"It was built in {n}. " * 20,
            )
            for n in range(rows)
        ),
        batch_size=500,
    )
    keys = made.contradictions.values_list("pk", flat=True)
    asked = {"n": 1, "question": "When?", "answer_1": "Then", "answer_2": "Later", "kind": "wh"}
    questions = [Instance(contradiction_id=key, **asked) for key in keys]
    Instance.objects.bulk_create(questions, batch_size=500)
    learn_sizes()  # as a server does by itself; that of the tests does not
    return made


class Writers:
    """People who replace rows by new versions, each at their own positions, until the end."""

    def __init__(self, made: Collection, people: int, rows: int, seed: int) -> None:
        self._made, self._over = made, threading.Event()
        self._pool = ThreadPoolExecutor(people)
        self._writing = [
            self._pool.submit(self._write, range(n, rows, people), random.Random(seed * 100 + n))
            for n in range(people)
        ]

    def __enter__(self) -> "Writers":
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.edits = sum(one.result(60) for one in self._writing)
        self._pool.shutdown()

    def _write(self, positions: range, chance: random.Random) -> int:
        edits = 0
        try:
            while not self._over.wait(0.05):
                edits += 1
                position = chance.choice(positions)
                old = current(self._made).get(position=position)
                columns = {"title": f"{position}, edit {edits}", "validity": "Invalid"}
                supersede(contradiction=old, draft=Draft(columns, []))
        finally:
            connection.close()
        return edits


def exported(path) -> list[str]:
    """The titles of the file's records, in order."""
    return [record["title"] for record in json.loads(path.read_text())]


def state_at(made: Collection, newest: int) -> list[str]:
    """The titles at the moment after the row with the key `newest` was written.

    Writers of a collection go one after another, so keys are in the order in which rows became visible.
    """
    titles: dict[int, str] = {}
    rows = made.contradictions.filter(pk__lte=newest).order_by("pk")
    titles.update(rows.values_list("position", "title"))
    return [titles[position] for position in sorted(titles)]


@pytest.fixture
def export(tmp_path):
    """`export(*before)`: the running command in its own process, with `before` in front of it."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATA_DIR": str(tmp_path / "data"),
        "DATABASE_URL": database_url(),
    }
    (tmp_path / "data").mkdir()
    (tmp_path / "out").mkdir()
    command = [sys.executable, "manage.py", "export_dataset", "mills"]
    command += ["--format", "wikicontradict-json", "--out", str(tmp_path / "out" / "mills.json")]
    how = {"cwd": ROOT, "env": environment, "stdout": subprocess.PIPE, "text": True}
    return lambda *before: subprocess.Popen([*before, *command], **how)


def test_an_export_is_one_moments_state_and_a_killed_one_leaves_no_file(
    export, tmp_path, seed, full_size
):
    rows, people = 100_000 if full_size else 3_000, 20
    made, folder = mills(rows), tmp_path / "out"
    with Writers(made, people, rows, seed) as writers:
        killed = export()
        until(lambda: any(one.stat().st_size for one in folder.iterdir()), 120, every=0.01)
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate(timeout=10)
        assert killed.returncode == -signal.SIGKILL, "it was done before it was killed"
        assert not (folder / "mills.json").exists()

        pause(random.Random(seed).uniform(0, 0.5))
        whole = export(sys.executable, "-c", WEIGHED)
        memory, _ = whole.communicate(timeout=600)
    assert whole.returncode == 0
    assert writers.edits > 0
    assert int(memory) < MOST_MEMORY

    titles = exported(folder / "mills.json")
    newest = made.contradictions.filter(title__in=[t for t in titles if "edit" in t])
    assert titles == state_at(made, max(newest.values_list("pk", flat=True)))

"""A process killed at any step of a freeze leaves the whole release or none, and another one finishes it."""

import os
import signal
import subprocess
import sys

import pytest

from accounts.roles import Role
from datasets import tasks
from datasets.models import FreezeJob, Release, ReleaseFile
from datasets.releasing import freeze_jobs, stored_files
from datasets.releasing.verifying import problems
from generation.inference.embedded import ROOT
from leases.clock import in_seconds
from tests.datasets.factories import mills, record
from tests.factories import person
from tests.faults.conftest import database_url
from tests.races import at_once

pytestmark = pytest.mark.django_db(transaction=True)

# A line names a job and a function; a process of its own carries the job out, and is killed when that function has
# returned for the n-th time.
FREEZER = """
import os, signal, sys, django
django.setup()
from datasets.models import ReleaseFile
from datasets.releasing import freeze_jobs, freezing

PLACES = {"os": os, "freezing": freezing, "ReleaseFile": ReleaseFile, "freeze_jobs": freeze_jobs}

def deadly(real, left):
    def called(*args, **kwargs):
        result = real(*args, **kwargs)
        left.pop()
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    return called

for line in sys.stdin:
    key, place, name, n = line.split()
    if not (child := os.fork()):
        holder = PLACES[place]
        setattr(holder, name, deadly(getattr(holder, name), [1] * int(n)))
        freeze_jobs.carry_out(int(key))
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)
"""
STEPS = [
    "os fsync 1",  # the first file is written, and has no name yet
    *(f"os replace {n}" for n in range(1, 5)),  # after each file
    "freezing _bundled 1",  # before the rows
    "freezing locked 1",  # inside of the transaction
    "ReleaseFile save 2",
    "freezing record 1",
    "freeze_jobs settle 1",
    "freeze_jobs freeze 1",  # after it
]


@pytest.fixture
def freezer(settings, tmp_path):
    """`freezer(job, step)`: the exit status of a process that carried the job out."""
    settings.DATA_DIR = tmp_path
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATA_DIR": str(tmp_path),
        "DATABASE_URL": database_url(),
    }
    command = [sys.executable, "-c", FREEZER]
    how = {"cwd": ROOT, "env": environment, "stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, bufsize=1, **how) as process:

        def freeze(job, step):
            process.stdin.write(f"{job.pk} {step}\n")
            return int(process.stdout.readline())

        yield freeze
        process.stdin.close()


def test_a_freeze_that_is_killed_leaves_the_whole_release_or_none(freezer):
    collection, alice = mills(record(title="A"), record(title="B")), person("alice", Role.ADMIN)
    for n, step in enumerate(STEPS):
        version = f"{n}.0"
        job = freeze_jobs.begin(collection=collection, version=version, notes="", by=alice)
        assert freezer(job, step) == signal.SIGKILL, step
        left = Release.objects.filter(version=version)
        assert [list(problems(release)) for release in left] == (
            [[]] if n == len(STEPS) - 1 else []
        )
        FreezeJob.objects.filter(state="running").update(lease_until=in_seconds(-1))
        tasks.sweep_freezes()
        freeze_jobs.carry_out(job.pk)
        job.refresh_from_db()
        assert (job.state, list(problems(left.get()))) == ("done", []), step
    stored = [path for path in stored_files.folder().rglob("*") if path.is_file()]
    for path in stored:
        os.utime(path, (0, 0))
    named = set(ReleaseFile.objects.values_list("sha256", flat=True))
    assert stored_files.remove_unnamed() == len(stored) - len(named) > 0
    assert not any(said for release in Release.objects.all() for said in problems(release))


def test_four_people_who_freeze_one_version_make_one_release(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    collection = mills(record(title="A"), record(title="B"))
    people = [person(name, Role.ADMIN) for name in ("alice", "bob", "charlie", "dora")]

    def clicks(by):
        job = freeze_jobs.begin(collection=collection, version="1.0", notes="", by=by)
        freeze_jobs.carry_out(job.pk)

    at_once(*(lambda by=by: clicks(by) for by in people))
    assert FreezeJob.objects.get().state == "done"
    assert list(problems(Release.objects.get())) == []

"""A process killed at any step of a freeze leaves the whole release or none, and another one finishes it."""

import os
import signal

import pytest

from accounts.roles import Role
from datasets import tasks
from datasets.models import FreezeJob, Release, ReleaseFile
from datasets.releasing import freeze_jobs, stored_files
from datasets.releasing.verifying import problems
from leases.clock import in_seconds
from tests.datasets.factories import mills, record
from tests.factories import person
from tests.faults.killed import deadly_process
from tests.races import at_once

pytestmark = pytest.mark.django_db(transaction=True)

STEPS = [
    "os fsync 1",  # the first file is written, and has no name yet
    *(f"os replace {n}" for n in range(1, 5)),  # after each file
    "datasets.releasing.freezing _bundled 1",  # before the rows
    "datasets.releasing.freezing locked 1",  # inside of the transaction
    "datasets.models:ReleaseFile save 2",
    "datasets.releasing.freezing record 1",
    "datasets.releasing.freeze_jobs settle 1",
    "datasets.releasing.freeze_jobs freeze 1",  # after it
]


@pytest.fixture
def freezer(settings, tmp_path):
    """`freezer(job, step)`: the exit status of a process that carried the job out."""
    settings.DATA_DIR = tmp_path
    with deadly_process(tmp_path) as run:
        code = "from datasets.releasing import freeze_jobs; freeze_jobs.carry_out({})"
        yield lambda job, step: run(code.format(job.pk), step)


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

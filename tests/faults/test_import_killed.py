"""A process killed at any step of an import or its undoing leaves all of it or nothing, and another one finishes it."""

import errno
import os
import signal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.roles import Role
from datasets import tasks
from datasets.importers import import_jobs
from datasets.models import Collection, Contradiction, ImportJob
from leases.clock import in_seconds
from leases.refusal import Refusal
from tests.datasets.factories import imported, record, text_of
from tests.factories import person
from tests.faults.killed import deadly_process

pytestmark = pytest.mark.django_db(transaction=True)

CHECKING = [
    "datasets.importers.import_jobs take 1",
    "datasets.importers.import_files read_draft 3",
    "datasets.importers.import_files check_file 1",
]
IMPORTING = [
    "datasets.importers.import_jobs take 1",
    "datasets.importers.arriving add_contradictions 1",  # inside of the transaction
    "datasets.importers.arriving _shown 1",
    "datasets.importers.import_jobs settle 1",
    "datasets.importers.arriving learn_sizes_on_commit 1",  # after it
]
UNDOING = [
    "datasets.importers.undoing uses 1",
    "datasets.models:Collection.everything create 1",
    "datasets.importers.import_jobs record 1",
]
REMOVING = ["datasets.importers.arriving came_along 1", "datasets.models:Instance.objects filter 1"]


@pytest.fixture
def killed(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    known = "from datasets import tasks; from datasets.importers import import_jobs; "
    known += "from datasets.models import ImportJob; "
    with deadly_process(tmp_path) as run:
        yield lambda code, step: run(known + code, step)


@pytest.fixture
def olga(db):
    return person("olga", Role.ADMIN)


def begun(by, n=40):
    return import_jobs.begin(
        file=SimpleUploadedFile("a", text_of(*(record(title=f"Mill {k}") for k in range(n)))),
        collection_name="mills",
        format="wikicontradict",
        is_confirmed=False,
        by=by,
    )


def next_worker():
    """Takes up what a dead one has left."""
    ImportJob.objects.filter(state="running").update(lease_until=in_seconds(-1))
    for key in import_jobs.sweep_jobs():
        import_jobs.carry_out(key)


def seen():
    return Contradiction.objects.filter(collection__in=Collection.objects.all()).count()


def test_an_import_that_is_killed_is_whole_or_not_there(killed, olga):
    imported(record(title="Before"))
    for step in CHECKING:
        job = begun(olga)
        assert killed(f"import_jobs.carry_out({job.pk})", step) == signal.SIGKILL, step
        assert (seen(), Contradiction.objects.count()) == (1, 1)
        next_worker()
        job.refresh_from_db()
        assert (job.state, job.report["added"]) == ("checked", 40)
        import_jobs.discard(job)
    for step in IMPORTING:
        job = begun(olga)
        next_worker()
        import_jobs.confirm(job := ImportJob.objects.get(pk=job.pk))
        assert killed(f"import_jobs.carry_out({job.pk})", step) == signal.SIGKILL, step
        job.refresh_from_db()
        is_over = job.state == "done"
        assert is_over == (step == IMPORTING[-1])
        assert seen() == (41 if is_over else 1)
        next_worker()
        job.refresh_from_db()
        assert (job.state, job.report["added"], seen()) == ("done", 40, 41), step
        import_jobs.undo(job, olga)
        Collection.everything.filter(arriving_until__isnull=False).update(
            arriving_until=in_seconds(-1)
        )
        tasks.sweep_imports()
        assert Contradiction.objects.count() == 1


def test_undoing_that_is_killed_is_done_or_not_begun(killed, olga):
    job = begun(olga)
    next_worker()
    import_jobs.confirm(ImportJob.objects.get())
    next_worker()
    undo = f"job = ImportJob.objects.get(pk={job.pk}); import_jobs.undo(job, job.created_by)"
    for step in UNDOING:
        assert killed(undo, step) == signal.SIGKILL, step
        job.refresh_from_db()
        assert (job.state, seen()) == ("done", 40)
    import_jobs.undo(job, olga)
    for step in REMOVING:
        assert killed("tasks.sweep_imports()", step) == signal.SIGKILL, step
        assert seen() == 0
    tasks.sweep_imports()
    assert not Contradiction.objects.exists()
    assert not Collection.everything.exists()


def test_where_the_disk_fills_while_a_file_is_kept_nothing_of_it_stays(
    olga, settings, tmp_path, monkeypatch
):
    settings.DATA_DIR = tmp_path
    chunks = SimpleUploadedFile.chunks

    def full(self, *given):
        yield from chunks(self, *given)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(SimpleUploadedFile, "chunks", full)
    with pytest.raises(Refusal, match="could not be kept: No space left on device") as refused:
        begun(olga)
    assert refused.value.status == 507
    assert list((tmp_path / "uploads").iterdir()) == []
    assert not ImportJob.objects.exists()
    monkeypatch.undo()
    begun(olga)

"""Imports by workers: a file is imported once, whoever dies over it, and its row says what came of it."""

import os
from pathlib import Path

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError

from accounts.roles import Role
from datasets import tasks
from datasets.importers import import_jobs
from datasets.models import Collection, ImportJob
from datasets.records import current
from leases.clock import in_seconds
from leases.refusal import NotFoundHere, Refusal
from tests.datasets.factories import annotation, record, text_of
from tests.factories import person

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(tmp_path, settings):
    settings.DATA_DIR = tmp_path
    return tmp_path / "uploads"


def begun(data, name="mills.json", into="mills", by=""):
    return import_jobs.begin(
        file=SimpleUploadedFile(name, data),
        collection_name=into,
        format="wikicontradict",
        by=person(by or "olga", Role.ADMIN),
    )


def carried_out(job):
    import_jobs.carry_out(job.pk)
    job.refresh_from_db()
    return job


def files(folder):
    return list(folder.iterdir())


def test_a_file_is_imported_and_then_removed(folder):
    job = begun(text_of(record(), record(), record(title="B", given=annotation(confidence=""))))
    assert (job.state, len(files(folder))) == ("waiting", 1)
    carried_out(job)
    assert job.state == "done"
    assert job.finished_at is not None
    known = {key: job.report[key] for key in ("records", "added", "already_there", "repeated")}
    assert known == {"records": 3, "added": 2, "already_there": 0, "repeated": [[2, 1]]}
    assert job.report["deviations"] == {"no confidence given": 1}
    assert files(folder) == []
    collection = Collection.objects.get()
    assert (current(collection).count(), collection.source, collection.created_by.username) == (
        2,
        "mills.json",
        "olga",
    )


def test_a_refused_file_says_why_and_leaves_nothing(folder):
    job = carried_out(begun(text_of({"title": "no record"})))
    assert (job.state, job.report) == ("failed", None)
    assert job.error == "1 of 1 records cannot be read; nothing was imported."
    assert job.problems
    assert not Collection.everything.exists()
    assert files(folder) == []


@pytest.mark.parametrize(
    "data", [b"[{", b"\xff", b"", b"[" * 10_000, b'[{"title": "a\\u0000b"}]', b"[NaN]"]
)
def test_what_is_no_file_of_records_is_refused(data):
    job = carried_out(begun(data))
    assert job.state == "failed"
    assert job.error


def test_a_name_or_format_that_is_none_is_refused_at_once(folder):
    with pytest.raises(Refusal, match="cannot name a collection"):
        begun(b"[]", into="../mills")
    with pytest.raises(NotFoundHere, match="There is no format 'table'"):
        import_jobs.begin(
            file=SimpleUploadedFile("a", b"[]"),
            collection_name="mills",
            format="table",
            by=person("oscar", Role.ADMIN),
        )
    assert not folder.exists()


def test_without_room_no_import_begins(folder):
    folder.write_text("a file where the folder should be")
    with pytest.raises(Refusal, match="The file could not be kept") as refused:
        begun(text_of(record()))
    assert (refused.value.status, refused.value.retry) == (507, True)
    assert not ImportJob.objects.exists()


def test_a_file_that_is_gone_is_said(folder):
    job = begun(text_of(record()))
    for path in files(folder):
        path.unlink()
    assert carried_out(job).error == "The file is gone from the data folder. Send it again."


def stopping(monkeypatch, error):
    def imported(job, holder):
        raise error

    monkeypatch.setattr(import_jobs, "_carried_out", imported)


@pytest.mark.parametrize("error", [ZeroDivisionError, SoftTimeLimitExceeded])
def test_an_error_of_the_program_ends_an_import_at_once(monkeypatch, folder, error):
    job = begun(text_of(record()))
    stopping(monkeypatch, error)
    with pytest.raises(error):
        import_jobs.carry_out(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", import_jobs.STOPPED)
    assert files(folder) == []


def test_a_file_that_no_import_names_is_removed_after_a_day(folder):
    waiting, lost = begun(text_of(record())), begun(text_of(record(title="B")), by="oscar")
    lost.delete()
    assert import_jobs.remove_unnamed() == 0
    for path in files(folder):
        os.utime(path, (0, 0))
    (folder / "ab.export").touch()
    os.utime(folder / "ab.export", (0, 0))
    assert tasks.remove_unnamed_files() == 1
    assert {path.stem for path in files(folder)} == {waiting.upload.hex, "ab"}


def test_an_import_whose_worker_died_is_begun_again(monkeypatch):
    job = begun(text_of(record()))
    stopping(monkeypatch, OperationalError)
    with pytest.raises(OperationalError):
        import_jobs.carry_out(job.pk)
    monkeypatch.undo()
    import_jobs.carry_out(job.pk)  # still held
    assert not Collection.objects.exists()
    ImportJob.objects.update(lease_until=in_seconds(-1))
    assert import_jobs.sweep_jobs() == [job.pk]
    assert carried_out(job).report["added"] == 1
    assert import_jobs.sweep_jobs() == []


def test_an_import_that_kills_every_worker_is_given_up(folder):
    job = begun(text_of(record()))
    ImportJob.objects.update(attempts=import_jobs.MAX_ATTEMPTS)
    assert import_jobs.sweep_jobs() == []
    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", "Given up after 3 workers died over it.")
    assert files(folder) == []


def test_a_worker_that_lost_the_import_stores_nothing(monkeypatch):
    """Another has it: what this one read is left, and the row says nothing of it."""
    monkeypatch.setattr(import_jobs, "BEAT", 0)
    job = begun(text_of(record()))
    renew = import_jobs.renew

    def swept(row, **lease):
        ImportJob.objects.update(lease_holder="another")
        return renew(row, **lease)

    monkeypatch.setattr(import_jobs, "renew", swept)
    carried_out(job)
    assert (job.state, job.lease_holder) == ("running", "another")
    assert not Collection.everything.exists()


def test_the_sweeper_wakes_what_waits(monkeypatch):
    """The message may be lost."""
    job, sent = begun(text_of(record())), []
    monkeypatch.setattr(tasks, "send", lambda task, *args: sent.append((task.name, args)))
    tasks.sweep_imports()
    assert sent == [("datasets.tasks.carry_out_import", (job.pk,))]


def test_a_made_up_name_of_a_file_is_only_shown(folder):
    job = begun(text_of(record()), name="../../etc/passwd")
    assert carried_out(job).state == "done"
    assert not Path(folder.parent / "etc").exists()

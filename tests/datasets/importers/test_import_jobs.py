"""Imports by workers: a file is imported once, whoever dies over it, and its row says what came of it."""

import os
from contextlib import suppress
from functools import partial

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, transaction

from accounts.models import Person
from accounts.roles import Role
from datasets import tasks
from datasets.importers import arriving, import_jobs
from datasets.models import Collection, Contradiction, ImportJob
from datasets.records import current
from leases.clock import in_seconds
from leases.refusal import Conflict, NotFoundHere, Refusal
from tests.datasets.factories import annotation, imported, record, text_of
from tests.factories import person
from tests.races import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(tmp_path, settings):
    settings.DATA_DIR = tmp_path
    return tmp_path / "uploads"


def admin(name):
    return Person.objects.filter(username=name).first() or person(name, Role.ADMIN)


def begun(data, name="mills.json", into="mills", by=""):
    return import_jobs.begin(
        file=SimpleUploadedFile(name, data),
        collection_name=into,
        format="wikicontradict",
        by=admin(by or "olga"),
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
    assert job.error == "The record cannot be read; nothing was imported."
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
            by=admin("oscar"),
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


@pytest.mark.both
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


@pytest.mark.both
def test_an_import_that_kills_every_worker_is_given_up(folder, django_capture_on_commit_callbacks):
    job = begun(text_of(record()))
    ImportJob.objects.update(attempts=import_jobs.MAX_ATTEMPTS)
    with django_capture_on_commit_callbacks(execute=True):
        assert import_jobs.sweep_jobs() == []
    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", "Given up after 3 workers died over it.")
    assert files(folder) == []


@pytest.mark.both
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


@pytest.mark.both
def test_the_sweeper_wakes_what_waits(monkeypatch):
    """The message may be lost."""
    job, sent = begun(text_of(record())), []
    monkeypatch.setattr(tasks, "send", lambda task, *args: sent.append((task.name, args)))
    tasks.sweep_imports()
    assert sent == [("datasets.tasks.carry_out_import", (job.pk,))]


def to_check(data=None, by="", **asked):
    return import_jobs.begin(
        file=SimpleUploadedFile("mills.json", data or text_of(record())),
        collection_name="mills",
        format="wikicontradict",
        is_confirmed=False,
        by=admin(by or "olga"),
        **asked,
    )


@pytest.mark.both
def test_a_file_is_checked_confirmed_and_imported(folder):
    job = carried_out(to_check(text_of(record(), record(), record(title="B"))))
    assert (job.state, job.report["added"], job.report["repeated"]) == ("checked", 2, [[2, 1]])
    assert not Collection.everything.exists()
    assert len(files(folder)) == 1
    for _ in range(2):
        import_jobs.confirm(ImportJob.objects.get())
    assert carried_out(job).report["added"] == 2
    import_jobs.confirm(ImportJob.objects.get())  # a click in another tab
    assert carried_out(job).state == "done"
    assert files(folder) == []


def test_what_is_checked_says_the_same_as_what_is_imported():
    imported(record(title="B"), into="mills")
    data = text_of(record(), record(title="B"), record(title="C", given=annotation(confidence="")))
    checked = carried_out(to_check(data)).report
    import_jobs.confirm(ImportJob.objects.get())
    assert carried_out(ImportJob.objects.get()).report == checked
    assert checked["already_there"] == 1


def test_a_checked_file_can_be_discarded_and_not_imported_then(
    folder, django_capture_on_commit_callbacks
):
    job = carried_out(to_check())
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(2):
            import_jobs.discard(ImportJob.objects.get())
    assert files(folder) == []
    with pytest.raises(Conflict, match="This import is discarded"):
        import_jobs.confirm(job)
    assert carried_out(job).state == "discarded"


def test_the_file_of_a_check_that_is_not_discarded_after_all_is_kept(folder):
    job = carried_out(to_check())
    with suppress(Refusal), transaction.atomic():
        import_jobs.discard(job)
        raise Refusal("Another part of the request is refused.")
    assert len(files(folder)) == 1


def test_a_file_that_is_imported_again_is_as_new_as_its_import(folder):
    """Before its row is seen, its file might be taken for one that no import names."""
    job = carried_out(to_check())
    os.utime(files(folder)[0], (0, 0))
    import_jobs.begin_again(job, collection_name="others", options={}, by=job.created_by)
    assert all(path.stat().st_mtime for path in files(folder))


@pytest.mark.both
def test_a_worker_goes_by_what_was_chosen_before_it_took_the_job(monkeypatch):
    job, take = begun(text_of(record())), import_jobs.take

    def later(*given, **lease):
        ImportJob.objects.update(collection="chosen")
        return take(*given, **lease)

    monkeypatch.setattr(import_jobs, "take", later)
    assert carried_out(job).state == "done"
    assert Collection.objects.get().name == "chosen"


def test_an_import_that_is_cancelled_stores_nothing(monkeypatch, folder):
    """By its sender, between its last record and its end."""
    job, shown = begun(text_of(record())), arriving._shown

    def cancelled(*given):
        ImportJob.objects.update(state="discarded", lease_holder="", lease_until=None)
        return shown(*given)

    monkeypatch.setattr(arriving, "_shown", cancelled)
    # In one transaction here, which is rolled back with the records.
    import_jobs.carry_out(job.pk)
    assert not Collection.everything.exists()
    assert not Contradiction.objects.exists()


def test_a_file_on_which_nobody_decides_is_removed_after_a_week(
    folder, django_capture_on_commit_callbacks
):
    job = carried_out(to_check())
    ImportJob.objects.update(created_at=in_seconds(-import_jobs.KEPT + 60))
    import_jobs.sweep_jobs()
    assert len(files(folder)) == 1
    ImportJob.objects.update(created_at=in_seconds(-import_jobs.KEPT - 60))
    with django_capture_on_commit_callbacks(execute=True):
        import_jobs.sweep_jobs()
    job.refresh_from_db()
    assert (job.state, job.error) == ("expired", import_jobs.LAPSED)
    assert files(folder) == []


def test_the_file_of_a_checked_import_is_not_removed_as_unnamed(folder):
    carried_out(to_check())
    for path in files(folder):
        os.utime(path, (0, 0))
    assert import_jobs.remove_unnamed() == 0


@pytest.mark.both
def test_who_sends_a_file_that_is_under_way_gets_that_import_and_others_are_refused(folder):
    job, again = to_check(), to_check()
    assert (again.pk, len(files(folder))) == (job.pk, 1)
    with pytest.raises(Conflict, match="Somebody else is importing this file"):
        to_check(by="oscar")
    assert len(files(folder)) == 1
    with pytest.raises(NotFoundHere):
        import_jobs.import_of(person("max", Role.ADMIN), job.pk)
    carried_out(job)
    import_jobs.discard(job)
    assert to_check().pk != job.pk


def test_a_file_that_is_sent_under_another_name_is_another_import():
    """The name may say which part of a data set it is; and it is its sender's."""
    job, other = begun(text_of(record())), begun(text_of(record()), "mühle.json", by="oscar")
    assert (job.file_name, other.file_name) == ("mills.json", "mühle.json")


def test_a_file_that_is_being_checked_is_not_sent_to_be_imported_besides(folder):
    job = to_check()
    for _ in range(2):
        with pytest.raises(Conflict, match=f"Confirm or discard import {job.pk} first"):
            begun(text_of(record()))
        assert len(files(folder)) == 1
        carried_out(job)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"hue": "red"}, "has no option 'hue'"),
        ({"taken": "first"}, "has no option 'taken'"),
    ],
)
def test_an_option_that_the_format_lacks_is_refused(options, says):
    with pytest.raises(Refusal, match=says):
        to_check(options=options)


def test_a_kind_that_is_none_is_refused():
    with pytest.raises(NotFoundHere, match="There are no imports of 'wishes'; there are records"):
        to_check(kind="wishes")


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_one_file_that_two_people_send_at_once_is_imported_once(folder):
    people = [person(name, Role.ADMIN) for name in ("olga", "oscar")]
    data = text_of(*(record(title=f"Mill {n}") for n in range(30)))

    def sends(by):
        job = import_jobs.begin(
            file=SimpleUploadedFile("mills.json", data),
            collection_name="mills",
            format="wikicontradict",
            is_confirmed=False,
            by=by,
        )
        import_jobs.carry_out(job.pk)

    def confirms():
        job = ImportJob.objects.get()
        import_jobs.confirm(job)
        import_jobs.carry_out(job.pk)

    met = at_once(*(partial(sends, by) for by in people))
    assert sorted(type(one).__name__ for one in met) == ["Conflict", "NoneType"]
    job = ImportJob.objects.get()
    assert (job.state, len(files(folder))) == ("checked", 1)
    assert at_once(*[confirms] * 3) == [None] * 3
    job.refresh_from_db()
    assert (job.state, job.report["added"], files(folder)) == ("done", 30, [])
    assert Contradiction.objects.count() == 30


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_who_imports_and_who_discards_at_once_do_one_of_both():
    carried_out(to_check())

    def imports():
        job = ImportJob.objects.get()
        import_jobs.confirm(job)
        import_jobs.carry_out(job.pk)

    at_once(imports, lambda: import_jobs.discard(ImportJob.objects.get()))
    state = ImportJob.objects.get().state
    assert (state, Contradiction.objects.count()) in [("done", 1), ("discarded", 0)]
    assert Collection.everything.count() == Contradiction.objects.count()


def test_a_made_up_name_of_a_file_is_only_shown(folder):
    file = SimpleUploadedFile("mills.json", text_of(record()))
    file._name = "../../etc/mills.json"  # past Django, which keeps the last part of a name
    before = {*folder.parent.parent.rglob("*")}
    job = import_jobs.begin(
        file=file, collection_name="mills", format="wikicontradict", by=admin("olga")
    )
    assert job.file_name == "../../etc/mills.json"
    [kept] = files(folder)
    assert {*folder.parent.parent.rglob("*")} - before == {folder, kept}
    assert carried_out(job).state == "done"

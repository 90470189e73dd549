"""A large collection is frozen by a worker: one release, with progress, also after a kill, a cancel or two clicks."""

from contextlib import suppress

import pytest
from django.db import OperationalError
from pytest_django.asserts import assertContains, assertNotContains

from accounts.roles import Role
from datasets import tasks
from datasets.models import FreezeJob, Release
from datasets.records import current
from datasets.releasing import freeze_jobs, freezing
from datasets.releasing.verifying import problems
from datasets.states import FreezeState
from leases.clock import in_seconds
from leases.refusal import Conflict
from tests import conflictbank
from tests.datasets.factories import edited, imported, mills, record
from tests.datasets.test_exclusions import excluded
from tests.factories import person, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/collections/mills/freezing/1.0/"


@pytest.fixture(autouse=True)
def small(settings, tmp_path, monkeypatch):
    """Two records are many; no thread, which would not see the rows of a test's transaction."""
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(freeze_jobs, "LARGE", 1)
    monkeypatch.setattr(freeze_jobs, "BEAT_SECONDS", 3600)


@pytest.fixture
def alice():
    return person("alice", Role.ADMIN)


@pytest.fixture
def collection():
    return mills(record(title="A"), record(title="B"))


def begun(collection, by, **options):
    return freeze_jobs.begin(collection=collection, version="1.0", **{"notes": "", "by": by, **options})  # fmt: skip


def killed(job, monkeypatch):
    """A worker that was killed within its job, whose lease has run out."""

    def dies(*args, **kwargs):
        raise OperationalError("as if it were killed")

    monkeypatch.setattr(freezing, "_bundled", dies)
    with suppress(OperationalError):
        freeze_jobs.carry_out(job.pk)
    monkeypatch.undo()
    FreezeJob.objects.update(lease_until=in_seconds(-1))


@pytest.mark.both
def test_a_click_on_a_large_collection_begins_one_job(client, alice, collection):
    signed_in(client, alice)
    for _ in range(2):
        answer = client.post("/collections/mills/releases/", {"version": "1.0", "notes": "N"})
        assert (answer.status_code, answer["Location"]) == (302, PAGE)
    job = FreezeJob.objects.get()
    assert (job.notes, job.started_by, job.state) == ("N", alice, "waiting")
    assertContains(client.get(PAGE), "It begins when a worker is free.")
    assertContains(client.get("/collections/mills/"), "is being frozen.")
    tasks.carry_out_freeze(job.pk)
    release = Release.objects.get()
    assert (release.notes, release.created_by, list(problems(release))) == ("N", alice, [])
    assert client.get(PAGE)["Location"] == "/collections/mills/releases/1.0/"
    polled = client.get(PAGE, headers={"HX-Request": "true"})
    assert polled["HX-Redirect"] == "/collections/mills/releases/1.0/"
    assertNotContains(client.get("/collections/mills/"), "is being frozen")


def test_a_small_collection_is_frozen_at_once(client, alice):
    mills(record(title="A"))
    signed_in(client, alice)
    answer = client.post("/collections/mills/releases/", {"version": "1.0"})
    assert answer["Location"] == "/collections/mills/releases/1.0/"
    assert not FreezeJob.objects.exists()


def test_what_somebody_else_freezes_is_a_conflict_that_keeps_the_words(client, alice, collection):
    begun(collection, person("bob", Role.ADMIN), notes="His")
    signed_in(client, alice)
    answer = client.post("/collections/mills/releases/", {"version": "1.0", "notes": "Hers"})
    assertContains(answer, "is being frozen already", status_code=400)
    assertContains(answer, "Hers", status_code=400)
    assert FreezeJob.objects.get().notes == "His"


@pytest.mark.parametrize("made", [lambda: mills(record(title="A"), record(title="B")),
                                  lambda: conflictbank.collection(2)])  # fmt: skip
def test_progress_ends_where_it_should(alice, made):
    job = begun(made(), alice)
    freeze_jobs.carry_out(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.lease_holder) == ("done", job.total, "")
    assert job.done > 0


@pytest.mark.both
def test_a_job_whose_worker_was_killed_is_taken_up(monkeypatch, alice, collection):
    job = begun(collection, alice)
    killed(job, monkeypatch)
    assert not Release.objects.exists()
    freeze_jobs.carry_out(job.pk)  # not before it is swept
    job.refresh_from_db()
    assert job.state == "running"
    tasks.sweep_freezes()
    freeze_jobs.carry_out(job.pk)
    freeze_jobs.carry_out(job.pk)  # a message may come twice
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("done", 2)
    assert list(problems(Release.objects.get())) == []


@pytest.mark.both
def test_a_job_that_kills_its_workers_ends_with_a_sentence(client, monkeypatch, alice, collection):
    job = begun(collection, alice)
    for _ in range(tasks.MOST_ATTEMPTS):
        killed(job, monkeypatch)
        tasks.sweep_freezes()
    signed_in(client, alice)
    assertContains(client.get(PAGE), "3 workers stopped while they froze it")
    assertContains(client.get("/collections/mills/"), "3 workers stopped while they froze it")
    assert not Release.objects.exists()
    assert begun(collection, alice).state == "waiting"
    freeze_jobs.carry_out(job.pk)
    assert Release.objects.exists()


CHANGES = {
    "added": lambda collection: imported(record(title="C")),
    "superseded": lambda collection: edited(current(collection).first(), title="B2"),
}


@pytest.mark.both
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_collection_that_changes_meanwhile_ends_the_job(monkeypatch, alice, collection, change):
    job, bundled = begun(collection, alice), freezing._bundled

    def changed(*args):
        change(collection)
        return bundled(*args)

    monkeypatch.setattr(freezing, "_bundled", changed)
    freeze_jobs.carry_out(job.pk)
    job.refresh_from_db()
    assert (job.state, Release.objects.count()) == ("failed", 0)
    assert "The collection changed while it was frozen" in job.error


def test_a_job_of_excluded_questions_ends_with_the_refusal(alice):
    collection = mills(record(), record(title="B"))
    for row in current(collection):
        excluded(row.instances.get(), alice)
    job = begun(collection, alice)
    freeze_jobs.carry_out(job.pk)
    job.refresh_from_db()
    assert (job.state, "is excluded" in job.error) == ("failed", True)


def test_an_error_of_the_program_ends_the_job_and_is_raised(monkeypatch, alice, collection):
    job = begun(collection, alice)
    monkeypatch.setattr(freezing, "_bundled", lambda *args: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        freeze_jobs.carry_out(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", freeze_jobs.STOPPED)


@pytest.mark.both
@pytest.mark.parametrize("late", ["_bundled", "_content"], ids=["while writing", "in the rows"])
def test_a_job_that_is_cancelled_meanwhile_releases_nothing(monkeypatch, alice, collection, late):
    job, real = begun(collection, alice), getattr(freezing, late)
    calls = []

    def cancelled(*args):
        calls.append(args)
        if late == "_bundled" or len(calls) == 2:
            freeze_jobs.cancel(FreezeJob.objects.get())
        return real(*args)

    monkeypatch.setattr(freezing, late, cancelled)
    freeze_jobs.carry_out(job.pk)
    job.refresh_from_db()
    if late == "_bundled":
        assert job.state == FreezeState.CANCELLED
    assert not Release.objects.exists()


def test_a_failed_job_is_removed_from_the_list_by_an_admin(client, alice, collection):
    job = begun(collection, alice)
    FreezeJob.objects.filter(pk=job.pk).update(state="failed", error="No room.")
    signed_in(client, alice)
    assertContains(client.get(PAGE), "Remove from the list")
    assert client.post(f"{PAGE}cancel/").status_code == 302
    assertNotContains(client.get("/collections/mills/"), "could not be frozen")
    assert client.post(f"{PAGE}cancel/").status_code == 409
    signed_in(client, person("anna", Role.ANNOTATOR))
    assertNotContains(client.get(PAGE), "cancel/")


@pytest.mark.both
def test_a_version_that_exists_begins_no_job(alice, collection):
    freezing.freeze(collection=collection, version="1.0")
    with pytest.raises(Conflict, match=r"Version 1\.0 of mills exists"):
        begun(collection, alice)

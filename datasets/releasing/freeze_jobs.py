"""Freezing a large collection: a job that a worker carries out while others read its progress.

A worker holds the job's lease and renews it in a thread. A job whose worker was killed is taken up from its start. The
release's rows and the end of the job are one transaction, so a job that was cancelled or swept meanwhile releases
nothing.
"""

import threading
from collections.abc import Iterator
from types import TracebackType

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts.models import Person
from datasets.exporters import exporters_of
from datasets.models import Collection, FreezeJob
from datasets.records import current, locked
from datasets.releasing.bundle.writing import readings
from datasets.releasing.freezing import check_version, freeze
from datasets.releasing.withholding import given_out
from datasets.states import FREEZE_JOB, FreezeState
from datasets.streaming import StreamedRow
from leases.claim import FREE, renew, settle, take
from leases.holders import new_holder
from leases.refusal import Conflict, Refusal
from leases.rows import first_of

log = structlog.get_logger(__name__)

LARGE = 10_000  # records; more than these are frozen by a job
LEASE_SECONDS, BEAT_SECONDS = 60, 2.0
STOPPED = (
    "The freeze stopped on an error of this program, so nothing was released. Its log says more."
)
OPEN = (FreezeState.WAITING, FreezeState.RUNNING)


class FreezeLeaseLost(Exception):
    """The job was cancelled, or swept and given to another worker."""


def is_large(collection: Collection) -> bool:
    return current(collection).count() > LARGE


@transaction.atomic
def begin(
    *, collection: Collection, version: str, notes: str, by: Person, doi: str = ""
) -> FreezeJob:
    """The job that freezes this version; a second click gets the same one.

    Raises Refusal for what is no version, Conflict for one that exists or that somebody else is freezing.
    """
    locked(collection)
    check_version(collection, version)
    asked = {"notes": notes, "doi": doi, "started_by": by}
    job = collection.freezes.filter(version=version).first()
    if job is None:
        return FreezeJob.objects.create(collection=collection, version=version, **asked)
    if job.state not in OPEN:
        # One that is done has a release, unless that was removed.
        again = {**asked, "error": "", "attempts": 0, "done": 0}
        FREEZE_JOB.require(job, "again", **again, finished_at=None)
    elif any(getattr(job, name) != value for name, value in asked.items()):
        raise Conflict(f"Version {version} of {collection.name} is being frozen already.")
    return job


def job_of(collection: Collection, version: str) -> FreezeJob:
    """The job that freezes this version. Raises NotFoundHere."""
    rows = collection.freezes.filter(version=version)
    return first_of(rows, f"Nobody freezes version {version!r} of {collection.name}.")


def unfinished(collection: Collection) -> QuerySet[FreezeJob]:
    """The jobs that are under way or have failed."""
    return collection.freezes.filter(state__in=[*OPEN, FreezeState.FAILED])


def cancel(job: FreezeJob) -> None:
    """End a job without a release. Raises Conflict when it is over."""
    FREEZE_JOB.require(job, "cancel", **FREE, finished_at=Now())


def carry_out(key: int) -> None:
    """Carry a waiting job out, to its end; nothing where it does not wait any more."""
    holder, rows = new_holder("freeze"), FreezeJob.objects.filter(pk=key)
    if not take(rows, FREEZE_JOB, "start", seconds=LEASE_SECONDS, holder=holder, done=0):
        return
    job = rows.select_related("collection__protocol", "started_by").get()
    try:
        with _Heart(job, holder) as heart:
            freeze(
                collection=job.collection,
                version=job.version,
                notes=job.notes,
                doi=job.doi,
                by=job.started_by,
                along=heart.along,
                recorded=heart.recorded,
            )
    except FreezeLeaseLost:
        log.info("freeze_lease_lost", job=job.pk)
    except Refusal as refused:
        _fail(job, holder, refused.message)
    except (InterfaceError, OperationalError):
        raise  # a database outage: the lease expires, and the job is taken up
    except Exception:
        _fail(job, holder, STOPPED)
        raise


def _fail(job: FreezeJob, holder: str, error: str) -> None:
    settle(job, FREEZE_JOB, "fail", holder=holder, error=error, finished_at=Now())


class _Heart:
    """Renews the job's lease and writes its progress, in a thread: SQLite lets no connection write from which rows of
    an earlier state are read.
    """

    def __init__(self, job: FreezeJob, holder: str) -> None:
        self._job, self._holder = job, holder
        collection = job.collection
        times = len(exporters_of(collection)) + readings(collection)
        self._total = given_out(current(collection)).count() * times
        self._done, self._is_lost = 0, False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="freeze", daemon=True)

    def __enter__(self) -> "_Heart":
        FreezeJob.objects.filter(pk=self._job.pk).update(total=self._total)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def along(self, rows: Iterator[StreamedRow]) -> Iterator[StreamedRow]:
        for row in rows:
            if self._is_lost:
                raise FreezeLeaseLost
            self._done += 1
            yield row

    def recorded(self) -> None:
        """End the job, in the transaction of its release."""
        ended = {"done": self._done, "finished_at": Now()}
        if not settle(self._job, FREEZE_JOB, "finish", holder=self._holder, **ended):
            raise FreezeLeaseLost

    def _beat(self) -> None:
        try:
            while not self._is_lost and not self._over.wait(BEAT_SECONDS):
                self._renew()
        finally:
            connection.close()

    def _renew(self) -> None:
        try:
            self._is_lost = not renew(
                self._job, seconds=LEASE_SECONDS, holder=self._holder, done=self._done
            )
        except DatabaseError as error:  # the next beat tries again
            log.warning("freeze_not_renewed", job=self._job.pk, error=str(error))
            connection.close()

"""Imports that a worker carries out: a file is kept, its row waits, and in the end says what came of it.

A worker may die at any moment. Then another begins the file again, of which nobody saw a record. If the first died
between the last record and its report, the report says that all records were there already.
"""

import hashlib
import io
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import InterfaceError, OperationalError, transaction
from django.db.models.functions import Now

from accounts.models import Person
from datasets.importers.formats import format_for
from datasets.importers.import_files import ImportReport, check_name, import_file
from datasets.importers.json_text import MAX_BYTES, too_large
from datasets.labelstudio.reading import lines_of
from datasets.models import ImportJob
from datasets.states import IMPORT, ImportState
from leases.claim import new_holder, renew, settle, sweep, take
from leases.refusal import NotFoundHere, Refusal

# Seconds. The lease is renewed while the file is read.
LEASE = 300.0
BEAT = 20.0
MAX_ATTEMPTS = 3
# Records that the report names as repeated.
MOST_NAMED = 100
# Seconds after which a file that no unfinished import names is removed: it is written before its row.
UNNAMED = 86_400
STOPPED = (
    "The import stopped on an error of this program, or took too long. Tell the operator, whose log says more, and "
    "send the file again: no record is added twice."
)


class ImportLeaseLost(Exception):
    """The import was swept, and another worker may be at it."""


class BeatingFile(io.FileIO):
    """A file that renews a lease while it is read, piece by piece."""

    def __init__(self, path: Path, beat: Callable[[], None]) -> None:
        super().__init__(path)
        self._beat, self._last = beat, time.monotonic()

    def readinto(self, buffer: Any) -> int | None:
        if time.monotonic() - self._last >= BEAT:
            self._beat()
            self._last = time.monotonic()
        return super().readinto(buffer)


def begin(
    *, file: UploadedFile, collection_name: str, format: str, part: str = "", by: Person
) -> ImportJob:
    """Keep the file and let it wait for a worker.

    Raises Refusal for a name, a format or a part that cannot be, a file that is too large, and where there is no room.
    """
    if (file.size or 0) > MAX_BYTES:
        raise too_large()
    check_name(collection_name)
    format_for(format, collection_name, file_name=file.name or "", part=part)
    upload = uuid4()
    path = _path(upload)
    sha256 = _kept(file, path)
    try:
        return ImportJob.objects.create(
            collection=collection_name,
            format=format,
            part=part,
            file_name=(file.name or "")[:200],
            upload=upload,
            bytes=file.size or 0,
            sha256=sha256,
            created_by=by,
        )
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "uploads"


def _path(upload: UUID) -> Path:
    return _folder() / f"{upload.hex}.records"


def _kept(file: UploadedFile, path: Path) -> str:
    """Write the file; returns its sha256."""
    digest = hashlib.sha256()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as kept:
            for chunk in file.chunks():
                kept.write(chunk)
                digest.update(chunk)
    except OSError as error:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise Refusal(
            f"The file could not be kept: {error.strerror or error}. Nothing was imported; tell the operator to make "
            "room, and try again.",
            status=507,
            retry=True,
        ) from None
    return digest.hexdigest()


def carry_out(key: int) -> None:
    """Import the file of a job that waits, unless another worker was faster; the job then says what came of it."""
    job = ImportJob.objects.filter(pk=key).first()
    holder = new_holder("import")
    if job is None or not take(job, IMPORT, "start", seconds=LEASE, holder=holder):
        return
    try:
        report = _imported(job, holder)
    except ImportLeaseLost:
        return
    except Refusal as refusal:
        problems = refusal.details if isinstance(refusal.details, list) else []
        _end(job, "fail", holder, error=refusal.message, problems=problems)
    except (InterfaceError, OperationalError):
        raise  # a database outage: the lease expires, and the import is begun again
    except Exception:
        _end(job, "fail", holder, error=STOPPED)
        raise
    else:
        _end(job, "finish", holder, report=report_of(report))


def _imported(job: ImportJob, holder: str) -> ImportReport:
    def beat() -> None:
        if not renew(job, seconds=LEASE, holder=holder):
            raise ImportLeaseLost

    importer, protocol = format_for(
        job.format, job.collection, file_name=job.file_name, part=job.part
    )
    try:
        file = io.BufferedReader(BeatingFile(_path(job.upload), beat))
    except OSError:
        raise NotFoundHere("The file is gone from the data folder. Send it again.") from None
    with file:
        return import_file(
            importer=importer,
            protocol=protocol,
            file=file,
            collection_name=job.collection,
            source=job.file_name,
            by=job.created_by,
        )


def _end(job: ImportJob, verb: str, holder: str, **fields: Any) -> None:
    if settle(job, IMPORT, verb, holder=holder, finished_at=Now(), **fields):
        _path(job.upload).unlink(missing_ok=True)


def report_of(report: ImportReport) -> dict[str, Any]:
    """What the page of an import says, as JSON; `repeated` are the first (record, the one that it equals), from 1."""
    return {
        "records": report.records,
        "questions": report.questions,
        "added": report.added,
        "already_there": report.already_there,
        "repeated": [list(pair) for pair in report.duplicates[:MOST_NAMED]],
        "deviating_records": report.deviating_records,
        "deviations": {kind.value: n for kind, n in report.deviations_by_kind},
        "part": report.noted.value,
        "how_it_comes_out": report.how_it_comes_out if report.is_compared else "",
        "reported": lines_of(report.noted.reported),
    }


def sweep_jobs() -> list[int]:
    """Take imports back from workers that died, and give up those that kill every worker; the keys of those to do."""
    jobs = ImportJob.objects.all()
    sweep(jobs, IMPORT, "expire")
    for job in jobs.filter(state=ImportState.WAITING, attempts__gte=MAX_ATTEMPTS):
        _give_up(job)
    return list(jobs.filter(state=ImportState.WAITING).values_list("pk", flat=True))


def remove_unnamed() -> int:
    """Remove the files of imports that were never stored, or are over; returns how many."""
    unfinished = ImportJob.objects.filter(state__in=(ImportState.WAITING, ImportState.RUNNING))
    named = {_path(upload) for upload in unfinished.values_list("upload", flat=True)}
    removed = 0
    for path in set(_folder().glob("*.records")) - named:
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > UNNAMED:
                path.unlink()
                removed += 1
    return removed


@transaction.atomic
def _give_up(job: ImportJob) -> None:
    error = f"Given up after {MAX_ATTEMPTS} workers died over it."
    if IMPORT.move(job, "fail", error=error, finished_at=Now()):
        _path(job.upload).unlink(missing_ok=True)

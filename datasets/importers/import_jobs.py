"""Imports that a worker carries out: a file is kept, its row waits, and in the end says what came of it.

A worker checks the file, somebody reads the report and confirms, and a worker imports it; or it is imported at once. A
worker may die at any moment. Then another begins the file again, of which nobody saw anything: the end of the job is
stored in the transaction in which others see what it brought.
"""

import hashlib
import io
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID, uuid4

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts.audit import AuditKind, record
from accounts.models import Person
from datasets.identity import canonical
from datasets.importers.import_kinds import kind_named
from datasets.importers.labelstudio_tasks import NamesLacking
from datasets.models import ImportJob
from datasets.models.imports import OPEN
from datasets.readers.json_text import too_large
from datasets.states import IMPORT, ImportState
from leases.claim import FREE, renew, settle, sweep, take
from leases.clock import in_seconds
from leases.holders import new_holder
from leases.refusal import Conflict, NotFoundHere, Refusal
from leases.rows import first_of

# Seconds. The lease is renewed while the file is read.
LEASE = 120.0
BEAT = 2.0
MAX_ATTEMPTS = 3
# Seconds after which nobody decides on a checked file any more.
KEPT = 7 * 86_400.0
# Seconds after which a file that no unfinished import names is removed: it is written before its row.
UNNAMED = 86_400
STOPPED = (
    "The import stopped on an error of this program, or took too long. Tell the operator, whose log says more, and "
    "send the file again: no record is added twice."
)
GONE = "The file is gone from the data folder. Send it again."
UNCHOSEN = {"state": ImportState.CHECKED, "report": {}}
# Of an import: what has the same does the same.
ASKED = ("kind", "collection", "format", "part", "options", "file_name", "sha256")
CHECKED_AGAIN = (
    "Nothing was begun: the file was checked again, with other choices, since you read its report. Read the report as "
    "it is now."
)
OTHERS = (
    "Somebody else is importing this file into this collection. Nothing was begun: wait until that is over, or "
    "agree with the other admins who imports it."
)
LAPSED = "Nobody decided on it for a week, so the file was removed. Send it again."


class ImportLeaseLost(Exception):
    """The import was swept, and another worker may be at it."""


class BeatingFile(io.FileIO):
    """A file that renews a lease while it is read, piece by piece, with the place where it is."""

    def __init__(self, path: Path, beat: Callable[[int], None]) -> None:
        super().__init__(path)
        self._beat, self._last = beat, time.monotonic()

    def readinto(self, buffer: Any) -> int | None:
        if time.monotonic() - self._last >= BEAT:
            self._beat(self.tell())
            self._last = time.monotonic()
        return super().readinto(buffer)


def begin(
    *,
    file: UploadedFile,
    collection_name: str,
    by: Person,
    kind: str = "records",
    format: str = "",
    part: str = "",
    options: Mapping[str, Any] | None = None,
    is_confirmed: bool = True,
) -> ImportJob:
    """Keep the file and let it wait for a worker, who only checks it unless `is_confirmed`.

    Where the option columns is None it waits for its sender to choose it, as a checked one whose report is empty.
    While an import of the same file of that name is under way, it is returned to its sender, and refused to others and
    where it would only be checked. Raises Refusal for what its kind does not admit, a file that is too large, and where
    there is no room.
    """
    of_kind = kind_named(kind)
    if (file.size or 0) > of_kind.most_bytes:
        raise too_large(of_kind.most_bytes)
    asked: dict[str, Any] = {
        "kind": kind,
        "collection": collection_name,
        "format": format,
        "part": part,
        "options": dict(options or {}),
    }
    name = (file.name or "")[:200]
    of_kind.admit(ImportJob(**asked, file_name=name, created_by=by))
    upload = uuid4()
    sha256 = _kept(file, _path(upload))
    of_file = {"file_name": name, "upload": upload, "bytes": file.size or 0, "sha256": sha256}
    return _stored(asked, of_file, by, is_confirmed=is_confirmed)


def begin_again(
    job: ImportJob, *, collection_name: str, options: Mapping[str, Any], by: Person
) -> ImportJob:
    """Import the file of a job that is not over into another collection, with other options. Raises as `begin`."""
    asked: dict[str, Any] = {
        "kind": job.kind,
        "collection": collection_name,
        "format": job.format,
        "part": job.part,
        "options": dict(options),
    }
    of_file = {name: getattr(job, name) for name in ("file_name", "bytes", "sha256")}
    kind_named(job.kind).admit(ImportJob(**asked, file_name=job.file_name, created_by=by))
    upload = uuid4()
    try:
        os.link(_path(job.upload), _path(upload))
        os.utime(_path(upload))  # remove_unnamed leaves it until its row is seen
    except OSError:
        raise NotFoundHere(GONE) from None
    return _stored(asked, {**of_file, "upload": upload}, by, is_confirmed=True)


def _stored(
    asked: dict[str, Any], of_file: dict[str, Any], by: Person, *, is_confirmed: bool
) -> ImportJob:
    """The job of a file that is kept; if there is one that would do the same, that one, and the file is removed."""
    path = _path(of_file["upload"])
    try:
        job, is_new = ImportJob.objects.get_or_create(
            same=_same({**asked, **of_file}),
            state__in=OPEN,
            defaults={
                **asked,
                **of_file,
                "is_confirmed": is_confirmed,
                "created_by": by,
                **(UNCHOSEN if asked["options"].get("columns", "") is None else {}),
            },
        )
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    if not is_new:
        path.unlink(missing_ok=True)
        if job.created_by_id != by.pk:
            raise Conflict(OTHERS)
        if is_confirmed and not job.is_confirmed:
            raise Conflict(
                f"You have sent this file to be checked. Confirm or discard import {job.pk} first."
            )
    return job


def _same(asked: Mapping[str, Any]) -> str:
    """The file's name is part of it: it may say which part of a data set the file is, and nobody is shown another's."""
    return hashlib.sha256(canonical({name: asked[name] for name in ASKED})).hexdigest()


def choose_options(job: ImportJob, options: Mapping[str, Any]) -> None:
    """Have a checked file checked again, with other options.

    Raises Conflict for a job whose file is not checked, or is over, and where another import would do the same.
    """
    chosen = {**{name: getattr(job, name) for name in ASKED}, "options": dict(options)}
    same, again = _same(chosen), {"report": None, "attempts": 0, "done_bytes": 0}
    try:
        with transaction.atomic():
            IMPORT.require(job, "choose options", options=dict(options), same=same, **again)
    except IntegrityError:
        raise Conflict(
            "An import of this file with these choices is under way already. Discard this one, or wait until that is "
            "over."
        ) from None


def imports_of(person: Person) -> QuerySet[ImportJob]:
    """Those whose file the person has sent: reports quote it."""
    return ImportJob.objects.filter(created_by=person)


def import_of(person: Person, key: int) -> ImportJob:
    """Raises NotFoundHere."""
    return first_of(imports_of(person).filter(pk=key), f"There is no import {key} of yours.")


def check_read(job: ImportJob, same: str) -> None:
    """Raises Conflict where the report that a person has read was of another import, by its `same`."""
    if same != job.same:
        raise Conflict(CHECKED_AGAIN)


def confirm(job: ImportJob, read: str | None = None) -> None:
    """Import a checked file; a second click changes nothing. Raises Conflict for one that is over or refused.

    `read`: as check_read takes it; None where the job's report, as it is, was read.
    """
    read = job.same if read is None else read
    check_read(job, read)
    if job.is_refused:
        raise Conflict(
            "The file was refused, and would be again. Name its controls on its page, send it again with names, or "
            "discard it."
        )
    if job.waits_for_columns:
        raise Conflict(
            "Nobody has said yet which field each column of the file is. Choose the columns first."
        )
    is_confirmed = _confirmed(job)
    job.refresh_from_db()
    if not is_confirmed:
        check_read(job, read)
        if not job.is_confirmed or job.state not in (*OPEN, ImportState.DONE):
            IMPORT.require(job, "confirm", is_confirmed=True)


def _confirmed(job: ImportJob) -> bool:
    """Whether it is confirmed now, as what it was when it was read."""
    asked = ImportJob.objects.filter(pk=job.pk, same=job.same)
    return bool(IMPORT.move(asked, "confirm", is_confirmed=True, attempts=0, done_bytes=0))


def discard(job: ImportJob) -> None:
    """Import nothing, and remove the file; a worker that is at it stops. Raises Conflict for one that is over."""
    job.refresh_from_db(fields=["state"])
    if job.state != ImportState.DISCARDED:
        IMPORT.require(job, "discard", **FREE, finished_at=Now())
    _remove_on_commit(job)


@transaction.atomic
def undo(job: ImportJob, by: Person) -> None:
    """Take back what the import added; a second click changes nothing. Raises Conflict that names what uses it."""
    if not IMPORT.move(job, "undo", finished_at=Now()):
        job.refresh_from_db(fields=["state"])
        if job.state == ImportState.UNDONE:
            return
        IMPORT.require(job, "undo")
    kind_named(job.kind).undo(job)
    record(AuditKind.IMPORT, by, f"import {job.pk} into {job.collection} undone")


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "uploads"


def _path(upload: UUID) -> Path:
    return _folder() / f"{upload.hex}.records"


def _remove_on_commit(job: ImportJob) -> None:
    """Remove the file of a job that is over, once that is certain."""
    transaction.on_commit(partial(_path(job.upload).unlink, missing_ok=True))


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
    """Check or import the file of a job that waits, unless another worker was faster; the job says what came of it."""
    job = ImportJob.objects.filter(pk=key).first()
    holder = new_holder("import")
    if job is None or not take(job, IMPORT, "start", seconds=LEASE, holder=holder, done_bytes=0):
        return
    job.refresh_from_db()  # its options may have been chosen since it was read
    try:
        _carried_out(job, holder)
    except ImportLeaseLost:
        return
    except NamesLacking as lacking:  # whoever sent it, and to what end, may yet name its controls
        settle(job, IMPORT, "report", holder=holder, report=lacking.report, is_confirmed=False)
    except Refusal as refusal:
        problems = refusal.details if isinstance(refusal.details, list) else []
        _end(job, "fail", holder, error=refusal.message, problems=problems)
    except (InterfaceError, OperationalError):
        raise  # a database outage: the lease expires, and the import is begun again
    except Exception:
        _end(job, "fail", holder, error=STOPPED)
        raise


def _carried_out(job: ImportJob, holder: str) -> None:
    kind = kind_named(job.kind)
    if not job.is_confirmed:
        with _opened(job, holder) as file:
            report = kind.check(job, file)
        settle(job, IMPORT, "report", holder=holder, report=report)
        return

    def ended(report: dict[str, Any], made: dict[str, Any]) -> None:
        if not settle(
            job, IMPORT, "finish", holder=holder, report=report, made=made, finished_at=Now()
        ):
            raise ImportLeaseLost

    with _opened(job, holder) as file:
        kind.bring(job, file, ended)
    _path(job.upload).unlink(missing_ok=True)


def file_of(job: ImportJob) -> BinaryIO:
    """The job's file, opened. Raises NotFoundHere where it is gone."""
    try:
        return _path(job.upload).open("rb")
    except OSError:
        raise NotFoundHere(GONE) from None


@contextmanager
def _opened(job: ImportJob, holder: str) -> Iterator[BinaryIO]:
    def beat(done: int) -> None:
        if not renew(job, seconds=LEASE, holder=holder, done_bytes=done):
            raise ImportLeaseLost

    try:
        file = BeatingFile(_path(job.upload), beat)
    except OSError:
        raise NotFoundHere(GONE) from None
    with io.BufferedReader(file) as buffered:
        yield buffered


def _end(job: ImportJob, verb: str, holder: str, **fields: Any) -> None:
    if settle(job, IMPORT, verb, holder=holder, finished_at=Now(), **fields):
        _path(job.upload).unlink(missing_ok=True)


def sweep_jobs() -> list[int]:
    """Take imports back from workers that died, and give up those that kill every worker; the keys of those to do."""
    jobs = ImportJob.objects.all()
    sweep(jobs, IMPORT, "expire")
    for job in jobs.filter(state=ImportState.WAITING, attempts__gte=MAX_ATTEMPTS):
        _give_up(job, "fail", error=f"Given up after {MAX_ATTEMPTS} workers died over it.")
    for job in jobs.filter(state=ImportState.CHECKED, created_at__lt=in_seconds(-KEPT)):
        _give_up(job, "lapse", error=LAPSED)
    return list(jobs.filter(state=ImportState.WAITING).values_list("pk", flat=True))


def remove_unnamed() -> int:
    """Remove the files of imports that were never stored, or are over; returns how many."""
    unfinished = ImportJob.objects.filter(state__in=OPEN)
    named = {_path(upload) for upload in unfinished.values_list("upload", flat=True)}
    removed = 0
    for path in set(_folder().glob("*.records")) - named:
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > UNNAMED:
                path.unlink()
                removed += 1
    return removed


@transaction.atomic
def _give_up(job: ImportJob, verb: str, error: str) -> None:
    if IMPORT.move(job, verb, error=error, finished_at=Now()):
        _remove_on_commit(job)

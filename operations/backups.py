"""Backups: all rows from one snapshot and all kept files, in one file that appears complete or not at all."""

import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.conf import settings
from django.db import connections

from accounts.audit import AuditKind, record
from leases.clock import now
from leases.refusal import Conflict, Refusal
from operations.bundle import Bundle, BundlePart, RowsPart, Writer, pieces_of
from operations.checksums import Checksum
from operations.databases import snapshot
from operations.folder import kept_files, unknown_entries
from operations.names import is_left_out
from operations.schema_version import applied, check_up_to_date
from operations.serialization import SerializedTable, as_line, last_key, tables
from operations.signing import key_name, signature

SUFFIX = ".backup.zip"
RECORD = "last_backup.json"


class BackupFailed(Refusal):
    """No backup was made; earlier ones are unchanged."""

    status = 507


@dataclass(frozen=True)
class Backup:
    """A backup that was written, read back and verified. `unknown`: entries of DATA_DIR that it does not hold."""

    path: Path
    bytes: int
    rows: int
    files: int
    tables: list[RowsPart]
    interrupted: list[str]
    removed: list[str]
    unknown: list[str]


def default_folder() -> Path:
    return Path(settings.DATA_DIR) / "backups"


def make(folder: Path | None = None, keep: int | None = None) -> Backup:
    """Write a backup into `folder` while people go on working; with `keep`, remove all but the newest `keep`.

    Raises Refusal if the database is newer or older than the program, Conflict if another backup is being
    written there, BackupFailed with the reason.
    """
    check_up_to_date()
    folder = folder or default_folder()
    check_folder(folder)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with only_one(folder):
            interrupted = remove_parts(folder)
            path = free_name(folder, now())
            written, files = _write(path)
            _record(path)
            record(AuditKind.BACKUP, None, path.name)
            removed = _remove_all_but(folder, keep) if keep else []
            size = path.stat().st_size
    except OSError as error:
        raise BackupFailed(
            f"No backup was made: {error.strerror or error} ({error.filename or folder}). There is no file "
            "with a backup's name, and earlier backups are unchanged. Make room, or choose another folder with --to."
        ) from error
    rows = sum(part.rows for part in written)
    return Backup(path, size, rows, files, written, interrupted, removed, unknown_entries())


def check_folder(folder: Path) -> None:
    """Raises Refusal for a folder that is itself backed up: each backup would contain all earlier ones."""
    place, top = folder.resolve(), Path(settings.DATA_DIR).resolve()
    if place == top or (top in place.parents and not is_left_out(place.relative_to(top).parts[0])):
        raise Refusal(
            f"{folder} is in DATA_DIR, whose files are backed up: a backup there would hold all backups. Choose a "
            f"folder elsewhere, at best on another disk, or {default_folder()}."
        )


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Lock the folder; the kernel releases the lock with the process. Raises Conflict."""
    with (folder / ".writing.lock").open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Conflict(f"A backup is being written into {folder} already.") from None
        yield


def remove_parts(folder: Path) -> list[str]:
    """Remove the partial files of killed backups; returns their names. Call with the folder locked."""
    parts = sorted(folder.glob(f".*{SUFFIX}.*.part"))
    for path in parts:
        path.unlink(missing_ok=True)
    return [path.name for path in parts]


def free_name(folder: Path, at: datetime) -> Path:
    """An unused name from the time in UTC; names sort in the order of the times."""
    stem = f"sic-et-non-{at:%Y%m%d-%H%M%S}"
    names = [stem, *(f"{stem}-{n}" for n in range(2, 1000))]
    return next(path for name in names if not (path := folder / f"{name}{SUFFIX}").exists())


def _write(path: Path) -> tuple[list[RowsPart], int]:
    """Write the backup; it gets its final name after it is on the disk and verified."""
    descriptor, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            written = _fill(file)
            file.flush()
            os.fsync(file.fileno())
        bundle = Bundle(Path(part))
        bundle.verify()
        bundle.close()
        os.replace(part, path)
        _sync(path.parent)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise
    return written


def _fill(file: IO[bytes]) -> tuple[list[RowsPart], int]:
    writer = Writer(file)
    try:
        with snapshot() as using:
            manifest = {
                "app_version": settings.VERSION,
                "made_at": now().isoformat(),
                "database": connections[using].vendor,
                "key": key_name(),
                "migrations": applied(using),
            }
            # Files first: soon after the snapshot, few of the files that its rows name have been deleted.
            files = [part for path in kept_files() if (part := _file(writer, path))]
            parts = [_rows(writer, table, using) for table in tables(apps)]
        writer.close({**manifest, "tables": parts, "files": files}, signature)
    except BaseException:
        writer.abandon()
        raise
    return parts, len(files)


def _file(writer: Writer, path: Path) -> BundlePart | None:
    inside = path.relative_to(settings.DATA_DIR).as_posix()
    with suppress(FileNotFoundError), path.open("rb") as file:  # it may have just been deleted
        return writer.part(f"files/{inside}", pieces_of(file))
    return None


def _rows(writer: Writer, table: SerializedTable, using: str) -> RowsPart:
    total = Checksum()
    lines = map(as_line, table.summed(table.rows(using), total))
    part = writer.part(f"rows/{table.name}.jsonl", lines)
    return RowsPart(
        **asdict(part),
        table=table.name,
        columns=table.columns,
        rows=total.rows,
        checksum=total.hash,
        last_key=last_key(using, table),
    )


def _sync(folder: Path) -> None:
    """Make sure that the new name survives a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove_all_but(folder: Path, keep: int) -> list[str]:
    older = sorted(
        folder.glob(f"sic-et-non-*{SUFFIX}"), key=lambda path: (path.stat().st_mtime_ns, path.name)
    )[:-keep]
    for path in older:
        path.unlink(missing_ok=True)
    return [path.name for path in older]


# ------------------------------------------------------------ when the last one was made


def _record(path: Path) -> None:
    """Record in DATA_DIR that `path` is a complete backup."""
    record = {
        "finished_at": now().isoformat(),
        "file": str(path.resolve()),
        "bytes": path.stat().st_size,
    }
    kept = Path(settings.DATA_DIR) / RECORD
    part = kept.with_name(f".{RECORD}.part")
    part.write_text(json.dumps(record), encoding="utf-8")
    part.replace(kept)


def last_record() -> dict[str, Any]:
    """finished_at, file and bytes of the last complete backup; empty if there is none."""
    try:
        record = json.loads((Path(settings.DATA_DIR) / RECORD).read_text(encoding="utf-8"))
        at = datetime.fromisoformat(record["finished_at"])
        return {**record, "finished_at": at if at.tzinfo else at.replace(tzinfo=UTC)}
    except (OSError, ValueError, LookupError, TypeError):
        return {}


def last_backup() -> datetime | None:
    """When the last complete backup was finished, by the database's clock; None if there is none."""
    finished_at: datetime | None = last_record().get("finished_at")
    return finished_at

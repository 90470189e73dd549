"""Disk use: tables by room, files by kind, free space. Cached, with the time of the measurement."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, connection

from leases.clock import now
from operations import backups
from operations.names import DATABASE

# Adding up the pages of a SQLite file takes a second for each gigabyte, and more from a slow disk.
KEPT_SECONDS = 600
CACHED = "operations.disk.rows"

ADVICE_ON_ROWS = {
    "wikifetch": "The texts of pages: annotations point at them, so they stay.",
    "annotation": "Drafts keep a history; the scheduler thins what is older than a day every six hours.",
    "generation": "Each response keeps the text that was sent and the reply, so that it can be asked again.",
    "accounts": "Sessions and counts that have run out are swept every hour.",
}
ADVICE_ON_FILES = {
    "database": "On SQLite the file does not shrink; room inside it is used again.",
    "backups": "Keep fewer with backup --keep N, or write them to another disk with --to.",
    "broker": "Messages to workers. May be deleted while nothing runs: the rows know what is left to do.",
    "uploads": "Files that wait for their fetch or import; deleted when they are read, or cannot be. "
    "One that no import names is deleted after a day.",
    "logs": "Rotate them, or let the system's journal keep them.",
    "static": "Made from the code; may be deleted while nothing runs.",
}


@dataclass(frozen=True)
class DiskShare:
    """The use by one kind: bytes, number of rows or files, and what can be done if it is large."""

    name: str
    bytes: int
    count: int
    advice: str = ""
    largest: str = ""


@dataclass(frozen=True)
class DatabaseUse:
    """The database's size, by room if the database supports that; `free` bytes of it are unused."""

    bytes: int
    free: int
    shares: list[DiskShare]
    is_estimate: bool
    at: datetime


@dataclass(frozen=True)
class DiskUse:
    total: int
    free: int
    rows: DatabaseUse
    files: list[DiskShare]
    broker_elsewhere: bool
    last_backup: dict[str, object]


def measured() -> DiskUse:
    folder = Path(settings.DATA_DIR)
    usage = shutil.disk_usage(folder)
    return DiskUse(
        usage.total,
        usage.free,
        rows(),
        files(folder),
        not settings.CELERY_BROKER_URL.startswith("filesystem"),
        backups.last_record(),
    )


# ------------------------------------------------------------ the database


def rows() -> DatabaseUse:
    """Rows by room; measured at most every KEPT_SECONDS in one process."""
    return cache.get_or_set(CACHED, _rows, KEPT_SECONDS)  # type: ignore[return-value]


def _rows() -> DatabaseUse:
    by_table = _in_postgresql() if connection.vendor == "postgresql" else _in_sqlite()
    size, free = _size()
    shares = sorted(_by_room(by_table), key=lambda share: -share.bytes)
    return DatabaseUse(size, free, shares, connection.vendor == "postgresql", now())


def _by_room(by_table: dict[str, tuple[int, int]]) -> Iterator[DiskShare]:
    for config in apps.get_app_configs():
        tables = {
            model._meta.db_table: model._meta.verbose_name_plural
            for model in config.get_models(include_auto_created=True)
        }
        known = {name: by_table[name] for name in tables if name in by_table}
        if not known:
            continue
        size, count = map(sum, zip(*known.values(), strict=True))
        largest = str(tables[max(known, key=lambda name: known[name][0])])
        yield DiskShare(config.label, size, count, ADVICE_ON_ROWS.get(config.label, ""), largest)


def _in_postgresql() -> dict[str, tuple[int, int]]:
    """By table: bytes with indexes, and the server's estimate of the number of rows."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, pg_total_relation_size(oid), greatest(reltuples, 0)::bigint FROM pg_class "
            "WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
        )
        return {name: (size, count) for name, size, count in cursor.fetchall()}


def _in_sqlite() -> dict[str, tuple[int, int]]:
    """By table: bytes with indexes, and number of rows; empty if this SQLite has no dbstat."""
    with connection.cursor() as cursor:
        try:
            cursor.execute(
                "SELECT m.tbl_name, sum(s.pgsize) FROM dbstat s JOIN sqlite_master m ON m.name = s.name "
                "WHERE s.aggregate = 1 GROUP BY m.tbl_name"
            )
        except DatabaseError:
            return {}
        sizes = dict(cursor.fetchall())
        tables = {}
        for name, size in sizes.items():
            cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(name)}")  # noqa: S608
            tables[name] = (size, cursor.fetchone()[0])
    return tables


def _size() -> tuple[int, int]:
    """The database's bytes, and how many of them are unused."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_database_size(current_database())")
            return cursor.fetchone()[0], 0
        values = []
        for pragma in ("page_count", "freelist_count", "page_size"):
            cursor.execute(f"PRAGMA {pragma}")
            values.append(cursor.fetchone()[0])
    pages, free, size = values
    return pages * size, free * size


# ------------------------------------------------------------ files


def files(folder: Path) -> list[DiskShare]:
    """The files of DATA_DIR by kind, the largest first."""
    kinds: dict[str, tuple[int, int]] = {}
    for entry in os.scandir(folder):
        kind = kind_of(entry.name)
        size, count = kinds.get(kind, (0, 0))
        more_bytes, more_files = _within(entry)
        kinds[kind] = size + more_bytes, count + more_files
    shares = [
        DiskShare(kind, size, count, ADVICE_ON_FILES.get(kind, ""))
        for kind, (size, count) in kinds.items()
    ]
    return sorted(shares, key=lambda share: (-share.bytes, share.name))


def kind_of(name: str) -> str:
    """The kind of an entry at the top of DATA_DIR."""
    if name.startswith(DATABASE):
        return "database"
    return "logs" if name.endswith(".log") else name


def _within(entry: "os.DirEntry[str]") -> tuple[int, int]:
    """Bytes and number of files of an entry and all below it, without those deleted meanwhile."""
    try:
        if not entry.is_dir(follow_symlinks=False):
            return entry.stat(follow_symlinks=False).st_size, 1
        inner = [_within(inside) for inside in os.scandir(entry.path)]
    except OSError:
        return 0, 0
    return sum(size for size, _ in inner), sum(count for _, count in inner)

"""Empty installations to restore and move into, and invalid backups."""

import json
import os
import resource
import shutil
import subprocess
import sys
import uuid
import zipfile
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import connection, connections
from psycopg import sql

from operations import moving
from operations.bundle import MANIFEST, Bundle, Writer
from operations.checksums import Checksum
from operations.databases import database_at
from operations.serialization import first_with_rows
from operations.signing import signature
from tests.database import on_sqlite, source

ROOT = Path(__file__).resolve().parent.parent.parent


@contextmanager
def a_postgresql(template: str = "template1"):
    """The address of a new database on the server that the tests use: a copy of `template`, which is empty."""
    used = connection.settings_dict
    name = f"place_{uuid.uuid4().hex[:12]}"
    address = {
        "host": used["HOST"],
        "port": used["PORT"],
        "user": used["USER"],
        "dbname": "postgres",
    }
    with psycopg.connect(**address, password=used["PASSWORD"], autocommit=True) as server:
        copied = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        server.execute(copied.format(sql.Identifier(name), sql.Identifier(template)))
        try:
            password = f":{used['PASSWORD']}" if used["PASSWORD"] else ""
            yield f"postgres://{used['USER']}{password}@{used['HOST']}:{used['PORT']}/{name}"
        finally:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            server.execute(drop)


@contextmanager
def a_place(folder: Path, *, with_tables: bool):
    """Settings for an empty DATA_DIR and a database of the tests' kind without a row.

    Without tables too, or with those of an app that was started before.
    """
    folder.mkdir()
    if connection.vendor == "postgresql":
        with a_postgresql(source()) if with_tables else a_postgresql() as url:
            yield _settings(folder, url)
        return
    path = folder / "db.sqlite3"
    if with_tables:
        shutil.copy(source(), path)
    yield _settings(folder, f"sqlite:///{path}")


def _settings(folder: Path, url: str) -> dict[str, str]:
    return {"DATA_DIR": str(folder), "SECRET_KEY": settings.SECRET_KEY, "DATABASE_URL": url}


def manage(place: dict[str, str], *command: object) -> subprocess.CompletedProcess[str]:
    """manage.py with the settings of a place, in a process of its own."""
    return python(place, "manage.py", *command)


def python(
    place: dict[str, str], *arguments: object, minutes: int = 2
) -> subprocess.CompletedProcess[str]:
    """A program that hangs ends after some minutes, in an error with its output."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", **place}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=60 * minutes,
    )  # fmt: skip


def here(data_dir: Path) -> dict[str, str]:
    """The settings of the tests' own database, for another process."""
    used = connection.settings_dict
    if connection.vendor == "postgresql":
        url = f"postgres://{used['USER']}@{used['HOST']}:{used['PORT']}/{used['NAME']}"
    else:
        url = f"sqlite:///{used['NAME']}"
    return {"DATA_DIR": str(data_dir), "DATABASE_URL": url, "SECRET_KEY": "x" * 60}


def sqlite_with_tables(folder: Path) -> Path:
    """A SQLite file with all tables and no row, which takes seconds to make where no test has made one."""
    if there := on_sqlite():
        return there
    url = f"sqlite:///{folder}/db.sqlite3"
    made = manage({"DATA_DIR": str(folder), "SECRET_KEY": "x" * 60, "DATABASE_URL": url}, "migrate")
    assert made.returncode == 0, made.stderr
    return folder / "db.sqlite3"


def moved(url: str) -> dict[str, tuple[int, str]]:
    """By table, the number of rows and their checksum at this address, after everything was moved there."""
    tables = moving.move(url, report=lambda table: None)
    assert all(each.read == each.written for each in tables)
    return {each.table: (each.written.rows, each.written.hash) for each in tables}


def rows_at(url: str) -> str:
    """The name of a table with rows there, "" where it has none."""
    with database_at(url) as there:
        known = connections[there].introspection.table_names()
        of = [table for table in moving.of_all() if table.model._meta.db_table in known]
        return first_with_rows(there, of)


@contextmanager
def room_for(size: int):
    """Files of this process can grow to `size` bytes, as on a disk that is nearly full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def rewritten(path: Path, to: Path, change, sign=signature) -> Path:
    """A copy of a backup with a manifest edited by `change` and signed, and the parts that it still names."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w") as new:
        manifest = json.loads(old.read(MANIFEST))
        change(manifest)
        manifest["signature"] = sign(manifest)
        for part in [*(manifest["tables"] or []), *(manifest["files"] or [])]:
            if part["name"] in old.namelist():
                new.writestr(part["name"], old.read(part["name"]))
        new.writestr(MANIFEST, json.dumps(manifest))
    return to


def with_rows(path: Path, to: Path, table: str, rows: list, sign=signature, change=None) -> Path:
    """A copy of a backup with other rows in one table, as lists or bytes of a line, and a matching manifest."""
    with zipfile.ZipFile(path) as old, to.open("wb") as file:
        manifest = json.loads(old.read(MANIFEST))
        writer, total = Writer(file), Checksum()
        for part in [*manifest["files"], *manifest["tables"]]:
            lines = [old.read(part["name"])]
            if part.get("table") == table:
                for row in rows:
                    total.add(row if isinstance(row, list) else [row.decode("latin-1")])
                lines = [
                    row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows
                ]
                lines = [line + b"\n" for line in lines]
                part |= {"rows": total.rows, "checksum": total.hash}
            done = writer.part(part["name"], lines)
            part |= {"bytes": done.bytes, "sha256": done.sha256}
        (change or (lambda manifest: None))(manifest)
        writer.close(manifest, sign)
    return to


def checksums_of(path: Path) -> dict[str, tuple[int, str]]:
    """By table, the number of rows and the checksum in a backup's manifest."""
    bundle = Bundle(path)
    checksums = {part.table: (part.rows, part.checksum) for part in bundle.tables}
    bundle.close()
    return checksums


def rows(path: Path, table: str) -> list[dict[str, object]]:
    """The rows of one table of a backup, by column."""
    bundle = Bundle(path)
    part = next(part for part in bundle.tables if part.table == table)
    result = [dict(zip(part.columns, row, strict=True)) for row in bundle.rows(part)]
    bundle.close()
    return result


def written(path: Path, parts: dict[str, bytes], **manifest: object) -> Path:
    """A backup with these parts as its files."""
    with path.open("wb") as file:
        writer = Writer(file)
        files = [writer.part(name, [body]) for name, body in parts.items()]
        usual = {
            "app_version": "0",
            "made_at": "2026-01-01T00:00:00+00:00",
            "migrations": {},
            "tables": [],
        }
        writer.close({**usual, "files": files, **manifest}, lambda manifest: "")
    return path

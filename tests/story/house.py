"""The whole product for the browser tests: bin/run with all its processes."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from tests.servers import free_port

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class House:
    """A running installation: its address, and the first administrator's link."""

    url: str
    first_link: str
    output: str


@contextlib.contextmanager
def house(folder: Path, *arguments: str, tables: str = "") -> Iterator[House]:
    """bin/run on a free port, until the block ends; on a copy of `tables`, a SQLite file or a database's name."""
    if tables and not _on_postgresql():
        (folder / "data").mkdir()
        shutil.copy(tables, folder / "data" / "db.sqlite3")
    port = free_port()
    command = [sys.executable, str(ROOT / "bin" / "run"), "--port", str(port), *arguments]
    with _database(tables or "template1") as variables:
        process = subprocess.Popen(
            command,
            env={**_bare_environment(folder), **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            yield _when_up(process, port)
        finally:
            _end(process)


def _bare_environment(folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": str(folder), "DATA_DIR": str(folder / "data")}


def _on_postgresql() -> bool:
    return os.environ.get("DATABASE_URL", "").startswith("postgres")


@contextlib.contextmanager
def _database(tables: str) -> Iterator[dict[str, str]]:
    """Variables for the database and the broker under test: SQLite and files unless the run names others."""
    if not _on_postgresql():
        yield {}
        return
    name = f"story_{uuid.uuid4().hex[:12]}"
    given = os.environ["DATABASE_URL"]
    root, _, _ = given.rpartition("/")
    with psycopg.connect(given, autocommit=True) as server:
        server.execute(f'CREATE DATABASE {name} TEMPLATE "{tables}"')
        try:
            yield {
                "DATABASE_URL": f"{root}/{name}",
                "CELERY_BROKER_URL": os.environ["CELERY_BROKER_URL"],
            }
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _when_up(process: subprocess.Popen[str], port: int) -> House:
    assert process.stdout
    output: list[str] = []
    for line in process.stdout:
        output.append(line)
        if "First administrator, once:" in line:
            link = line.split("once:", 1)[1].strip()
            return House(f"http://127.0.0.1:{port}", link, "".join(output))
    pytest.fail(f"bin/run ended before it was up: {''.join(output)[-3000:]}")


def _end(process: subprocess.Popen[str]) -> None:
    """End it as Ctrl-C does, reading its output so that it does not block."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=40)
    process.kill()
    process.wait()

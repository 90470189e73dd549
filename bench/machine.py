"""What the benches share: a database of each kind, processes of their own, CPU and memory, lines of a report."""

import argparse
import multiprocessing
import os
import platform
import resource
import secrets
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

from tests.servers import Missing, a_postgresql

T = TypeVar("T")
ROOT = Path(__file__).resolve().parent.parent
TICKS = os.sysconf("SC_CLK_TCK")


def arguments(name: str, doc: str | None, **sizes: int) -> argparse.Namespace:
    """The options of a bench: --NAME N for each size, with its usual value, and --tables."""
    parser = argparse.ArgumentParser(prog=f"bin/bench {name}", description=doc)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    for size, usual in sizes.items():
        parser.add_argument(f"--{size}", type=int, default=usual, metavar="N", help=f"({usual})")
    words = "start from this SQLite file, which has all tables, and leave PostgreSQL out"
    parser.add_argument("--tables", type=Path, metavar="FILE", help=words)
    return parser.parse_args()


# ---------------------------------------------------------------- databases and processes


def on_each(
    measure: Callable[..., None], options: argparse.Namespace, *, postgresql: bool = True
) -> None:
    """Call `measure(options)` in a process of its own with Django on an empty SQLite, then on PostgreSQL."""
    with tempfile.TemporaryDirectory(prefix="sicetnon-bench-") as folder:
        if options.tables:
            shutil.copy(options.tables, f"{folder}/db.sqlite3")
        apart(_on, "SQLite", f"sqlite:///{folder}/db.sqlite3", folder, measure, options)
        if options.tables or not postgresql:
            return
        try:
            with a_postgresql() as database:
                apart(_on, "PostgreSQL", database, folder, measure, options)
        except Missing as missing:
            print(f"PostgreSQL: {missing}")


def _on(
    name: str, database: str, folder: str, measure: Callable, options: argparse.Namespace
) -> None:
    import django

    os.environ |= {
        "DATABASE_URL": database,
        "DATA_DIR": folder,
        "SECRET_KEY": secrets.token_hex(40),
        "LOG_LEVEL": "WARNING",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    django.setup()
    from django.test.utils import override_settings

    # Not measured: people are made before it.
    override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]).enable()
    if not options.tables:
        apart(_migrate)
    busy = f"load average {os.getloadavg()[0]:.1f}"
    print(f"{name}, Python {platform.python_version()}, {os.cpu_count()} cores, {busy}", flush=True)
    measure(options)


def _migrate() -> None:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def apart(work: Callable[..., T], *arguments: object) -> T:
    """What `work` returns, in a child of this process: its memory and its connections end with it."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        return pool.submit(work, *arguments).result()


def analyze() -> None:
    """What a PostgreSQL does by itself within a minute of many new rows."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


# ---------------------------------------------------------------- CPU and memory


def tree_cpu(pid: int) -> float:
    """Seconds of CPU, user and system, of a process and its descendants, those that ended included."""
    used: dict[int, float] = {}
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        number = int(folder.name)
        used[number] = sum(map(int, fields[11:15])) / TICKS
        children.setdefault(int(fields[1]), []).append(number)
    waiting, total = [pid], 0.0
    while waiting:
        one = waiting.pop()
        total += used.get(one, 0.0)
        waiting += children.get(one, [])
    return total


def measured(
    work: Callable[[], object], prepare: Callable[[], object] = int
) -> tuple[float, float]:
    """(seconds of CPU, megabytes more at its peak) of `work` in a child of this process; the memory with `prepare`."""
    return apart(_measured, work, prepare)


def _measured(work: Callable[[], object], prepare: Callable[[], object]) -> tuple[float, float]:
    before = peak()
    prepare()
    began = _cpu()
    work()
    return _cpu() - began, peak() - before


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak() -> float:
    """Megabytes of memory of this process at its peak."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

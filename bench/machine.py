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
from typing import Any, TypeVar

from tests.servers import Missing, a_postgresql

T = TypeVar("T")
ROOT = Path(__file__).resolve().parent.parent
TICKS = os.sysconf("SC_CLK_TCK")


def arguments(name: str, doc: str | None, **sizes: Any) -> argparse.Namespace:
    """The options of a bench: --NAME N for each size or text, with its usual value, --postgresql and --tables."""
    parser = argparse.ArgumentParser(prog=f"bin/bench {name}", description=doc)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    for size, usual in sizes.items():
        words = {"type": type(usual), "default": usual, "metavar": "N", "help": f"({usual})"}
        parser.add_argument(f"--{size.replace('_', '-')}", **words)
    parser.add_argument("--postgresql", action="store_true", help="leave SQLite out")
    words = "start from this SQLite file, which has all tables, and leave PostgreSQL out"
    parser.add_argument("--tables", type=Path, metavar="FILE", help=words)
    return parser.parse_args()


# ---------------------------------------------------------------- databases and processes


def on_each(
    measure: Callable[..., None],
    options: argparse.Namespace,
    *,
    sqlite: bool = True,
    postgresql: bool = True,
) -> None:
    """Call `measure(options)` in a process of its own with Django on an empty SQLite, then on PostgreSQL."""
    with tempfile.TemporaryDirectory(prefix="sicetnon-bench-") as folder:
        if options.tables:
            shutil.copy(options.tables, f"{folder}/db.sqlite3")
        if sqlite and not options.postgresql:
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


# ---------------------------------------------------------------- CPU and memory


def tree_cpu(pid: int) -> float:
    """Seconds of CPU, user and system, of a process and its descendants, those that ended included."""
    return sum(_fields(one, 11, 15) for one in _tree(pid)) / TICKS


def tree_memory(pid: int) -> float:
    """Megabytes of a process and its descendants, pages that they share counted once."""
    kilobytes = 0
    for one in _tree(pid):
        lines = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="utf-8").splitlines()
        kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return kilobytes / 1024


def _tree(pid: int) -> list[int]:
    """The process and its descendants."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        children.setdefault(_fields(int(folder.name), 1, 2), []).append(int(folder.name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found


def _fields(pid: int, first: int, end: int) -> int:
    """The sum of these fields of the process's stat after its name; 0 if it has just ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return 0
    return sum(map(int, stat.rpartition(")")[2].split()[first:end]))


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

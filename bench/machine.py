"""What the benches share: a database of each kind, processes of their own, CPU and memory, lines of a report."""

import argparse
import logging
import multiprocessing
import os
import platform
import resource
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple, TypeVar

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
    logging.disable(logging.WARNING)  # of pages that a role may not open
    from django.test.utils import override_settings

    # Not measured: people are made before it.
    override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]).enable()
    if not options.tables:
        apart(_install)
    busy = f"load average {os.getloadavg()[0]:.1f}"
    print(f"{name}, Python {platform.python_version()}, {os.cpu_count()} cores, {busy}", flush=True)
    measure(options)


def _install() -> None:
    """Tables, scripts and styles, as bin/run makes them."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)


def apart(work: Callable[..., T], *arguments: object) -> T:
    """What `work` returns, in a child of this process: its memory and its connections end with it."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        return pool.submit(work, *arguments).result()


# ---------------------------------------------------------------- time, CPU and memory


def in_words(seconds: Sequence[float]) -> str:
    ms = [taken * 1e3 for taken in seconds]
    p95, p99 = (
        (quantiles(ms, n=100, method="inclusive")[n] for n in (94, 98)) if len(ms) > 1 else ms * 2
    )
    return (
        f"{median(ms):7.1f} ms median {p95:7.1f} p95 {p99:7.1f} p99 {max(ms):7.1f} at most "
        f"(n = {len(ms)})"
    )


def fastest(work: Callable[[], object], times: int = 3) -> tuple[float, float]:
    """(the least seconds, the least seconds of CPU of this process) of `times` runs."""
    taken = []
    for _ in range(times):
        began, worked = time.perf_counter(), time.process_time()
        work()
        taken.append((time.perf_counter() - began, time.process_time() - worked))
    return min(took for took, _ in taken), min(cpu for _, cpu in taken)


def tree_cpu(pid: int) -> float:
    """Seconds of CPU, user and system, of a process and its descendants, those that ended included."""
    return sum(_fields(process, 11, 15) for process in _tree(pid)) / TICKS


def tree_memory(pid: int) -> float:
    """Megabytes of a process and its descendants, pages that they share counted once."""
    kilobytes = 0
    for process in _tree(pid):
        lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="utf-8").splitlines()
        kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return kilobytes / 1024


def _tree(pid: int) -> list[int]:
    """The process and its descendants."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        children.setdefault(_fields(int(folder.name), 1, 2), []).append(int(folder.name))
    found = [pid]
    for process in found:
        found += children.get(process, [])
    return found


def _fields(pid: int, first: int, end: int) -> int:
    """The sum of these fields of the process's stat after its name; 0 if it has just ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return 0
    return sum(map(int, stat.rpartition(")")[2].split()[first:end]))


class Taken(NamedTuple):
    """Seconds, those of CPU, and the megabytes by which the process grew at its peak."""

    seconds: float
    cpu: float
    mb: float


def measured(work: Callable[[], object], prepare: Callable[[], object] | None = None) -> Taken:
    """What `work` takes in a child of this process, which runs `prepare` before."""
    return apart(measured_here, work, prepare)


def measured_here(work: Callable[[], object], prepare: Callable[[], object] | None = None) -> Taken:
    if prepare:
        prepare()
    before, began, worked = peak(), time.perf_counter(), time.process_time()
    work()
    return Taken(time.perf_counter() - began, time.process_time() - worked, peak() - before)


def print_next_to(least: Taken, name: str, ours: Taken) -> None:
    print(
        f"  {name:36} {ours.seconds:6.2f} s {ours.cpu:6.2f} s of CPU {ours.mb:5.0f} MB  least {least.seconds:6.3f} s "
        f"{least.cpu:6.3f} s of CPU  ratio {ours.seconds / least.seconds:6.1f}, of CPU {ours.cpu / least.cpu:6.1f}",
        flush=True,
    )


def peak() -> float:
    """Megabytes of memory of this process at its peak."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

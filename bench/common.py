"""What the benches share: a database, processes of their own, what work took next to the least, invented texts."""

import argparse
import contextlib
import logging
import multiprocessing
import os
import platform
import random
import re
import resource
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tests.servers import a_postgresql
from tests.wikifetch import factories as wiki

T = TypeVar("T")
ROOT = Path(__file__).resolve().parent.parent
TICKS = os.sysconf("SC_CLK_TCK")

# ---------------------------------------------------------------- a database, and processes of their own


def run(name: str, doc: str | None, measure: Callable[..., None], **sizes: Any) -> None:
    """Call `measure(options, folder)` with Django on an empty database, whose files are in the folder.

    Options are --NAME N for each size, with its usual value, and the two below.
    """
    parser = argparse.ArgumentParser(prog=f"bin/bench {name}", description=doc)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    for size, usual in sizes.items():
        words = {"type": type(usual), "default": usual, "metavar": "N", "help": f"({usual})"}
        parser.add_argument(f"--{size}", **words)
    parser.add_argument("--postgresql", action="store_true", help="on PostgreSQL, not SQLite")
    parser.add_argument("--tables", type=Path, help="a SQLite file with all tables to start from")
    options = parser.parse_args()
    with contextlib.ExitStack() as running:
        folder = running.enter_context(tempfile.TemporaryDirectory(prefix="sicetnon-bench-"))
        database = f"sqlite:///{folder}/db.sqlite3"
        if options.postgresql:
            database = running.enter_context(a_postgresql())
        os.environ |= {
            "DATABASE_URL": database,
            "DATA_DIR": folder,
            "LOG_LEVEL": "WARNING",
            "SECRET_KEY": secrets.token_hex(40),
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        import django

        django.setup()
        logging.disable(logging.WARNING)  # of pages that a role may not open
        from django.test.utils import override_settings

        # Not measured: people are made before.
        override_settings(
            PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]
        ).enable()
        if options.tables:
            shutil.copy(options.tables, f"{folder}/db.sqlite3")
        else:
            apart(_install)
        where = "PostgreSQL" if options.postgresql else "SQLite"
        busy = f"load average {os.getloadavg()[0]:.1f}"
        print(f"{where}, Python {platform.python_version()}, {os.cpu_count()} cores, {busy}")
        measure(options, Path(folder))


def _install() -> None:
    """Tables, scripts and styles, as bin/run makes them."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)


def apart(work: Callable[..., T], *arguments: object) -> T:
    """What `work` returns, in a child of this process: its memory and its connections end with it."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        return pool.submit(work, *arguments).result()


def at_once(works: Sequence[Callable[[], T]]) -> list[T]:
    """The results of all works, each in a thread of its own."""
    with ThreadPoolExecutor(len(works)) as pool:
        return [done.result() for done in [pool.submit(work) for work in works]]


# ---------------------------------------------------------------- time, CPU and memory


class Taken(NamedTuple):
    """Seconds, those of CPU with its children's, and the megabytes by which the process grew at its peak."""

    seconds: float
    cpu: float
    mb: float


def measured(work: Callable[..., object], *arguments: object) -> Taken:
    """What `work` takes in a child of this process."""
    return apart(_measured, work, *arguments)


def _measured(work: Callable[..., object], *arguments: object) -> Taken:
    before, began, worked = peak(), time.perf_counter(), _cpu()
    work(*arguments)
    return Taken(time.perf_counter() - began, _cpu() - worked, peak() - before)


def _cpu() -> float:
    return time.process_time() + sum(os.times()[2:4])


def print_next_to(least: Taken, name: str, ours: Taken) -> None:
    ratio, of_cpu = ours.seconds / least.seconds, ours.cpu / least.cpu
    print(
        f"  {name:36} {ours.seconds:6.2f} s {ours.cpu:6.2f} s of CPU {ours.mb:5.0f} MB  least {least.seconds:6.3f} s "
        f"{least.cpu:6.3f} s of CPU  ratio {ratio:6.1f}, of CPU {of_cpu:6.1f}",
        flush=True,
    )


def peak() -> float:
    """Megabytes of memory of this process at its peak."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def tree_cpu(pid: int) -> float:
    """Seconds of CPU, user and system, of the processes of a session, those that ended included."""
    return sum(sum(map(int, fields[11:15])) for _, fields in _session(pid)) / TICKS


def tree_memory(pid: int) -> float:
    """Megabytes of the same, pages that they share counted once."""
    texts = [Path(folder, "smaps_rollup").read_text("utf-8") for folder, _ in _session(pid)]
    return sum(int(kb) for text in texts for kb in re.findall(r"^Pss: +(\d+)", text, re.M)) / 1024


def _session(pid: int) -> Iterator[tuple[Path, list[str]]]:
    """The folder of each process that this one or its descendants started, and its stat after its name."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has just ended
            fields = Path(folder, "stat").read_text("utf-8").rpartition(")")[2].split()
            if fields[3] == str(pid):
                yield folder, fields


# ---------------------------------------------------------------- what is worked on

WORDS = (
    *("the", "of", "and", "in", "was", "to", "a", "as", "by", "with", "division", "bridge", "village"),
    *("founded", "century", "river", "company", "battle", "station", "album", "census", "district"),
)  # fmt: skip
RAW = "{{Inconsistent|date=December 2018|reason=The year}}"
PARAGRAPH = 600  # characters, as in the paper


def prose(drawn: random.Random, size: int) -> str:
    """Words and years of about so many characters."""
    words, left = [], size
    while left > 0:
        year = drawn.random() < 0.08
        words.append(str(drawn.randint(1700, 2023)) if year else drawn.choice(WORDS))
        left -= len(words[-1]) + 1
    return " ".join(words)


def paragraphs(n: int, name: str = "Kettle Mill") -> list[tuple[str, str]]:
    """(title, paragraph) of n articles."""
    drawn = random.Random(7)
    return [(f"{name} {number}", f"{prose(drawn, PARAGRAPH)}.") for number in range(1, n + 1)]


def read_pages(folder: Path, n: int, name: str = "Kettle Mill", first: int = 100_000) -> None:
    """Store n pages with a paragraph and a tag each, ids from `first` on, as a fetch from a file of them does."""
    from wikifetch import fetch, newfetch

    pages = (
        wiki.page(number, title, wiki.revision(number, f"'''{title}''' {paragraph}{RAW}"))
        for number, (title, paragraph) in enumerate(paragraphs(n, name), first)
    )
    path = wiki.written(folder, wiki.export(*pages), f"{first}.xml")
    fetch.finished(newfetch.fetch_of_files([path]), lambda run, seconds: None)

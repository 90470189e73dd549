"""Seconds from bin/run to the first page, with an empty folder and again; memory; milliseconds for each page.

bin/bench serving [TIMES [TABLES]]   (40 unless given; TABLES is a SQLite file with tables, instead of a first start)

Starts the app on a free port with a temporary data folder, joins as its first administrator, and requests each
page of the demonstration set, one after another.
"""

import contextlib
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import requests

from tests.servers import free_port

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bin"))
import processes  # noqa: E402

PAGES = (
    "/",
    "/collections/",
    "/tags/",
    "/campaigns/",
    "/runs/",
    "/studies/",
    "/reports/",
    "/people/",
)
PASSWORD = "eleven blind mice"


def main(times: int = 40, tables: str = "") -> None:
    with tempfile.TemporaryDirectory(prefix="sicetnon-bench-") as folder:
        if not tables:
            with started(folder) as (taken, _, _):
                print(f"first start, packages installed  {taken:6.1f} s to the address")
        with started(with_tables(folder, tables)) as (taken, address, link):
            print(f"next start                       {taken:6.1f} s to the address")
            print(f"memory of all its processes      {memory(folder):6.0f} MB")
            session = joined(address, link)
            for page in PAGES:
                print(f"{page:32} {page_times(session, address + page, times)}")


def with_tables(folder: str, tables: str) -> str:
    """The folder, with a copy of the file of `tables` if there is one."""
    if tables:
        shutil.copy(tables, f"{folder}/db.sqlite3")
    return folder


@contextlib.contextmanager
def started(folder: str) -> Iterator[tuple[float, str, str]]:
    """(seconds until the address is printed, the address, the first administrator's link)"""
    env = {**os.environ, "DATA_DIR": folder}
    port = free_port()
    began = time.perf_counter()
    app = subprocess.Popen(
        [sys.executable, str(ROOT / "bin" / "run"), "--port", str(port)],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        address = rest_of_line(app, "Sic et Non is at ").split()[0]
        taken = time.perf_counter() - began
        yield taken, address, rest_of_line(app, "First administrator, once: ")
    finally:
        app.send_signal(signal.SIGINT)
        app.communicate(timeout=60)


def rest_of_line(app: subprocess.Popen[str], words: str) -> str:
    """The rest of the app's line that contains `words`."""
    assert app.stdout
    for line in app.stdout:
        if words in line:
            return line.partition(words)[2].strip()
    raise SystemExit(f"bin/run ended without a line that contains {words!r}.")


def memory(folder: str) -> float:
    """Megabytes of all processes together, pages that they share counted once."""
    total = 0
    for pid in processes._marked(Path(folder)):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def joined(address: str, link: str) -> requests.Session:
    """A session of the first administrator, who has just joined with every role."""
    session = requests.Session()
    session.trust_env = False
    session.get(link).raise_for_status()
    form = {
        "csrfmiddlewaretoken": session.cookies["sicetnon_csrf"],
        "username": "ada",
        "name": "Ada",
        "password": PASSWORD,
    }
    session.post(link, data=form, headers={"Referer": link}).raise_for_status()
    return session


def page_times(session: requests.Session, url: str, times: int) -> str:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        answer = session.get(url, timeout=30)
        taken.append((time.perf_counter() - began) * 1e3)
        if answer.status_code != 200:
            return f"status {answer.status_code}"
    p95 = statistics.quantiles(taken, n=20)[-1]
    return f"{statistics.median(taken):6.1f} ms median, {p95:6.1f} ms p95, {len(answer.content) // 1024} kB"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:3])

"""The app's web server as bin/run starts it, and people's browsers that send requests to it."""

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from itertools import chain, count
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import requests

from bench.machine import ROOT, TICKS, T, tree_cpu
from tests.servers import free_port

TURNS = 4
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')
Fields = Sequence[tuple[str, str]]


class Server(NamedTuple):
    """A web server, and the processes that work for it."""

    pid: int
    port: int
    others: tuple[int, ...] = ()

    def cpu(self) -> float:
        return sum(map(tree_cpu, (self.pid, *self.others)))


@contextlib.contextmanager
def served(*others: str) -> Iterator[Server]:
    """The web process on the database of this process, with bench.bare in place of config.wsgi.

    And `others` of the Procfile.
    """
    port = free_port()
    address = {"WEB_PORT": str(port), "BASE_URL": f"http://127.0.0.1:{port}"}
    commands = [command_of("web").replace("config.wsgi", "bench.bare:application")]
    commands += map(command_of, others)
    with contextlib.ExitStack() as started:
        web, *more = [
            started.enter_context(
                running(["/bin/sh", "-c", command], cwd=ROOT, env=environment(**address))
            )
            for command in commands
        ]
        wait_for(web, port, "/healthz")
        yield Server(web.pid, port, tuple(process.pid for process in more))


def command_of(process: str) -> str:
    """The Procfile's."""
    lines = (ROOT / "Procfile").read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines)[process]


def environment(**more: str) -> dict[str, str]:
    """The environment of this process, in which the Procfile's programs are found."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, **more}


@contextlib.contextmanager
def running(command: list[str], **how: Any) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, **how)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


def wait_for(process: subprocess.Popen[bytes], port: int, path: str) -> None:
    while process.poll() is None:
        with contextlib.suppress(RequestFailed), contextlib.closing(Browser(port)) as browser:
            browser.get(path)
            return
        time.sleep(0.1)
    raise SystemExit("The web server ended by itself.")


class RequestFailed(Exception):
    """A request that was not answered as it should be."""


class Page(NamedTuple):
    path: str
    text: str

    @property
    def hidden(self) -> list[tuple[str, str]]:
        return [(name, unescape(value)) for name, value in HIDDEN.findall(self.text)]

    def first(self, pattern: str) -> str:
        """The group of the pattern's first match. Raises RequestFailed."""
        if found := re.search(pattern, self.text):
            return unescape(found[1])
        raise RequestFailed(f"{self.path} has no {pattern}")


class Browser:
    """One person's browser: kept connections, cookies, and the size of each answer as it was sent."""

    CSRF = "sicetnon_csrf"

    def __init__(self, port: int, session: str = "") -> None:
        self.address, self.sizes = f"http://127.0.0.1:{port}", list[int]()
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers["Accept"] = "text/html,*/*"
        if session:
            self.session.cookies.set("sicetnon_session", session)

    def close(self) -> None:
        self.session.close()

    def get(self, path: str, **headers: str) -> Page:
        return self._sent("GET", path, headers=headers)

    def post(self, path: str, fields: Fields, **files: tuple[str, str]) -> Page:
        """The page after the form, redirects followed; a file is a name and a text."""
        if not any(name == "csrfmiddlewaretoken" for name, _ in fields):
            fields = [("csrfmiddlewaretoken", self.session.cookies[self.CSRF]), *fields]
        return self._sent("POST", path, data=fields, files=files)

    def api(self, method: str, path: str, entered: object = None, **headers: str) -> Any:
        headers["X-CSRFToken"] = self.session.cookies[self.CSRF]
        return json.loads(self._sent(method, path, json=entered, headers=headers).text)

    def _sent(self, method: str, path: str, **content: Any) -> Page:
        try:
            answer = self._answer(method, path, **content)
        except requests.RequestException as error:
            raise RequestFailed(f"{method} {path}: {error!r}") from error
        for part in (*answer.history, answer):
            self.sizes.append(int(part.headers.get("Content-Length") or len(part.content)))
        text = answer.content.decode()
        if answer.status_code not in (200, 201):
            words = re.sub("<[^>]*>", " ", text)[:400]
            raise RequestFailed(f"{method} {path}: {answer.status_code} {words}")
        return Page(path, text)

    def _answer(self, method: str, path: str, **content: Any) -> requests.Response:
        """Sent again, as browsers do, where the server closes a kept connection at the same moment."""
        try:
            return self.session.request(method, self.address + path, timeout=120, **content)
        except requests.ConnectionError:
            return self.session.request(method, self.address + path, timeout=120, **content)


# ---------------------------------------------------------------- what is measured


def cost(
    server: Server, browser: Browser, act: Callable[[], object], n: int
) -> tuple[str, list[float]]:
    """CPU of `act` next to the bare view with as many bytes for each of its requests, in turns, n times each; in words.

    And the seconds of each act.
    """
    seconds: list[float] = []
    asked, bares = list[list[int]](), count()

    def ours() -> None:
        browser.sizes.clear()
        began = time.perf_counter()
        act()
        seconds.append(time.perf_counter() - began)
        asked.append(list(browser.sizes))

    def bare() -> None:
        for size in asked[next(bares)]:
            browser.get(f"/bare/?bytes={size}")

    act()  # warms up
    used, least = (1e3 * cpu / n for cpu in in_turns(n, (server, ours), (server, bare)))
    least = max(least, 1e3 / TICKS / n)  # no less is counted
    sizes = list(chain.from_iterable(asked))
    words = (
        f"{used:7.1f} ms of CPU  bare view {least:5.1f} ms  ratio {used / least:5.1f}  "
        f"(n = {n}; requests: {len(sizes) / n:.0f} of {mean(sizes) / 1e3:.0f} kB)"
    )
    return words, seconds


def in_turns(
    n: int,
    *sides: tuple[Server, Callable[[], object]],
    cpu: Callable[[Server], float] = Server.cpu,
) -> list[float]:
    """Seconds of CPU of each side's server for n times its act."""
    used = [0.0] * len(sides)
    for turn in range(min(n, TURNS)):
        for side, (server, act) in enumerate(sides):
            began = cpu(server)
            for _ in range(turn, n, TURNS):
                act()
            used[side] += cpu(server) - began
    return used


def seconds_of(act: Callable[[], object], n: int) -> list[float]:
    taken = []
    for _ in range(n):
        start = time.perf_counter()
        act()
        taken.append(time.perf_counter() - start)
    return taken


def at_once(works: Sequence[Callable[[], T]]) -> list[T]:
    """The results of all works, each in a thread of its own."""
    with ThreadPoolExecutor(len(works)) as pool:
        return [done.result() for done in [pool.submit(work) for work in works]]

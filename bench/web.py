"""The app's web server as bin/run starts it, and people's browsers that send requests to it."""

import contextlib
import gzip
import http.client
import json
import os
import re
import select
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from bench.machine import ROOT, TICKS, T, tree_cpu
from tests.servers import free_port

TURNS = 4
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')
Fields = Sequence[tuple[str, str]]


class Server(NamedTuple):
    pid: int
    port: int


@contextlib.contextmanager
def served() -> Iterator[Server]:
    """The Procfile's web process on the database of this process, with bench.bare in place of config.wsgi."""
    lines = (ROOT / "Procfile").read_text(encoding="utf-8").splitlines()
    command = next(line.removeprefix("web: ") for line in lines if line.startswith("web: "))
    port = free_port()
    env = {
        **os.environ,
        "WEB_PORT": str(port),
        "BASE_URL": f"http://127.0.0.1:{port}",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    command = command.replace("config.wsgi", "bench.bare:application")
    process = subprocess.Popen(["/bin/sh", "-c", command], cwd=ROOT, env=env)
    try:
        _wait(process, port)
        yield Server(process.pid, port)
    finally:
        process.terminate()
        process.wait(30)


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    while process.poll() is None:
        with contextlib.suppress(Failed), contextlib.closing(Browser(port)) as browser:
            browser.get("/healthz")
            return
        time.sleep(0.1)
    raise SystemExit("The web server ended by itself; its last output is above.")


class Failed(Exception):
    """A request that was not answered as it should be."""


class Page(NamedTuple):
    path: str
    text: str

    @property
    def hidden(self) -> list[tuple[str, str]]:
        return [(name, unescape(value)) for name, value in HIDDEN.findall(self.text)]

    def one(self, pattern: str) -> str:
        """The group of the pattern's first match. Raises Failed."""
        if found := re.search(pattern, self.text):
            return unescape(found[1])
        raise Failed(f"{self.path} has no {pattern}")


class Browser:
    """One person's browser: a connection that is kept, cookies, and the size of each answer as it was sent."""

    CSRF = "sicetnon_csrf"

    def __init__(self, port: int, session: str = "") -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.cookies = {"sicetnon_session": session} if session else {}
        self.sizes: list[int] = []

    def close(self) -> None:
        self.connection.close()

    def get(self, path: str) -> Page:
        return self._sent("GET", path)

    def post(self, path: str, fields: Fields) -> Page:
        """The page after the form, redirects followed."""
        token = () if any(name == "csrfmiddlewaretoken" for name, _ in fields) else self._token()
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._sent("POST", path, urlencode([*token, *fields]), form)

    def upload(self, path: str, fields: Fields, file: tuple[str, str, str]) -> Page:
        """The page after a form with a file: (field, name, text)."""
        field, name, text = file
        line = "multipart-of-a-bench"
        parts = [f'name="{key}"\r\n\r\n{value}' for key, value in fields]
        parts.append(f'name="{field}"; filename="{name}"\r\n\r\n{text}')
        lines = [f"--{line}\r\nContent-Disposition: form-data; {part}\r\n" for part in parts]
        form = {"Content-Type": f"multipart/form-data; boundary={line}"}
        return self._sent("POST", path, "".join(lines) + f"--{line}--\r\n", form)

    def api(self, method: str, path: str, entered: object = None, **headers: str) -> dict:
        body = "" if entered is None else json.dumps(entered)
        token = {"X-CSRFToken": self.cookies[self.CSRF], "Content-Type": "application/json"}
        return json.loads(self._sent(method, path, body, token | headers).text)

    def _token(self) -> Fields:
        return [("csrfmiddlewaretoken", self.cookies[self.CSRF])]

    def _sent(self, method: str, path: str, body: str = "", more: dict | None = None) -> Page:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"Accept": "text/html,*/*", "Accept-Encoding": "gzip", "Cookie": cookies}
        try:
            answer = self._answered(method, path, body.encode() or None, headers | (more or {}))
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            raise Failed(f"{method} {path}: {error!r}") from error
        self.sizes.append(len(content))
        for cookie in answer.headers.get_all("Set-Cookie", ()):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        if answer.status in (302, 303):
            return self._sent("GET", answer.headers["Location"])
        if answer.headers["Content-Encoding"] == "gzip":
            content = gzip.decompress(content)
        text = content.decode()
        if answer.status not in (200, 201):
            raise Failed(f"{method} {path}: {answer.status} {re.sub('<[^>]*>', ' ', text)[:400]}")
        return Page(path, text)

    def _answered(self, *request: Any) -> http.client.HTTPResponse:
        """The server's answer; sent again, as browsers do, where it closes a kept connection meanwhile."""
        is_kept = self._connect()
        try:
            self.connection.request(*request)
            return self.connection.getresponse()
        except (ConnectionError, http.client.RemoteDisconnected):
            if not is_kept:
                raise
        self.connection.close()
        self._connect()
        self.connection.request(*request)
        return self.connection.getresponse()

    def _connect(self) -> bool:
        """Connect, also where the server has closed a connection that nobody used; whether one was kept."""
        if self.connection.sock and select.select([self.connection.sock], [], [], 0)[0]:
            self.connection.close()
        if self.connection.sock:
            return True
        self.connection.connect()
        self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return False


# ---------------------------------------------------------------- what is measured


class Cost(NamedTuple):
    """CPU seconds of the web server, ours and the bare view's, for n times the same; `seconds` of each of ours."""

    ours: float
    bare: float
    seconds: list[float]
    requests: int
    bytes: int

    def words(self) -> str:
        n = len(self.seconds)
        ours, bare = (1e3 * cpu / n for cpu in (self.ours, self.bare))
        return (
            f"{ours:7.1f} ms of CPU  bare view {bare:5.1f} ms  ratio {ours / bare:5.1f}  "
            f"(n = {n}; requests: {self.requests / n:.0f} of {self.bytes / self.requests / 1e3:.0f} kB)"
        )


def cost(server: Server, browser: Browser, act: Callable[[], object], n: int) -> Cost:
    """`act` n times, and the bare view with as many bytes for each of its requests, in turns."""
    act()
    ours = bare = 0.0
    seconds: list[float] = []
    sizes: list[int] = []
    for turn in range(TURNS):
        browser.sizes.clear()
        began = tree_cpu(server.pid)
        for _ in range(turn, n, TURNS):
            start = time.perf_counter()
            act()
            seconds.append(time.perf_counter() - start)
        ours += tree_cpu(server.pid) - began
        asked = list(browser.sizes)
        sizes += asked
        began = tree_cpu(server.pid)
        for size in asked:
            browser.get(f"/bare/?bytes={size}")
        bare += tree_cpu(server.pid) - began
    bare = max(bare, 1 / TICKS)  # no less is counted
    return Cost(ours, bare, seconds, len(sizes), sum(sizes))


def at_once(works: Sequence[Callable[[], T]]) -> list[T]:
    """The results of all works, each in a thread of its own."""
    with ThreadPoolExecutor(len(works)) as pool:
        return [done.result() for done in [pool.submit(work) for work in works]]

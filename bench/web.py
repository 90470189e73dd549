"""The app's web server as bin/run starts it, and people's browsers that send requests to it."""

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import requests

from bench.common import ROOT, tree_cpu
from tests.servers import free_port

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
    """The web process of the Procfile on the database of this process, and `others` of it."""
    lines = (ROOT / "Procfile").read_text(encoding="utf-8").splitlines()
    commands, port = dict(line.split(": ", 1) for line in lines), free_port()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    address = {"WEB_PORT": str(port), "BASE_URL": f"http://127.0.0.1:{port}", "PATH": path}
    how = {"cwd": ROOT, "env": {**os.environ, **address}}
    with contextlib.ExitStack() as started:
        web, *more = [
            started.enter_context(running(["/bin/sh", "-c", commands[name]], **how))
            for name in ("web", *others)
        ]
        wait_for(web, port, "/healthz")
        yield Server(web.pid, port, tuple(process.pid for process in more))


@contextlib.contextmanager
def running(command: list[str], **how: Any) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, start_new_session=True, **how)
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
        found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', self.text)
        return [(name, unescape(value)) for name, value in found]

    def first(self, pattern: str) -> str:
        """The group of the pattern's first match. Raises RequestFailed."""
        if found := re.search(pattern, self.text):
            return unescape(found[1])
        raise RequestFailed(f"{self.path} has no {pattern}")


class Browser:
    """One person's browser: kept connections and cookies."""

    CSRF = "sicetnon_csrf"

    def __init__(self, port: int, session: str = "") -> None:
        self.address, self.session = f"http://127.0.0.1:{port}", requests.Session()
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
        """Sent again, as browsers do, where the server closes a kept connection at the same moment."""
        asked = {"method": method, "url": self.address + path, "timeout": 120, **content}
        try:
            try:
                answer = self.session.request(**asked)
            except requests.ConnectionError:
                answer = self.session.request(**asked)
        except requests.RequestException as error:
            raise RequestFailed(f"{method} {path}: {error!r}") from error
        text = answer.content.decode()
        if answer.status_code not in (200, 201):
            words = re.sub("<[^>]*>", " ", text)[:400]
            raise RequestFailed(f"{method} {path}: {answer.status_code} {words}")
        return Page(path, text)


def session_of(person: Any) -> str:
    """The cookie of a session that this person has just begun."""
    from django.test import Client

    client = Client()
    client.force_login(person)
    return client.cookies["sicetnon_session"].value

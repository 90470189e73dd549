"""Who sends or reads slowly, or nothing at all, keeps nobody else from an answer of the web server."""

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
import requests

from config.waitress_worker import STRANGERS
from generation.inference.embedded import ROOT

pytestmark = pytest.mark.setup

THREADS = 8
# The app, with an answer that fills every buffer on its way, and one that waits for a byte.
WITH_MORE = """
import os
from config.wsgi import application as app

def application(environ, start_response):
    path = environ["PATH_INFO"]
    if path == "/large/":
        start_response("200 OK", [("Content-Length", str(2**24))])
        return (b"x" * 2**20 for _ in range(2**4))
    if path == "/late/":
        os.write(int(os.environ["BEGUN"]), b"x")
        os.read(int(os.environ["GO_ON"]), 1)
        start_response("200 OK", [("Content-Length", "4")])
        return [b"late"]
    return app(environ, start_response)
"""


class Served:
    """A web server of one process as the Procfile starts it."""

    def __init__(self, folder: Path, tables: Path) -> None:
        (folder / "more.py").write_text(WITH_MORE, encoding="utf-8")
        (folder / "db.sqlite3").write_bytes(tables.read_bytes())
        (self.begun, write), (read, self.go_on) = os.pipe(), os.pipe()
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        env = {
            **os.environ,
            "DATA_DIR": str(folder),
            "DATABASE_URL": f"sqlite:///{folder}/db.sqlite3",
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "SECRET_KEY": "s" * 60,
            "BASE_URL": f"http://127.0.0.1:{self.port}",
            "PYTHONPATH": str(folder),
            "WEB_WORKERS": "1",
            "WEB_THREADS": str(THREADS),
            "BEGUN": str(write),
            "GO_ON": str(read),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        [command] = re.findall(r"^web: (.*)", (ROOT / "Procfile").read_text(), re.MULTILINE)
        command = command.replace("config.wsgi", "more")
        command = re.sub(r"--bind \S+", f"--bind fd://{self.listening.fileno()}", command)
        self.process = subprocess.Popen(
            ["sh", "-c", command],
            cwd=ROOT,
            env=env,
            pass_fds=(write, read, self.listening.fileno()),
            start_new_session=True,
        )
        os.close(write)
        os.close(read)

    def stop(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.listening.close()
        os.close(self.begun)
        os.close(self.go_on)

    def sends(self, head: str, body: bytes = b"") -> socket.socket:
        """A connection that has sent this, and neither sends nor reads more."""
        client = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        client.sendall(head.format(port=self.port).replace("\n", "\r\n").encode() + body)
        return client

    def get(self, path: str) -> requests.Response:
        return requests.get(f"http://127.0.0.1:{self.port}{path}", timeout=60)


@pytest.fixture(scope="module")
def served(tmp_path_factory, ready_database):
    server = Served(tmp_path_factory.mktemp("web"), ready_database)
    server.get("/healthz")
    yield server
    server.stop()


HOST = "Host: 127.0.0.1:{port}\n"


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("", b""),
        (f"GET /sign-in/ HTTP/1.1\n{HOST}X-Half: ", b""),
        (f"POST /sign-in/ HTTP/1.1\n{HOST}Content-Length: 60000\n\n", b"ab"),
        (f"POST /sign-in/ HTTP/1.1\n{HOST}Transfer-Encoding: chunked\n\n", b"ffff\r\nab"),
        (f"GET /large/ HTTP/1.1\n{HOST}\n", b""),
    ],
    ids=["connects", "half a head", "half a body", "half a chunk", "reads nothing"],
)
def test_more_slow_clients_than_threads_stop_nobody(served, head, body):
    with ExitStack() as held:
        for _ in range(2 * THREADS):
            held.enter_context(served.sends(head, body))
        for _ in range(3):
            assert served.get("/healthz").status_code == 200


def test_a_large_answer_reaches_who_reads_it(served):
    assert len(served.get("/large/").content) == 2**24


def test_what_is_too_large_of_somebody_signed_out_is_refused_before_it_is_sent(served):
    head = f"POST /sign-in/ HTTP/1.1\n{HOST}Content-Length: {STRANGERS + 2}\n\n"
    with served.sends(head) as client:
        assert client.recv(100).startswith(b"HTTP/1.1 413 ")


def test_an_address_of_8190_bytes_is_read(served):
    path = "/sign-in/?next="
    assert served.get(path + "x" * (8190 - len(path) - len("GET  HTTP/1.1"))).status_code == 200


def test_an_answer_that_was_begun_is_finished_after_the_signal_to_end(served):
    """The last test here: the server has ended."""
    with served.sends(f"GET /late/ HTTP/1.1\n{HOST}\n") as client:
        assert os.read(served.begun, 1)
        served.process.terminate()
        os.write(served.go_on, b"x")
        answer = b""
        while part := client.recv(1000):
            answer += part
    assert answer.endswith(b"late")
    assert served.process.wait(20) == 0

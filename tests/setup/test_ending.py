"""A process of the web server ends soon after a signal, also while SQLite is in a statement without an end."""

import os
import re
import select
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from generation.inference.embedded import ROOT

pytestmark = [pytest.mark.setup, pytest.mark.alone]

MOST_SECONDS = 10
ENDLESS = """
import os
from config.wsgi import application as app
from django.db import connection

def application(environ, start_response):
    os.write(int(os.environ["BEGUN"]), b"%d" % os.getpid())
    with connection.cursor() as cursor:
        cursor.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
"""


@contextmanager
def in_a_statement(tables, folder):
    """A web server as the Procfile starts it, and its process that is in the statement; as they are signalled."""
    folder.mkdir()
    (folder / "endless.py").write_text(ENDLESS)
    (folder / "db.sqlite3").write_bytes(tables.read_bytes())
    begun, write = os.pipe()
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.socket() as browser:
        env = {
            **os.environ,
            "DATA_DIR": str(folder),
            "DATABASE_URL": f"sqlite:///{folder}/db.sqlite3",
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "SECRET_KEY": "s" * 60,
            "BEGUN": str(write),
            "PYTHONPATH": str(folder),
            "WEB_WORKERS": "1",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        [command] = re.findall(r"^web: (.*)", (ROOT / "Procfile").read_text(), re.MULTILINE)
        command = command.replace("config.wsgi", "endless")
        command = re.sub(r"--bind \S+", f"--bind fd://{listening.fileno()}", command)
        server = subprocess.Popen(
            ["sh", "-c", command],
            cwd=ROOT,
            env=env,
            pass_fds=(write, listening.fileno()),
            start_new_session=True,
        )
        os.close(write)
        try:
            browser.connect(listening.getsockname())
            browser.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            yield os.pidfd_open(server.pid), os.pidfd_open(int(os.read(begun, 20)))
        finally:
            with suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)
            server.wait()
            os.close(begun)


def ended(process: int) -> bool:
    """Whether a process ends in time."""
    return bool(select.select([process], [], [], MOST_SECONDS)[0])


def test_a_web_server_in_a_long_statement_ends_within_ten_seconds(ready_database, tmp_path):
    """Asked as a whole, and one process of it alone."""
    with ExitStack() as both:
        one, other = (
            both.enter_context(in_a_statement(ready_database, tmp_path / name))
            for name in ("one", "other")
        )
        signal.pidfd_send_signal(one[0], signal.SIGTERM)
        signal.pidfd_send_signal(other[1], signal.SIGTERM)
        assert ended(one[0])
        assert ended(one[1])
        assert ended(other[1])

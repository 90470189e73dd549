"""Temporary PostgreSQL and Redis servers: started by command, on loopback, removed at the end.

Standard library only, as bin/test uses it before anything is installed. Tests that stop or flush a
server start theirs here, never touching one that belongs to the machine.
"""

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path


class Missing(Exception):
    """The server's programs are missing on this machine; the text says how to get them."""


class Server:
    """A program that listens on a port of 127.0.0.1 and keeps its files in a folder of its own."""

    def __init__(self, name: str, user: str | None = None) -> None:
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix=f"sicetnon-{name}-"))
        self.user = user
        if user:
            shutil.chown(self.folder, user)
        self.process: subprocess.Popen[bytes] | None = None
        self.was_killed = False

    def launch(self, command: list[str]) -> None:
        """Start it and wait until it is ready.

        After a kill it is started again if it ends, for up to 30 seconds in all: PostgreSQL refuses to start while a
        statement of the killed server still runs.
        """
        deadline = time.monotonic() + 30
        self._start(command)
        while time.monotonic() < deadline:
            if self.process and self.process.poll() is not None:
                if not self.was_killed:
                    break
                time.sleep(0.5)
                self._start(command)
            if self.is_ready():
                return
            time.sleep(0.05)
        words = self.folder.with_suffix(".log").read_text(encoding="utf-8", errors="replace")
        self.close()
        raise RuntimeError(f"The server did not start: {words[-2000:]}")

    def _start(self, command: list[str]) -> None:
        with (self.folder.with_suffix(".log")).open("ab") as log:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                user=self.user,
                start_new_session=True,
            )

    def is_ready(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self) -> None:
        """Kill it, as a power cut would."""
        self.was_killed = True
        self._end(signal.SIGKILL)

    def close(self) -> None:
        self._end(signal.SIGINT)  # PostgreSQL: disconnect everybody and stop; Redis: stop
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.with_suffix(".log").unlink(missing_ok=True)

    def _end(self, number: int) -> None:
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, number)
            self.process.wait(30)
        self.process = None


class PostgreSQL(Server):
    """A cluster with trust login for the user `postgres`; `url` names its maintenance database."""

    def __init__(self) -> None:
        self.programs = postgresql_programs()
        super().__init__("postgresql", plain_user())
        made = subprocess.run(
            [
                str(self.programs / "initdb"),
                f"--pgdata={self.folder}/data",
                "--username=postgres",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync",
            ],
            cwd=self.folder,
            user=self.user,
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            raise RuntimeError(f"initdb failed: {made.stdout}{made.stderr}")
        self.start()

    def start(self) -> None:
        self.launch(
            [
                str(self.programs / "postgres"),
                f"-D{self.folder}/data",
                f"-p{self.port}",
                "-h127.0.0.1",
                f"-k{self.folder}",
                "-cfsync=off",  # it need not outlive a power cut
                # It may analyze tables while a test's rows are uncommitted, and plan for empty tables. Without it
                # plans are the same in every run.
                "-cautovacuum=off",
            ]
        )

    def is_ready(self) -> bool:
        """Whether it takes connections; after a kill it listens before that."""
        asked = [str(self.programs / "pg_isready"), "-q", "-h127.0.0.1", f"-p{self.port}"]
        return subprocess.run(asked, check=False).returncode == 0

    @property
    def url(self) -> str:
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres"


class Redis(Server):
    """A Redis that keeps nothing on disk."""

    def __init__(self) -> None:
        program = shutil.which("redis-server")
        if not program:
            raise Missing(
                "No Redis. Debian: apt-get install redis-server (bin/test starts its own)."
            )
        super().__init__("redis")
        self.program = program
        self.start()

    def start(self) -> None:
        keep_nothing = ["--save", "", "--appendonly", "no", "--dir", str(self.folder)]
        # One numbered database for each worker of the tests (tests/settings.py); the default is 16.
        where = ["--bind", "127.0.0.1", "--port", str(self.port), "--databases", "1024"]
        self.launch([self.program, *where, *keep_nothing])

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"


@contextlib.contextmanager
def a_postgresql(url: str | None = None) -> Iterator[str]:
    """The address of a PostgreSQL to make test databases in: `url` if given, else a temporary one."""
    if url:
        yield url
        return
    with contextlib.closing(PostgreSQL()) as server:
        yield server.url


@contextlib.contextmanager
def a_redis(url: str | None = None) -> Iterator[str]:
    """The address of a Redis to queue in: `url` if given, else a temporary one."""
    if url:
        yield url
        return
    with contextlib.closing(Redis()) as server:
        yield server.url


def postgresql_programs() -> Path:
    """The folder of initdb and postgres: on the path, or the newest where Debian puts them."""
    folders = [Path(initdb).resolve().parent] if (initdb := shutil.which("initdb")) else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise Missing("No PostgreSQL. Debian: apt-get install postgresql (bin/test starts its own).")


def plain_user() -> str | None:
    """The user to run PostgreSQL as if this one is root, which it refuses; else None."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def free_port() -> int:
    """Below those that the system gives to connections, so that a server that was killed gets its own again."""
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port

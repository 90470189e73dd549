"""The app's own processes for tests that need them real: workers, the embedded model."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.db import connection

from tests.servers import free_port

ROOT = Path(__file__).resolve().parent.parent


def environment() -> dict[str, str]:
    """Variables under which a process works on this test's database, queues and settings."""
    given = {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATA_DIR": str(settings.DATA_DIR),
        "SECRET_KEY": settings.SECRET_KEY,
        "BASE_URL": settings.BASE_URL,
        "DATABASE_URL": database_url(),
        "CELERY_BROKER_URL": settings.CELERY_BROKER_URL,
        "INFERENCE_SERVICES": json.dumps(settings.INFERENCE_SERVICES),
    }
    return {**os.environ, **given}


def database_url() -> str:
    """The address of the database that the tests are using now, which is not the configured one."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlunsplit(urlsplit(settings.DATABASE_URL)._replace(path=f"/{name}"))


@contextlib.contextmanager
def running(command: list[str], ready: str) -> Iterator[subprocess.Popen[bytes]]:
    """A Python with these arguments until the block ends; entered once it has said `ready`."""
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_for(ready, process, said)
            yield process
        finally:
            process.kill()
            process.wait()


def _wait_for(ready: str, process: subprocess.Popen[bytes], said: TextIO) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        over = process.poll() is not None
        said.seek(0)
        words = said.read()
        if ready in words:
            return
        if over:
            break
        time.sleep(0.05)
    raise RuntimeError(f"It was to say {ready!r}, and said: {words[-2000:]}")


@contextlib.contextmanager
def workers() -> Iterator[None]:
    """A Celery worker for all queues, as bin/run has them, on this test's database."""
    queues = ["--queues", "work,generation", "--pool", "threads", "--concurrency", "4"]
    quiet = ["--without-gossip", "--without-mingle", "--loglevel", "info"]
    with running(["-m", "celery", "--app", "config", "worker", *queues, *quiet], " ready."):
        yield


@contextlib.contextmanager
def embedded_model() -> Iterator[str]:
    """The address of the embedded language model, its server up."""
    port = free_port()
    with running(["manage.py", "serve_model", "--port", str(port)], "answers at"):
        yield f"http://127.0.0.1:{port}/v1"

"""A broker that can be stopped and emptied, workers that can be killed, and a slow service for them."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection

from config.celery import app, broker_options
from generation.inference.embedded import ROOT
from tests.generation.fake_service import FakeService
from tests.servers import Redis


@pytest.fixture
def fake():
    with FakeService() as service:
        yield service


# ---------------------------------------------------------------- time


def pause(seconds: float) -> None:
    """Let concurrent work go on for a while before a fault."""
    threading.Event().wait(seconds)


def until(
    done: Callable[[], bool],
    seconds: float,
    meanwhile: Callable[[], object] = lambda: None,
    *,
    every: float = 0.2,
) -> None:
    """Do `meanwhile` again and again until it is done; fail after so many seconds."""
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, f"not done after {seconds:.0f} seconds"
        meanwhile()
        pause(every)


# ---------------------------------------------------------------- the broker


class Files:
    """The file broker, in its own folder."""

    url = "filesystem://localhost"

    def __init__(self, folder: Path) -> None:
        self.options = broker_options(self.url, folder)
        self._folder = folder / "broker"

    def stop(self) -> None:
        """A folder that can be neither read nor written: a file takes its place."""
        (self._folder / "queue").rename(self._folder / "away")
        (self._folder / "queue").touch()

    def start(self) -> None:
        (self._folder / "queue").unlink()
        (self._folder / "away").rename(self._folder / "queue")

    def lose_everything(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)  # while others write there

    def close(self) -> None:
        pass


class OwnRedis:
    """A Redis that belongs to the test, since others may use the one of the round."""

    def __init__(self, folder: Path) -> None:
        self._server = Redis()
        self.url = self._server.url
        self.options = broker_options(self.url, folder)

    def stop(self) -> None:
        self._server.kill()

    def start(self) -> None:
        self._server.start()

    def lose_everything(self) -> None:
        import redis

        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    def close(self) -> None:
        self._server.close()


@pytest.fixture
def broker(tmp_path, monkeypatch):
    """The kind of broker of this round, for this test alone; this process sends its messages to it too."""
    uses_redis = os.environ.get("CELERY_BROKER_URL", "").startswith("redis")
    made = OwnRedis(tmp_path) if uses_redis else Files(tmp_path)
    before = app.conf.broker_url, app.conf.broker_transport_options
    monkeypatch.setenv("CELERY_BROKER_URL", made.url)  # Celery prefers the variable to its setting
    _send_to(made.url, made.options)
    yield made
    monkeypatch.undo()
    _send_to(*before)
    made.close()


def _send_to(url: str, options: dict[str, object]) -> None:
    app.conf.update(broker_url=url, broker_transport_options=options)
    # As in a program that has just been forked: connections to the other broker are forgotten.
    app._after_fork()


# ---------------------------------------------------------------- workers

WORKER = (
    *(sys.executable, "-m", "celery", "--app", "config", "--quiet", "worker"),
    *("--queues", "generation", "--pool", "threads", "--concurrency", "8"),
    *("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "error"),
)


@pytest.fixture
def start_worker(tmp_path, broker, settings):
    """`start_worker()`: a generation worker in a process group of its own; none outlives the test."""
    started = []

    def start() -> subprocess.Popen:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATA_DIR": str(tmp_path),
            "DATABASE_URL": database_url(),
            "CELERY_BROKER_URL": broker.url,
            "INFERENCE_SERVICES": json.dumps(settings.INFERENCE_SERVICES),
        }
        with (tmp_path / "worker.log").open("a") as log:
            worker = subprocess.Popen(
                WORKER, cwd=ROOT, env=environment, stderr=log, start_new_session=True
            )
        started.append(worker)
        return worker

    yield start
    for worker in started:
        if worker.poll() is None:
            kill(worker)


def kill(worker: subprocess.Popen) -> None:
    """Kill the worker's whole process group."""
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait(10)


def database_url() -> str:
    """The database under test, as another process names it."""
    given = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{given['NAME']}"
    return "postgres://{USER}:{PASSWORD}@{HOST}:{PORT}/{NAME}".format(**given)

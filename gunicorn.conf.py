"""What gunicorn reads by itself, however it is started: a process of the web server ends within seconds of a signal."""

import os
from typing import Any

worker_class = "config.waitress_worker.WaitressWorker"
# For requests that are being answered; shorter than the time after which bin/run, Docker and systemd kill the process.
graceful_timeout = 5
# Bytes of an address, the most that gunicorn takes: a filter in another script is three times as long in one.
limit_request_line = 8190


def worker_exit(server: Any, worker: Any) -> None:
    """End at once when those seconds are over: Python would wait for each thread, and a statement may take minutes.

    What it was writing is rolled back. A worker that has not begun keeps its status, by which gunicorn stops.
    """
    if worker.booted and worker.pid == os.getpid():
        os._exit(0)

"""gunicorn's processes with waitress in each: a thread has a request once it is read, until its answer is made.

So who sends or reads slowly holds a connection and a temporary file, and no thread. gunicorn starts the processes,
starts one that ends again, and ends all.
"""

import logging
import os
import time
from copy import copy
from typing import Any

from gunicorn.workers.base import Worker
from waitress import create_server, wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import BaseWSGIServer

from pages.middleware import UPLOAD

# Bytes; above them somebody without a session or a token is refused at once. Less is read whole, so that the app can
# say in words that it is too much.
STRANGERS = 1024**2

# It says each time that a request waits for a thread.
logging.getLogger("waitress.queue").setLevel(logging.ERROR)

OPTIONS = {
    "connection_limit": 1000,
    "asyncore_use_poll": True,  # select() takes no more than 1024 files
    "channel_timeout": 60,  # seconds in which nothing comes or goes
    "cleanup_interval": 10,
    "max_request_body_size": UPLOAD + 1,
    # Bytes, more than any answer has: those to slow readers wait in temporary files, not in threads.
    "outbuf_high_watermark": 2**40,
    "clear_untrusted_proxy_headers": False,  # the app looks at them itself (TRUSTED_PROXIES)
    "ident": None,
}


class Parser(HTTPRequestParser):
    """Takes no upload from somebody without a session or a token."""

    def parse_header(self, header_plus: bytes) -> None:
        if not any(name in header_plus.lower() for name in (b"\ncookie:", b"\nauthorization:")):
            limits = copy(self.adj)
            limits.max_request_body_size = STRANGERS + 1
            self.adj: Any = limits
        super().parse_header(header_plus)


class Channel(HTTPChannel):
    parser_class = Parser


class WaitressWorker(Worker):
    """Answers until gunicorn asks it to end or has ended itself; then what was begun, for graceful_timeout seconds."""

    def run(self) -> None:
        # What waitress listens on, reads and writes.
        self.files: dict[int, wasyncore.dispatcher] = {}
        sockets = [each.sock for each in self.sockets]
        create_server(self.wsgi, self.files, sockets=sockets, threads=self.cfg.threads, **OPTIONS)
        listening = [each for each in self.files.values() if isinstance(each, BaseWSGIServer)]
        for each in listening:
            each.channel_class = Channel
        while self.alive and self.ppid == os.getppid():
            self.turn()
        for each in listening:
            each.accepting = False
        end = time.monotonic() + self.cfg.graceful_timeout
        while time.monotonic() < end and any(map(is_answering, listening)):
            self.turn()

    def turn(self) -> None:
        self.notify()
        wasyncore.loop(1, use_poll=True, map=self.files, count=1)


def is_answering(server: BaseWSGIServer) -> bool:
    channels = list(server.active_channels.values())
    return any(channel.requests or channel.total_outbufs_len for channel in channels)

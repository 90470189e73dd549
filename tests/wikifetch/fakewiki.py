"""A small HTTP server on loopback that gives the answers it is given and remembers what it was asked."""

import contextlib
import json
import re
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from wikifetch.source.manners import Clock, Manners
from wikifetch.source.wiki_client import WikiClient

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SILENCE = object()
TRICKLE = object()


@dataclass
class Answer:
    """What the server says to one request; a body that is not a string is sent as JSON."""

    body: object = field(default_factory=lambda: {"query": {}})
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Asked:
    """One request as it came."""

    method: str
    path: str
    params: dict[str, str]
    headers: dict[str, str]


class FakeWiki:
    """Answers in the order of `answers`, then with the last of them; SILENCE never answers, TRICKLE never ends.

    Its REST endpoint answers by `rest`, of a revision's id; at first it has none. `rest_asked` is what that was asked.
    """

    def __init__(self, *answers):
        self.answers = list(answers) or [Answer()]
        self.asked = []
        self.rest = lambda revid: Answer("<title>Not Found</title>", 404)
        self.rest_asked = []
        self.waits = []
        self.over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._time = 0.0

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def address(self):
        return f"http://127.0.0.1:{self._server.server_port}"

    def client(self, before_request=lambda: None, **manners):
        """A client of this wiki whose waiting is written down in `waits`, not done."""
        given = {"contact": "alice@example.org", "version": "1.2", "allowed": (self.address,)}
        polite = Manners(**{**given, **manners})
        return WikiClient(self.address, polite, self.clock(), before_request)

    def clock(self):
        def sleep(seconds):
            self.waits.append(seconds)
            self._time += seconds

        return Clock(sleep=sleep, monotonic=lambda: self._time, now=lambda: NOW)

    def _next(self):
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def _handler(fake):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self._answer(urlsplit(self.path).query)

            def do_POST(self):
                self._answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

            def _answer(self, query):
                params = {name: values[0] for name, values in parse_qs(query).items()}
                path = urlsplit(self.path).path
                asked = Asked(self.command, path, params, dict(self.headers))
                if revision := re.fullmatch(r"/w/rest\.php/v1/revision/(\d+)/html", path):
                    fake.rest_asked.append(asked)
                    answer = fake.rest(int(revision[1]))
                else:
                    fake.asked.append(asked)
                    answer = fake._next()
                if answer is SILENCE:
                    fake.over.wait(10)
                    return
                if answer is TRICKLE:
                    self.send_response(200)
                    self.end_headers()
                    with contextlib.suppress(ConnectionError):
                        while not fake.over.wait(0.02):
                            self.wfile.write(b" ")
                    return
                body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
                data = body.encode()
                self.send_response_only(answer.status)
                for name, value in {"Content-Length": str(len(data)), **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        return Handler

"""An OpenAI-compatible service for tests, on loopback, with faults in a queue.

    with FakeService() as fake:
        fake.enqueue(Fault(500), Say("42"))       # one per call, in order; then `answer` again
        settings.INFERENCE_SERVICES = fake.setting("local")

It remembers every call in `calls`; `held()` keeps answers back until its block ends.
"""

import contextlib
import json
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass(frozen=True)
class Say:
    """A good answer."""

    text: str | None
    finish_reason: str = "stop"
    reasoning: str = ""
    logprobs: object = None


@dataclass(frozen=True)
class Fault:
    """Any other answer: a status with a body and headers."""

    status: int = 500
    body: object = field(
        default_factory=lambda: {"error": {"message": "it broke", "type": "server_error"}}
    )
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Raw:
    """These bytes as the body of a 200."""

    body: bytes


class HangUp:
    """Breaks the connection without an answer."""


class Trickle:
    """Begins its answer at once and then sends a byte now and then, without an end."""


class Late:
    """Answers only when the service stops: longer than any client's timeout."""


CONTEXT_TOO_LONG = Fault(
    400,
    {
        "error": {
            "code": 400,
            "message": "request (9001 tokens) exceeds the available context size (8192 tokens)",
            "type": "exceed_context_size_error",
        }
    },
)


# How a service may word log-probabilities, by where it gives them.
LEGACY, LISTED, IN_CHAT = "a dict", "a list", "in its chat"
LIKELY = {"A": -0.1, " B": -2.5, "(B": -6.0, "The": -9.0}


def first_token(likely: dict[str, float], shape: str) -> Say:
    """One token of a reply with the log-probabilities of the likeliest: after a bare text as a dict or a list."""
    token = max(likely, key=lambda each: likely[each])
    if shape == LEGACY:
        return Say(token, "length", logprobs={"tokens": [token], "top_logprobs": [likely]})
    tops = [{"token": each, "logprob": likely[each], "bytes": None} for each in likely]
    return Say(token, "length", logprobs={"content": [{**tops[0], "top_logprobs": tops}]})


def prompt_of(request: dict) -> str:
    return request["messages"][-1]["content"] if "messages" in request else request["prompt"]


def last_words(request: dict) -> str:
    """The default answer: different for each prompt, the same for the same one."""
    words = prompt_of(request).split()
    return f"{len(words)} words, the last {words[-1]}"


class FakeService:
    def __init__(
        self,
        *,
        models: tuple[str, ...] = ("echo-1",),
        latency: float = 0.0,
        answer: Callable[[dict], str] = last_words,
        refuses_system: bool = False,
        refuses: tuple[str, ...] = (),
        has_chat: bool = True,
        scores: str = "",
        alternatives: int = 20,
        certificate: Path | None = None,
    ) -> None:
        self.models, self.latency, self.answer, self.refuses_system = (
            models,
            latency,
            answer,
            refuses_system,
        )
        # Fields of a request that it does not take; without a chat, it has bare completions alone.
        self.refuses, self.has_chat = refuses, has_chat
        # How it gives log-probabilities, if it does, of at most how many tokens; and those that it gives.
        self.scores, self.alternatives, self.likely = scores, alternatives, LIKELY
        self.certificate = certificate
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        # What it answers to every call, and to a look at its models; words of a prompt that break the connection.
        self.always: object = None
        self.looks: Fault | None = None
        self.breaks_on = ""
        self.calls: list[dict] = []
        self.keys: list[str | None] = []
        self.most_at_once = 0
        self._queue: deque[object] = deque()
        self._lock = threading.Lock()
        self._open = 0
        self._gate = threading.Event()
        self._gate.set()
        self._stopped = threading.Event()
        self.arrived = threading.Semaphore(0)

    def __enter__(self) -> "FakeService":
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        if self.certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.certificate)
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._gate.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        scheme = "https" if self.certificate else "http"
        return f"{scheme}://127.0.0.1:{self._server.server_address[1]}/v1"

    def setting(self, name: str = "local", **options: object) -> dict[str, dict[str, object]]:
        """INFERENCE_SERVICES with this service under a name."""
        return {name: {"url": self.url, "in_flight": 2, "timeout": 5, **options}}

    def enqueue(self, *replies: object) -> None:
        self._queue.extend(replies)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Calls made inside the block are answered when it ends; `arrived.acquire()` waits for one to come."""
        self._gate.clear()
        try:
            yield
        finally:
            self._gate.set()

    def next_reply(self, request: dict) -> object:
        with self._lock:
            self.calls.append(request)
            self._open += 1
            self.most_at_once = max(self.most_at_once, self._open)
            queued = self._queue.popleft() if self._queue else None
        self.arrived.release()
        self._gate.wait()
        if isinstance(queued, Late):
            self._stopped.wait()
        elif self.latency:
            self._stopped.wait(self.latency)
        # Before the answer leaves: the client may call again at once.
        with self._lock:
            self._open -= 1
        if self.breaks_on and self.breaks_on in prompt_of(request):
            return HangUp()
        return queued or self.always or self._usual(request)

    def _usual(self, request: dict) -> object:
        is_chat = "messages" in request
        if self.scores and "logprobs" in request and is_chat is (self.scores == IN_CHAT):
            wanted = request["top_logprobs"] if is_chat else request["logprobs"]
            if wanted > self.alternatives:
                return Fault(400, {"error": {"message": f"at most {self.alternatives} logprobs"}})
            return first_token(self.likely, self.scores)
        if ("messages" in request) != self.has_chat:
            return Fault(404, {"error": {"message": "Not Found"}})
        if refused := [name for name in self.refuses if name in request]:
            return Fault(400, {"error": {"message": f"Unsupported parameter: {refused[0]}"}})
        roles = [message["role"] for message in request.get("messages", ())]
        if self.refuses_system and "system" in roles:
            return Fault(
                400, {"error": {"message": "System role not supported", "type": "BadRequestError"}}
            )
        if request["model"] not in self.models:
            return Fault(
                404, {"error": {"message": f"The model {request['model']} does not exist."}}
            )
        return Say(self.answer(request))


def completion(request: dict, reply: Say) -> dict:
    message = {"role": "assistant", "content": reply.text}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    answer = {"message": message} if "messages" in request else {"text": reply.text}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request["model"],
        "system_fingerprint": "fp-1",
        "choices": [
            {
                "index": 0,
                **answer,
                "finish_reason": reply.finish_reason,
                **({"logprobs": reply.logprobs} if reply.logprobs else {}),
            }
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


def _handler(fake: FakeService) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            fake.keys.append(self.headers.get("Authorization"))
            data = [{"id": name, "object": "model"} for name in fake.models]
            self._send(fake.looks or Fault(200, {"object": "list", "data": data}))

        def do_POST(self) -> None:
            fake.headers.append(dict(self.headers))
            fake.paths.append(self.path)
            fake.keys.append(self.headers.get("Authorization"))
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = fake.next_reply(request)
            if isinstance(reply, HangUp | Late):
                self.close_connection = True
            elif isinstance(reply, Trickle):
                self._trickle()
            elif isinstance(reply, Say):
                self._send(Fault(200, completion(request, reply)))
            else:
                self._send(reply)

        def _trickle(self) -> None:
            self.close_connection = True
            self.send_response(200)
            self.end_headers()
            while not fake._stopped.wait(0.02):
                self.wfile.write(b" ")

        def _send(self, reply: Fault | Raw) -> None:
            fault = reply if isinstance(reply, Fault) else Fault(200, reply.body)
            body = fault.body if isinstance(fault.body, bytes) else json.dumps(fault.body).encode()
            self.send_response(fault.status)
            for name, value in (*fault.headers, ("Content-Length", str(len(body)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def handle(self) -> None:
            with contextlib.suppress(
                OSError
            ):  # the client's worker was killed, or refused the certificate
                super().handle()

        def log_message(self, *_: object) -> None:
            pass

    return Handler

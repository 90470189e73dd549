"""The client of inference services: for each a connection pool, a limit of calls in flight, and a rate.

After a brief fault the call is repeated here within seconds; after an outage the row waits (dispatch.py).
"""

import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import requests
from django.conf import settings
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase

from generation import chat, faults
from leases.cutoff import CutOff, TooLarge, TooSlow, read_whole
from leases.retry import retry_after

# Seconds before the second and third try of a call after a brief fault.
BRIEF_PAUSES = (0.5, 2.0)
# Seconds. A call that took longer before its fault, or a service that requests a longer pause, is not tried again.
BRIEF = 10.0
CONNECT_TIMEOUT = 5.0
HEALTH_TIMEOUT = 3.0
# The longest reply in bytes, all fields included.
MOST_BYTES = 16 * 1024**2
# Seconds without calls after a service was down, so that not every response spends an attempt on it.
OUTAGE_PAUSE = 10.0
# The most that a service may request.
LONGEST_PAUSE = 3600.0


@dataclass(frozen=True)
class ServiceEntry:
    """One entry of INFERENCE_SERVICES. `url` ends where /chat/completions begins, usually in /v1.

    `timeout` is in seconds for one reply. `per_minute` None means as fast as `in_flight` allows. `in_flight` and
    `per_minute` apply to each worker process.
    """

    name: str
    url: str
    key_env: str = ""
    in_flight: int = 4
    per_minute: float | None = None
    timeout: float = 120.0

    @property
    def lease(self) -> float:
        """Seconds of a row's lease during a call: the longest time that a call can take, and a margin."""
        return self.timeout + CONNECT_TIMEOUT + 2 * BRIEF + sum(BRIEF_PAUSES) + 15


def entry(name: str, data: Mapping[str, Any]) -> ServiceEntry:
    """An entry of the setting, checked; raises NotConfigured with what to write."""
    try:
        made = ServiceEntry(name=name, **data)
    except TypeError as error:
        raise _misconfigured(name, f"cannot be read ({error})") from None
    parts = urlsplit(made.url) if isinstance(made.url, str) else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise _misconfigured(name, "needs a url such as http://127.0.0.1:8080/v1")
    if not name or "/" in name or len(name) > 60:
        raise _misconfigured(name, "needs a name without a slash, at most 60 characters long")
    if (
        isinstance(made.in_flight, bool)
        or not isinstance(made.in_flight, int)
        or made.in_flight < 1
    ):
        raise _misconfigured(name, "needs in_flight as a whole number from 1")
    for key, value in (("timeout", made.timeout), ("per_minute", made.per_minute)):
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int | float) or value <= 0
        ):
            raise _misconfigured(name, f"needs {key} as a number above 0")
    if made.timeout is None or not isinstance(made.key_env, str):
        raise _misconfigured(name, "needs timeout as a number and key_env as a variable's name")
    return made


def _misconfigured(name: str, problem: str) -> faults.NotConfigured:
    return faults.NotConfigured(f"Setting INFERENCE_SERVICES: service {name!r} {problem}.")


def problem(name: str) -> str:
    """Why this service's entry cannot be used; "" when it can. Nothing is sent to the service."""
    try:
        service(name).check()
    except faults.NotConfigured as fault:
        return fault.sentence
    return ""


def names() -> list[str]:
    """The names of the services in the setting, sorted."""
    return sorted(settings.INFERENCE_SERVICES)


def service(name: str) -> "Service":
    """The service of this name, the same object for the whole process; raises NotConfigured."""
    if name not in settings.INFERENCE_SERVICES:
        known = ", ".join(names()) or "none"
        raise faults.NotConfigured(
            f"There is no inference service {name!r}. Known: {known}. Services are listed in INFERENCE_SERVICES."
        )
    return _service(entry(name, settings.INFERENCE_SERVICES[name]))


@cache
def _service(made: ServiceEntry) -> "Service":
    return Service(made)


class Bearer(AuthBase):
    """Puts the key into the header; as `auth`, so that no .netrc entry takes its place."""

    def __init__(self, key: str) -> None:
        self.key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self.key:
            request.headers["Authorization"] = f"Bearer {self.key}"
        return request


@dataclass(frozen=True)
class Probe:
    """The result of a test call. `system_message` is what to send: "" where an empty one is accepted, else None."""

    reply: chat.Reply
    system_message: str | None


class Service:
    """One inference service as used by this process; safe in many threads."""

    def __init__(self, made: ServiceEntry) -> None:
        self.entry = made
        self.name = made.name
        self._session = requests.Session()
        adapter = HTTPAdapter(pool_connections=1, pool_maxsize=made.in_flight)
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)
        # A proxy in the environment is for other machines.
        self._session.trust_env = not _is_loopback(made.url)
        self._free = threading.BoundedSemaphore(made.in_flight)
        self._pace = threading.Lock()
        self._next_call = 0.0
        self._paused_until = 0.0

    def check(self) -> None:
        """Raise NotConfigured when the service's key is not there."""
        self._key()

    # ------------------------------------------------------------ calls in flight

    @contextmanager
    def turn(self) -> Iterator[bool]:
        """Take one of the calls in flight: True when one is free, False when all are taken or the service is paused."""
        if time.monotonic() < self._paused_until or not self._free.acquire(blocking=False):
            yield False
            return
        try:
            self._keep_pace()
            yield True
        finally:
            self._free.release()

    def pause_for(self, seconds: float) -> None:
        """Make no call for so many seconds, at most LONGEST_PAUSE."""
        until = time.monotonic() + min(seconds, LONGEST_PAUSE)
        self._paused_until = max(self._paused_until, until)

    def _keep_pace(self) -> None:
        if self.entry.per_minute is None:
            return
        with self._pace:
            now = time.monotonic()
            wait = max(0.0, self._next_call - now)
            self._next_call = now + wait + 60 / self.entry.per_minute
        time.sleep(wait)

    # ------------------------------------------------------------ requests

    def ask(self, model_id: str, options: Mapping[str, Any], text: str) -> chat.Reply:
        """One chat completion; raises a ServiceFault, after two more tries where the fault is brief."""
        request = chat.body(model_id, options, text)
        began = time.monotonic()
        for pause in (*BRIEF_PAUSES, None):
            try:
                return self._complete(request)
            except faults.ServiceFault as fault:
                requested = fault.retry_after or 0.0
                over = time.monotonic() - began > BRIEF or requested > BRIEF
                if pause is None or over or not fault.brief:
                    raise
                time.sleep(max(pause, requested))
        raise AssertionError("the last try returns or raises")

    def models(self, timeout: float = HEALTH_TIMEOUT) -> list[str]:
        """The model ids that the service lists; raises a ServiceFault."""
        status, content, _ = self._call("GET", "/models", timeout=timeout)
        return chat.model_ids(content, status)

    def probe(self, model_id: str) -> Probe:
        """A short call with an empty system message, and without one if it is refused; raises a ServiceFault."""
        options = {"temperature": 0, "max_tokens": 8}
        try:
            return Probe(self.ask(model_id, {**options, chat.SYSTEM_MESSAGE: ""}, "Say yes."), "")
        except (faults.Refused, faults.ServiceFailed):
            return Probe(self.ask(model_id, options, "Say yes."), None)

    # ------------------------------------------------------------ HTTP

    def _complete(self, request: Mapping[str, Any]) -> chat.Reply:
        status, content, latency_ms = self._call(
            "POST", "/chat/completions", json=request, timeout=self.entry.timeout
        )
        try:
            return chat.reply(request, status, content, latency_ms)
        except faults.ServiceFault as fault:
            fault.latency_ms = latency_ms
            raise

    def _call(
        self, method: str, path: str, *, timeout: float, **body: Any
    ) -> tuple[int, bytes, int]:
        """(status, content, latency in ms) of a 2xx answer; raises a ServiceFault for anything else."""
        began = time.monotonic()
        try:
            answer = self._session.request(
                method,
                self.entry.url.rstrip("/") + path,
                auth=Bearer(self._key()),
                timeout=(min(CONNECT_TIMEOUT, timeout), timeout),
                allow_redirects=False,
                stream=True,
                **body,
            )
            with answer:
                left = timeout - (time.monotonic() - began)
                content = read_whole(answer, seconds=left, most=MOST_BYTES)
            fault = self._fault_of(answer, content)
        except (requests.RequestException, CutOff) as error:
            fault = self._fault_without_answer(error, timeout)
        latency_ms = round((time.monotonic() - began) * 1000)
        if fault:
            fault.latency_ms = latency_ms
            raise fault
        return answer.status_code, content, latency_ms

    def _fault_of(self, answer: requests.Response, content: bytes) -> faults.ServiceFault | None:
        if 200 <= answer.status_code < 300:
            return None
        pause = retry_after(answer.headers.get("Retry-After"), datetime.now(UTC))
        return chat.fault(answer.status_code, content, pause)

    def _fault_without_answer(
        self, error: requests.RequestException | CutOff, timeout: float
    ) -> faults.ServiceFault:
        if isinstance(error, TooLarge):
            return faults.WrongShape(
                f"The service {self.name} sent more than {MOST_BYTES // 1024**2} MB for one reply."
            )
        if isinstance(error, requests.ReadTimeout | TooSlow):
            return faults.ServiceSlow(
                f"The service {self.name} did not answer within {timeout:g} seconds. Its timeout is set in "
                "INFERENCE_SERVICES."
            )
        if isinstance(
            error,
            requests.ConnectionError | requests.Timeout | requests.exceptions.ChunkedEncodingError,
        ):
            return faults.ServiceDown(
                f"The service {self.name} does not answer, or broke the connection ({_reason(error)}). Is it running?"
            )
        return faults.Refused(f"The service {self.name} cannot be asked: {_reason(error)}.")

    def _key(self) -> str:
        variable = self.entry.key_env
        if not variable:
            return ""
        if not os.environ.get(variable):
            raise faults.NotConfigured(
                f"The service {self.name} needs its key in the environment variable {variable}, which is not set."
            )
        return os.environ[variable]


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def _reason(error: BaseException) -> str:
    """The message of the innermost cause; requests wraps it in addresses and object names."""
    last = error.args[-1] if error.args else None
    inner = getattr(error, "reason", None) or error.__cause__ or last
    if isinstance(inner, BaseException):
        return _reason(inner)
    return getattr(error, "strerror", None) or type(error).__name__

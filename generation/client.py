"""The only door to inference services: one connection pool, one number of calls in flight, one rate each.

A brief fault is tried again here, within seconds; an outage is the response's to wait out (answering.py).
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

# Pauses in seconds before the second and third try of a call that met a brief fault.
BRIEF_PAUSES = (0.5, 2.0)
# A fault that took longer than this to show, or asks for a longer pause, is not brief.
BRIEF = 10.0
CONNECT_TIMEOUT = 5.0
HEALTH_TIMEOUT = 3.0
# The longest reply in bytes, with whatever the service puts around the text.
MOST_BYTES = 16 * 1024**2
# How long a service that is down is left alone, in seconds, so that not every response spends an attempt on it.
REST = 10.0


@dataclass(frozen=True)
class ServiceEntry:
    """One entry of INFERENCE_SERVICES. `url` ends where /chat/completions begins, usually in /v1.

    `timeout` is in seconds and for one reply; `per_minute` None means as fast as `in_flight` allows; both
    bounds hold for each worker process.
    """

    name: str
    url: str
    key_env: str = ""
    in_flight: int = 4
    per_minute: float | None = None
    timeout: float = 120.0

    @property
    def lease(self) -> float:
        """Seconds that a response is held for while it is asked: the longest that a call can take, and a margin."""
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
    """Why this service cannot be asked as it is set up; "" when it can (whether it answers is another matter)."""
    try:
        service(name).check()
    except faults.NotConfigured as fault:
        return fault.sentence
    return ""


def names() -> list[str]:
    """The services that the setting knows."""
    return sorted(settings.INFERENCE_SERVICES)


def service(name: str) -> "Service":
    """The service of this name, the same object for the whole process; raises NotConfigured."""
    if name not in settings.INFERENCE_SERVICES:
        known = ", ".join(names()) or "none"
        raise faults.NotConfigured(
            f"There is no inference service {name!r}. Known: {known}. Services are named in INFERENCE_SERVICES."
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
    """What a test call found. `system_message` is what to send: "" where an empty one is taken, else None."""

    reply: chat.Reply
    system_message: str | None


class Service:
    """One inference service as this process speaks to it; safe to use from many threads."""

    def __init__(self, made: ServiceEntry) -> None:
        self.entry = made
        self.name = made.name
        self._session = requests.Session()
        adapter = HTTPAdapter(pool_connections=1, pool_maxsize=made.in_flight)
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)
        # A proxy that the environment names is for other machines.
        self._session.trust_env = not _is_loopback(made.url)
        self._free = threading.BoundedSemaphore(made.in_flight)
        self._pace = threading.Lock()
        self._next_call = 0.0
        self._rest_until = 0.0

    def check(self) -> None:
        """Raise NotConfigured when the service's key is not there."""
        self._key()

    # ------------------------------------------------------------ whose turn it is

    @contextmanager
    def turn(self) -> Iterator[bool]:
        """One of the calls in flight: True when there is one to be had now, False when all are out or it rests."""
        if time.monotonic() < self._rest_until or not self._free.acquire(blocking=False):
            yield False
            return
        try:
            self._keep_pace()
            yield True
        finally:
            self._free.release()

    def rest(self, seconds: float) -> None:
        """Leave the service alone for a while."""
        self._rest_until = max(self._rest_until, time.monotonic() + seconds)

    def _keep_pace(self) -> None:
        if self.entry.per_minute is None:
            return
        with self._pace:
            now = time.monotonic()
            wait = max(0.0, self._next_call - now)
            self._next_call = now + wait + 60 / self.entry.per_minute
        time.sleep(wait)

    # ------------------------------------------------------------ what is asked

    def ask(self, model_id: str, options: Mapping[str, Any], text: str) -> chat.Reply:
        """One chat completion; raises a ServiceFault, after two more tries where the fault is brief."""
        request = chat.body(model_id, options, text)
        began = time.monotonic()
        for pause in (*BRIEF_PAUSES, None):
            try:
                return self._complete(request)
            except faults.ServiceFault as fault:
                asked_for = fault.retry_after or 0.0
                over = time.monotonic() - began > BRIEF or asked_for > BRIEF
                if pause is None or over or not fault.brief:
                    raise
                time.sleep(max(pause, asked_for))
        raise AssertionError("the last try returns or raises")

    def models(self, timeout: float = HEALTH_TIMEOUT) -> list[str]:
        """The model ids that the service lists; raises a ServiceFault."""
        status, content, _ = self._call("GET", "/models", timeout=timeout)
        return chat.model_ids(content, status)

    def probe(self, model_id: str) -> Probe:
        """Ask for one word, with an empty system message and, where that is refused, without; raises a ServiceFault."""
        options = {"temperature": 0, "max_tokens": 8}
        try:
            return Probe(self.ask(model_id, {**options, chat.SYSTEM_MESSAGE: ""}, "Say yes."), "")
        except (faults.Refused, faults.ServiceFailed):
            return Probe(self.ask(model_id, options, "Say yes."), None)

    # ------------------------------------------------------------ how

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
        pause = faults.retry_after(answer.headers.get("Retry-After"), datetime.now(UTC))
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
                f"The service {self.name} does not answer, or broke off ({_reason(error)}). Is it started?"
            )
        return faults.Refused(f"The service {self.name} cannot be asked: {_reason(error)}.")

    def _key(self) -> str:
        variable = self.entry.key_env
        if not variable:
            return ""
        if not os.environ.get(variable):
            raise faults.NotConfigured(
                f"The service {self.name} wants its key in the environment variable {variable}, which is not set."
            )
        return os.environ[variable]


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def _reason(error: BaseException) -> str:
    """The innermost cause's words, since requests wraps them in addresses and object names."""
    last = error.args[-1] if error.args else None
    inner = getattr(error, "reason", None) or error.__cause__ or last
    if isinstance(inner, BaseException):
        return _reason(inner)
    return getattr(error, "strerror", None) or type(error).__name__

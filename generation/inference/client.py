"""The client of inference services: one call, with its answer or its fault."""

import os
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import requests
from django.conf import settings
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase
from urllib3.exceptions import ProtocolError

from generation.inference import chat, faults, scoring, service_errors
from generation.inference.service_entries import ServiceEntry, checked_entry, is_printable
from leases.cutoff import CutOff, TooLarge, TooSlow, read_whole
from leases.retry import retry_after

CONNECT_TIMEOUT = 5.0
HEALTH_TIMEOUT = 3.0
# The longest reply in bytes, all fields included.
MOST_BYTES = 1024**2


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
    return _service(checked_entry(name, settings.INFERENCE_SERVICES[name]))


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


class _Answer(NamedTuple):
    """An answer of 2xx: `latency_ms` in milliseconds, `retry_after` in seconds where it asks for a pause."""

    status: int
    content: bytes
    latency_ms: int
    retry_after: float | None


class Service:
    """One inference service as used by this process; safe in many threads."""

    def __init__(self, made: ServiceEntry) -> None:
        self.entry = made
        self.name = made.name
        self._session = requests.Session()
        # Two more than the calls: a look at the service, and the heartbeat's.
        adapter = HTTPAdapter(pool_connections=1, pool_maxsize=made.in_flight + 2)
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)
        # A proxy in the environment is for other machines.
        self._session.trust_env = not _is_loopback(made.url)
        self._session.verify = settings.AUTHORITIES or True

    def check(self) -> None:
        """Raise NotConfigured when the service's key, or what a header takes from a variable, is not there."""
        self._key()
        self.headers()

    # ------------------------------------------------------------ requests

    def ask(
        self,
        model_id: str,
        options: Mapping[str, Any],
        text: str,
        abilities: chat.Abilities = chat.USUAL,
        before: Sequence[str] = (),
        scored: Sequence[str] = (),
    ) -> chat.Reply:
        """One completion, after the earlier turns `before` (chat.body); raises a ServiceFault.

        With options to be `scored`, the reply has their probabilities.
        """
        if scored and not abilities.scores:
            raise faults.CannotScore(scoring.CANNOT)
        request = scoring.body(model_id, options, text, abilities, before, scored)
        choose = partial(scoring.choose, options=scored) if scored else None
        try:
            got = self._call("POST", chat.path(request), json=request, timeout=self.entry.timeout)
            with _fault_in(got):
                return chat.reply(
                    request,
                    got.status,
                    got.content,
                    got.latency_ms,
                    abilities=abilities,
                    choose=choose,
                )
        except faults.Filtered as fault:
            return chat.filtered(request, fault)

    def models(self, timeout: float = HEALTH_TIMEOUT) -> list[str]:
        """The model ids that the service lists; raises a ServiceFault."""
        got = self._call("GET", "/models", timeout=timeout)
        with _fault_in(got):
            return chat.model_ids(got.content, got.status)

    # ------------------------------------------------------------ HTTP

    def _call(self, method: str, path: str, *, timeout: float, **body: Any) -> _Answer:
        """A 2xx answer; raises a ServiceFault for anything else."""
        began = time.monotonic()
        try:
            answer = self._session.request(
                method,
                self.entry.url.rstrip("/") + path,
                auth=Bearer(self._key()),
                headers=self.headers(),
                params=self.entry.query or None,
                timeout=(min(CONNECT_TIMEOUT, timeout), timeout),
                allow_redirects=False,
                stream=True,
                **body,
            )
            with answer:
                left = timeout - (time.monotonic() - began)
                content = _content(answer, left)
            fault = self._fault_of(answer, content)
        except (requests.RequestException, CutOff) as error:
            fault = self._fault_without_answer(error, timeout)
        latency_ms = round((time.monotonic() - began) * 1000)
        if fault:
            fault.latency_ms = latency_ms
            raise fault
        return _Answer(answer.status_code, content, latency_ms, _pause(answer))

    def _fault_of(self, answer: requests.Response, content: bytes) -> faults.ServiceFault | None:
        if 200 <= answer.status_code < 300:
            return None
        if 300 <= answer.status_code < 400:
            to = service_errors.shown(answer.headers.get("Location", "").partition("?")[0].encode())
            return faults.Redirected(
                f"The service {self.name} redirects ({answer.status_code}) to {to or 'no address'}. Calls are not "
                "sent on: set the url in INFERENCE_SERVICES to the address itself.",
                status=answer.status_code,
            )
        return service_errors.fault_of(answer.status_code, content, _pause(answer))

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
        if isinstance(error, requests.exceptions.ContentDecodingError):
            return faults.BrokenReply(
                f"The service {self.name} sent an answer that cannot be unpacked ({_reason(error)})."
            )
        if isinstance(_innermost(error), ssl.SSLCertVerificationError):
            return faults.CertificateWrong(
                f"The certificate of the service {self.name} is not valid for its address ({_reason(error)}). For the "
                "operator: an authority of your own is named in CA_CERTIFICATES_FILE."
            )
        broken = (requests.exceptions.ChunkedEncodingError, requests.exceptions.SSLError)
        if isinstance(error, broken) or _was_connected(error):
            return faults.CallCut(
                f"The service {self.name} broke the connection during the call ({_reason(error)})."
            )
        if isinstance(error, requests.ConnectionError | requests.Timeout):
            return faults.ServiceDown(
                f"The service {self.name} does not answer ({_reason(error)}). Is it running?"
            )
        return faults.Refused(f"The service {self.name} cannot be asked: {_reason(error)}.")

    def _key(self) -> str:
        return self._variable(self.entry.key_env, "its key") if self.entry.key_env else ""

    def headers(self) -> dict[str, str]:
        return {
            name: self._variable(value[1:], f"its header {name}") if value[0] == "$" else value
            for name, value in self.entry.headers
        }

    def _variable(self, name: str, what: str) -> str:
        if not os.environ.get(name):
            raise faults.NotConfigured(
                f"The service {self.name} needs {what} in the environment variable {name}, which is not set."
            )
        if not is_printable(os.environ[name]):
            raise faults.NotConfigured(
                f"The service {self.name} needs {what} in the environment variable {name}, which has a line break or "
                "another character that cannot be sent. Set it to printable ASCII characters alone."
            )
        return os.environ[name]


@contextmanager
def _fault_in(got: _Answer) -> Iterator[None]:
    """A fault in an answer's body has the answer's time, and the pause that it asks for."""
    try:
        yield
    except faults.ServiceFault as fault:
        fault.latency_ms = got.latency_ms
        fault.retry_after = fault.retry_after or got.retry_after
        raise


def _content(answer: requests.Response, seconds: float) -> bytes:
    """Its body; nothing of an error's that cannot be unpacked, because the status says enough."""
    try:
        return read_whole(answer, seconds=seconds, most=MOST_BYTES)
    except requests.exceptions.ContentDecodingError:
        if answer.ok:
            raise
        return b""


def _pause(answer: requests.Response) -> float | None:
    return retry_after(answer.headers.get("Retry-After"), datetime.now(UTC))


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def _was_connected(error: BaseException) -> bool:
    """Whether the connection broke after it was made."""
    return isinstance(error, requests.ConnectionError) and isinstance(
        error.args[0] if error.args else None, ProtocolError
    )


def _innermost(error: BaseException) -> BaseException:
    """The innermost cause; requests wraps it in addresses and object names."""
    last = error.args[-1] if error.args else None
    inner = getattr(error, "reason", None) or error.__cause__ or last
    return _innermost(inner) if isinstance(inner, BaseException) else error


def _reason(error: BaseException) -> str:
    inner = _innermost(error)
    return getattr(inner, "strerror", None) or type(inner).__name__

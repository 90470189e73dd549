"""How one wiki's API is asked: in series, at a pace, waiting when it is busy, its errors as one kind.

It rests on this: every error is HTTP 200 in one of two shapes; what comes from a wiki's edge is HTML; the whole
`continue` object is sent back.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

import requests
from requests.auth import AuthBase

from leases.cutoff import CutOff, TooLarge, TooSlow, read_whole
from leases.retry import retry_after
from wikifetch.source import api_refusals
from wikifetch.source.manners import (
    MOST_HERE,
    REAL_CLOCK,
    Clock,
    Manners,
    Patience,
    WikiError,
    WikiTraffic,
    api_at,
    checked_address,
    user_agent,
)
from wikifetch.source.shapes import Continuations, Reply, entries_of, more_of, query_of

_LONG_QUERY = 2_000  # bytes of a query; a longer one is posted
_MAX_ANSWER = 32 * 1024 * 1024
# Of what comes instead of data: bytes, and seconds of reading it.
_MAX_REFUSAL, _REFUSAL_SECONDS = 256 * 1024, 5.0
# Of reading one answer; with the wait for its beginning, less than a fetch's lease.
_MAX_SECONDS = 60.0
# Of waiting between two calls of before_request: much less than a fetch's lease.
_MOST_WAITING = 20.0
_BUSY_CODES = {"maxlag", "ratelimited", "readonly"}


@dataclass(frozen=True)
class _Busy:
    """Try again after so many seconds, None where the wiki does not say; `said` is a sentence that quotes it."""

    seconds: float | None
    why: str
    said: str = ""


# Seconds between two requests to an API that had too many, for all clients of this process: a fetch that waits, and
# then goes on, begins with a new one.
_slowed: dict[str, float] = {}
_T = TypeVar("_T")
_Send = Callable[[], requests.Response]


class _Account(AuthBase):
    """Sends the access token of an account (an owner-only consumer of OAuth 2). As `auth`, no .netrc replaces it.

    Source: mediawiki.org, OAuth/Owner-only consumers, which also asks for cookies to be returned; a session does.
    """

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request

    def masked(self, body: bytes) -> bytes:
        """Without the token: what a wiki says is shown and logged."""
        return body.replace(self._token.encode(), b"(token)")


class WikiApi:
    """One wiki's API.

    `base` is its address such as https://en.wikipedia.org, or that of its api.php, and must be one that the manners
    allow. `before_request` is called before each request and, in a long wait, every 20 seconds; if it raises, nothing
    more is asked. Every method may raise WikiError, and WikiBusy if a request would wait for more than a few seconds.
    `traffic` is counted up.
    """

    def __init__(
        self,
        base: str,
        manners: Manners,
        clock: Clock = REAL_CLOCK,
        before_request: Callable[[], None] = lambda: None,
        traffic: WikiTraffic | None = None,
    ) -> None:
        self.base = checked_address(base, manners.allowed)
        self.api_url = api_at(self.base)
        self._manners, self._clock, self._before_request = manners, clock, before_request
        self._traffic = traffic or WikiTraffic()
        if manners.per_second <= 0:
            raise WikiError("WIKI_REQUESTS_PER_SECOND must be above 0.")
        self._next_request = clock.monotonic()
        self._least = 1 / manners.per_second
        self._session = requests.Session()
        library = f"python-requests/{requests.__version__}"
        agent = user_agent(manners.version, manners.contact, library)
        self._session.headers.update({"User-Agent": agent, "Accept-Encoding": "gzip"})
        token = manners.token_for(self.base)
        self._session.auth = self._account = _Account(token) if token else None

    def query(self, query: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Each answer's `query` part, until the wiki says that there is no more."""
        more: dict[str, str] = {}
        sent = Continuations()
        while True:
            answer = self.ask({"action": "query", **query, **more})
            found = query_of(answer)
            yield found
            if not (more := more_of(answer)):
                return
            sent.check(more, entries_of(found))

    def ask(self, params: dict[str, Any], *, most: int = _MAX_ANSWER) -> dict[str, Any]:
        """One request, repeated while the wiki is busy for a moment; its answer has `most` bytes. Raises WikiError."""
        data = {"format": "json", "formatversion": 2, "errorformat": "plaintext", **params}
        if self._manners.maxlag:
            data["maxlag"] = self._manners.maxlag
        if self._account:
            data["assert"] = "user"  # else a token that is not taken would go unnoticed
        return self._patiently(lambda: self._sent(data), self._read, most)

    def reply_at(self, url: str, *, most: int) -> Reply:
        """What another address of this wiki replies, an error too; asked with the same manners. Raises WikiError."""
        return self._patiently(lambda: self._session.get(url, **self._how()), self._reply, most)

    def _patiently(
        self, send: _Send, read: Callable[[requests.Response, int], _T | _Busy], most: int
    ) -> _T:
        patience = Patience(min(MOST_HERE, self._manners.max_wait), self._wait)
        while True:
            self._wait(self._next_request - self._clock.monotonic())
            self._next_request = self._clock.monotonic() + self._interval
            self._before_request()
            answer = self._once(send, read, most)
            if not isinstance(answer, _Busy):
                self._hasten()
                return answer
            patience.wait(answer.seconds, answer.why, answer.said)

    @property
    def _interval(self) -> float:
        """Seconds from one request to the next."""
        return max(self._least, _slowed.get(self.api_url, 0))

    def _hasten(self) -> None:
        """A little, after what was answered."""
        interval = 0.99 * self._interval
        if _slowed.pop(self.api_url, 0) and interval > self._least:
            _slowed[self.api_url] = interval

    def _wait(self, seconds: float) -> None:
        while seconds > 0:
            part = min(seconds, _MOST_WAITING)
            self._clock.sleep(part)
            self._before_request()
            seconds -= part

    def _once(
        self, send: _Send, read: Callable[[requests.Response, int], _T | _Busy], most: int
    ) -> _T | _Busy:
        try:
            self._traffic.requests += 1
            with send() as response:
                try:
                    return read(response, most)
                finally:
                    self._traffic.received += response.raw.tell()
        except TooLarge:
            over = f"{most // 1024**2} MiB"
            refusal = f"The wiki's answer is over {over}. Nothing was read of it."
            raise WikiError(refusal, code="toolarge") from None
        except TooSlow:
            return _Busy(None, _busy(f"its answer had not ended after {_MAX_SECONDS:.0f} s"))
        except requests.Timeout:
            return _Busy(None, _busy(f"no answer within {self._manners.timeout:.0f} s"))
        except requests.RequestException as error:
            return _Busy(None, _busy(f"no connection: {type(error).__name__}"))

    def _sent(self, data: dict[str, Any]) -> requests.Response:
        how = self._how()
        if len(urlencode(data)) > _LONG_QUERY:
            return self._session.post(self.api_url, data=data, **how)
        return self._session.get(self.api_url, params=data, **how)

    def _how(self) -> dict[str, Any]:
        return {"timeout": self._manners.timeout, "allow_redirects": False, "stream": True}

    def _read(self, response: requests.Response, most: int) -> dict[str, Any] | _Busy:
        """The status first: what a wiki's edge answers is HTML."""
        seconds, status = self._seconds_in(response), response.status_code
        if status in api_refusals.BUSY_STATUS:
            return self._busy_with(response)
        if response.is_redirect or 300 <= status < 400:
            raise WikiError(
                f"{self.api_url} sends its callers on to {response.headers.get('Location', '')[:200]!r}, "
                "which is not followed. Correct the wiki's address."
            )
        if status != 200:
            raise WikiError(api_refusals.refusal(status, self.api_url, self._beginning(response)))
        body = self._masked(read_whole(response, seconds=_MAX_SECONDS, most=most))
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            said = api_refusals.quoted(body[:_MAX_REFUSAL])
            return _Busy(seconds, api_refusals.no_data(self.api_url, body), said)
        if not isinstance(answer, dict):
            raise WikiError(f"{self.api_url} answered with JSON that no MediaWiki API sends.")
        return _checked(answer, seconds)

    def _reply(self, response: requests.Response, most: int) -> Reply | _Busy:
        """500 is no busy wiki here: one revision may be what it cannot show."""
        status = response.status_code
        if status in api_refusals.BUSY_STATUS - {500}:
            return self._busy_with(response)
        if status != 200:
            return Reply(status, self._beginning(response))
        return Reply(status, self._masked(read_whole(response, seconds=_MAX_SECONDS, most=most)))

    def _busy_with(self, response: requests.Response) -> _Busy:
        if response.status_code == 429:
            _slowed[self.api_url] = min(2 * self._interval, MOST_HERE)
        said = api_refusals.quoted(self._beginning(response))
        return _Busy(self._seconds_in(response), api_refusals.busy(response.status_code), said)

    def _seconds_in(self, response: requests.Response) -> float | None:
        headers = response.headers
        return retry_after(headers.get("Retry-After"), self._clock.now(), headers.get("Date"))

    def _beginning(self, response: requests.Response) -> bytes:
        """What came instead of data; nothing where that is long or slow."""
        try:
            return self._masked(read_whole(response, seconds=_REFUSAL_SECONDS, most=_MAX_REFUSAL))
        except (CutOff, requests.RequestException):
            return b""

    def _masked(self, body: bytes) -> bytes:
        return self._account.masked(body) if self._account else body


def _busy(how: str) -> str:
    return f"The wiki is busy ({how})"


def _checked(answer: dict[str, Any], seconds: float | None) -> dict[str, Any] | _Busy:
    """The answer, unless it is an error in one of its two shapes."""
    errors = answer.get("errors") or answer.get("error")
    if not errors:
        return answer
    first = errors[0] if isinstance(errors, list) else errors
    error = first if isinstance(first, dict) else {"text": first}
    code = str(error.get("code", "unknown"))[:100]
    if code in _BUSY_CODES or code.startswith("internal_api_error"):
        return _Busy(seconds, _busy(code))
    reason = api_refusals.words_of_html(str(error.get("text") or error.get("info") or ""))
    what_to_do = api_refusals.what_to_do(code)
    raise WikiError(f"The wiki refused the request: {reason} ({code}).{what_to_do}", code=code)

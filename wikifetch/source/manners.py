"""How this program behaves towards a wiki: what it calls itself, how long it waits. Pure.

Source: mediawiki.org, API:Etiquette and Wikimedia APIs/Rate limits; foundation.wikimedia.org, User-Agent policy.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlsplit

from leases.refusal import Refusal

MOST_HERE = 10.0  # seconds that a worker waits for one request; the run waits longer (waiting.py)
_API = "/api.php"


class WikiError(Refusal):
    """The wiki could not be asked, or refused; the message says what to do. `wikis_code` is the wiki's own, if any."""

    def __init__(self, message: str, *, retry: bool = False, code: str = "") -> None:
        super().__init__(message, retry=retry)
        self.wikis_code = code


class WikiBusy(WikiError):
    """The wiki was busy for longer than a worker waits: `why`, and what it `said`, as a further sentence or "".

    It asks to come back after `seconds` (None: it does not say); `waited` seconds were spent on the request.
    """

    def __init__(self, why: str, said: str, seconds: float | None, waited: float) -> None:
        super().__init__(f"{why}.{said}", retry=True)
        self.why, self.said, self.seconds, self.waited = why, said, seconds, waited


@dataclass(frozen=True)
class Clock:
    """Time, and waiting: tests bring their own."""

    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


REAL_CLOCK = Clock()


@dataclass
class WikiTraffic:
    """What was sent to a wiki and came back: requests, and bytes of answers as they came, mostly compressed."""

    requests: int = 0
    received: int = 0


@dataclass(frozen=True)
class Manners:
    """An operator's settings: contact, the wikis that may be asked, requests a second, seconds of waiting.

    `tokens` are those of accounts, by the wiki's address.
    """

    contact: str
    version: str
    allowed: tuple[str, ...]
    per_second: float = 1.0
    maxlag: int = 5
    max_wait: float = 3600.0
    timeout: float = 30.0
    tokens: Mapping[str, str] = field(default_factory=dict, repr=False)

    def token_for(self, base: str) -> str:
        """The token of the account at this wiki; "" for none. No other wiki is sent it."""
        wanted = _origin_and_path(base)
        found = (value for at, value in self.tokens.items() if _origin_and_path(at) == wanted)
        return next(found, "")


def user_agent(version: str, contact: str, library: str) -> str:
    """`client/version (contact) library/version`. Raises WikiError without the operator's contact."""
    contact = " ".join(contact.split())
    if not re.search(r"[^@\s]+@[^@\s]+\.\w|https?://\S+\.\S", contact):
        raise WikiError(
            "Give your own e-mail address or web page as the contact first: wikis ask who is calling, and answer far "
            "fewer requests without it."
        )
    if re.search(r"[^ -~]|[()\\]", contact):  # it is put in brackets, in a header
        raise WikiError(
            "The contact may hold unaccented letters, digits and signs, but no brackets."
        )
    return f"SicEtNon/{version} ({contact}) {library}"


def checked_address(url: str, allowed: Sequence[str]) -> str:
    """The base address of a wiki, if it is one of `allowed`; WikiError otherwise. Without a trailing slash."""
    wanted = _origin_and_path(url)
    if not wanted[0] or wanted not in map(_origin_and_path, allowed):
        raise WikiError(
            f"{url[:200]!r} is not among the wikis that this installation may ask: {', '.join(allowed)}. "
            "An operator adds one with WIKI_ALLOWED, written as https://en.wikipedia.org."
        )
    return "{}://{}{}".format(*wanted)


def api_at(base: str) -> str:
    """Address of a wiki's API: `base` is that itself, or the address below which it lies as in Wikipedia."""
    return base if base.endswith(_API) else f"{base}/w{_API}"


def rest_html_at(api_url: str, revid: int) -> str:
    """Address of a revision's HTML at the REST endpoint beside the API (mediawiki.org, API:REST API/Reference)."""
    return f"{api_url.removesuffix(_API)}/rest.php/v1/revision/{revid}/html"


def articles_at(base: str) -> str:
    """What the titles of a wiki's articles follow in their addresses."""
    if base.endswith(_API):
        return f"{base.removesuffix(_API)}/index.php?title="
    return f"{base}/wiki/"


def _origin_and_path(url: str) -> tuple[str, str, str]:
    try:
        parts = urlsplit(url.strip())
    except ValueError:  # as of http://[
        return "", url, ""
    if parts.scheme not in {"http", "https"} or parts.username or parts.query or parts.fragment:
        return "", url, ""
    return parts.scheme, parts.netloc.lower(), parts.path.rstrip("/")


@dataclass
class Patience:
    """Waiting in all no longer than `limit` seconds for one request."""

    limit: float
    sleep: Callable[[float], None]
    waited: float = 0.0
    tries: int = 0

    def wait(self, wanted: float | None, why: str, said: str) -> None:
        """Wait as long as wanted, or twice as long as last time. Raises WikiBusy when that is too long in all."""
        seconds = wanted if wanted is not None else 2.0**self.tries
        seconds = max(seconds, 0.5)  # an answer "at once" must not become a tight loop
        self.tries += 1
        if self.waited + seconds > self.limit:
            raise WikiBusy(why, said, wanted, self.waited)
        self.waited += seconds
        self.sleep(seconds)

"""Requests to one server: the token, waiting when the server asks for it, pages, files."""

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from requests.auth import AuthBase

from sicetnon.errors import HashDiffers, refusal

Row = dict[str, Any]
WAITS = (429, 503)
SAFE = ("GET", "HEAD")
AGAIN = (1.0, 5.0)  # seconds before what broke off is sent again
LOCAL = ("localhost", "127.0.0.1", "::1")
BLOCK = 1 << 16


class _Bearer(AuthBase):
    """As `auth`: requests then sends no password of a .netrc instead, and no token to another host."""

    def __init__(self, token: str) -> None:
        self.token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self.token}"
        return request


class Transport:
    """`patience`: how many seconds in all to wait for one answer after 429 and 503.

    Every operation can be sent twice, so what was refused with 503 is sent again.
    """

    def __init__(
        self,
        address: str,
        token: str,
        *,
        timeout: float = 60,
        patience: float = 300,
        session: requests.Session | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urlsplit(address)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOCAL):
            raise ValueError(f"{address} is no address with https:// to send a token to.")
        # As the server names its own addresses.
        self.address = parts._replace(netloc=parts.netloc.lower()).geturl().rstrip("/")
        self.timeout = timeout
        self.patience = patience
        self.sleep = sleep
        self.session = session or requests.Session()
        self.session.auth = _Bearer(token)
        self.session.headers["Accept"] = "application/json"

    def send(self, method: str, path: str, **options: Any) -> requests.Response:
        """The answer. Raises ApiError for a status from 400 on, of waiting once patience has run out."""
        url = path if "://" in path else f"{self.address}{path}"
        if not url.startswith(f"{self.address}/"):
            raise ValueError(f"{url} is not an address of {self.address}.")
        left = self.patience
        while True:
            response = self._answer(method, url, **options)
            if response.ok:
                return response
            wait = _wait_of(response)
            if response.status_code not in WAITS or wait > left:
                raise refusal(response)
            response.close()
            left -= wait
            self.sleep(wait)

    def _answer(self, method: str, url: str, **options: Any) -> requests.Response:
        """Of what is safe to repeat, sent again where the connection broke without an answer."""
        headers = options.get("headers") or {}
        is_safe = method in SAFE or "Idempotency-Key" in headers
        for wait in AGAIN if is_safe else ():
            try:
                return self.session.request(method, url, timeout=self.timeout, **options)
            except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError):
                self.sleep(wait)
        return self.session.request(method, url, timeout=self.timeout, **options)

    def whole(self, path: str) -> str:
        """A path that the server named, as a whole address: it begins at the server's root."""
        return urljoin(f"{self.address}/", path)

    def get(self, path: str, **filters: Any) -> Any:
        return self.send("GET", path, params=filters).json()

    def post(self, path: str, body: Row | None = None, **headers: str) -> Any:
        """`headers` by their names, as `**{"Idempotency-Key": "…"}`."""
        return self.send("POST", path, json=body or {}, headers=headers).json()

    def rows(self, path: str, **filters: Any) -> Iterator[Row]:
        """The rows of a list, page after page."""
        page = self.get(path, **filters)
        while True:
            yield from page["results"]
            if not page["next"]:
                return
            page = self.get(page["next"])

    def download(self, path: str, to: str | Path, *, sha256: str = "", **query: Any) -> Path:
        """Write a file, whole or not at all. Raises HashDiffers where `sha256` is given and another."""
        digest = hashlib.sha256()
        with (
            whole_file(Path(to)) as part,
            self.send("GET", path, params=query, stream=True) as response,
            part.open("wb") as file,
        ):
            for block in response.iter_content(BLOCK):
                digest.update(block)
                file.write(block)
            if sha256 and digest.hexdigest() != sha256:
                raise HashDiffers(f"{path}: its sha256 is {digest.hexdigest()}, not {sha256}.")
        return Path(to)


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """Where to write what is to be at `target` once it is whole; after an error nothing is left."""
    # In a folder, as whoever asks for *.eval gets hidden files too.
    with TemporaryDirectory(prefix=".sicetnon-", dir=target.parent) as folder:
        part = Path(folder) / target.name
        yield part
        part.replace(target)


def _wait_of(response: requests.Response) -> float:
    """Seconds of Retry-After, at least one; the server of this API gives no date."""
    named = response.headers.get("Retry-After", "")
    return max(1.0, float(named)) if named.isdecimal() else 5.0

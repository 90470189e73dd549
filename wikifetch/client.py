"""The live API of a MediaWiki, asked in series and with manners. The only door from here to a network.

Facts behind it: every API error is HTTP 200; a 429 or 503 from a wiki's edge is HTML; the whole `continue`
object is sent back; content comes 50 page ids at a time, and a long answer is cut into several.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from urllib.parse import urlencode

import requests

from wikifetch.manners import (
    REAL_CLOCK,
    Clock,
    Manners,
    Pace,
    Patience,
    WikiError,
    checked_address,
    retry_after,
    user_agent,
)
from wikifetch.revisions import ARTICLES, TALK, PageSeen, RevisionSeen, storable

T = TypeVar("T")

BATCH = 50  # more titles in one request are an API error without a bot's right
_LONG_QUERY = 2_000  # bytes of a query beyond which it is posted
_MAX_ANSWER = 32 * 1024 * 1024
_BUSY_STATUS = {429, 500, 502, 503, 504}
_BUSY_CODES = {"maxlag", "ratelimited", "readonly"}


@dataclass(frozen=True)
class Spellings:
    """The templates of one kind of tag on a wiki: the `targets` themselves, and all `names` with redirects."""

    targets: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class TitleFound:
    """What became of a title: its page's id, or a problem."""

    title: str
    pageid: int | None = None
    problem: str = ""


@dataclass(frozen=True)
class _Busy:
    """Try again after so many seconds; None where the wiki does not say."""

    seconds: float | None
    why: str


class WikiClient:
    """One wiki's API.

    `base` is its address without a path, such as https://en.wikipedia.org, and must be among those that
    the manners allow. Every method may raise WikiError; waiting for one request is bounded.
    """

    def __init__(self, base: str, manners: Manners, clock: Clock = REAL_CLOCK) -> None:
        self.base = checked_address(base, manners.allowed)
        self.api_url = f"{self.base}/w/api.php"
        self._manners, self._clock = manners, clock
        if manners.per_second <= 0:
            raise WikiError("WIKI_REQUESTS_PER_SECOND must be above 0.")
        self._pace = Pace(1 / manners.per_second, clock)
        self._session = requests.Session()
        library = f"python-requests/{requests.__version__}"
        agent = user_agent(manners.version, manners.contact, library)
        self._session.headers.update({"User-Agent": agent, "Accept-Encoding": "gzip"})

    # ------------------------------------------------------------ what is asked

    def spellings(self, canonical: Sequence[str]) -> Spellings:
        """The names under which these templates are used here; empty where the wiki has none of them."""
        targets: dict[str, None] = {}
        names: dict[str, None] = {}
        titles = "|".join(f"Template:{name}" for name in canonical)
        query = {"titles": titles, "prop": "redirects", "rdlimit": "max", "redirects": 1}
        for answer in self._query(query):
            for page in answer.get("pages", []):
                if not page.get("missing") and not page.get("invalid"):
                    targets.setdefault(_without_namespace(page["title"]))
                    names.setdefault(_without_namespace(page["title"]))
                for redirect in page.get("redirects", []):
                    names.setdefault(_without_namespace(redirect["title"]))
        return Spellings(tuple(targets), tuple(names))

    def pageids_with(self, templates: Iterable[str], limit: int | None = None) -> list[int]:
        """Ids of the articles that use these templates under any name, each once, at most `limit`."""
        found: dict[int, None] = {}
        for name in templates:
            query = {"list": "embeddedin", "eititle": f"Template:{name}", "einamespace": ARTICLES}
            query |= {"eilimit": "max", "eifilterredir": "nonredirects"}
            for answer in self._query(query):
                for page in answer.get("embeddedin", []):
                    found.setdefault(page["pageid"])
                if limit is not None and len(found) >= limit:
                    return list(found)[:limit]
        return list(found)

    def pageids_of(self, titles: Iterable[str]) -> Iterator[TitleFound]:
        """The id of the article behind each title, redirects followed, or why there is none."""
        for batch in in_batches([title for title in titles if "|" not in title]):
            for answer in self._query({"titles": "|".join(batch), "redirects": 1}):
                yield from map(_title_found, answer.get("pages", []))
        for title in titles:
            if "|" in title:
                yield TitleFound(title, problem="No title holds a bar (|).")

    def pages(self, pageids: Sequence[int]) -> Iterator[PageSeen]:
        """The present revision of each page, in the order asked; the wiki's problem with one in it."""
        for batch in in_batches(pageids):
            found = self._with_content({"pageids": "|".join(map(str, batch))})
            by_id = {page.get("pageid"): page for page in found}
            for pageid in batch:
                yield _page_seen(by_id.get(pageid) or {"pageid": pageid, "missing": True})

    def talk_pages(self, titles: Sequence[str]) -> Iterator[PageSeen]:
        """The talk pages that exist of these articles; their title is the article's."""
        for batch in in_batches(titles):
            query = {"titles": "|".join(f"Talk:{title}" for title in batch)}
            for page in self._with_content(query):
                if page.get("ns") == TALK and not page.get("missing"):
                    yield _page_seen(page, title=_without_namespace(page["title"]))

    # ------------------------------------------------------------ how it is asked

    def _with_content(self, query: dict[str, Any]) -> list[dict[str, Any]]:
        """Pages with their present revision, put together from as many answers as it takes."""
        pages: dict[object, dict[str, Any]] = {}
        query = query | {
            "prop": "revisions",
            "rvprop": "ids|timestamp|user|comment|content",
            "rvslots": "main",
        }
        for answer in self._query(query):
            for page in answer.get("pages", []):
                kept = pages.setdefault(page.get("pageid") or page.get("title"), {})
                kept.update({key: value for key, value in page.items() if key not in kept})
        return list(pages.values())

    def _query(self, query: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Each answer's `query` part, until the wiki says that there is no more."""
        more: dict[str, Any] = {}
        while True:
            answer = self.ask({"action": "query", **query, **more})
            found = answer.get("query")
            yield found if isinstance(found, dict) else {}
            if not answer.get("continue"):
                return
            more = answer["continue"]

    def ask(self, params: dict[str, Any]) -> dict[str, Any]:
        """One request, repeated while the wiki is busy. Raises WikiError."""
        data = {"format": "json", "formatversion": 2, "errorformat": "plaintext", **params}
        if self._manners.maxlag:
            data["maxlag"] = self._manners.maxlag
        patience = Patience(self._manners.max_wait, self._clock)
        while True:
            self._pace.keep()
            answer = self._ask_once(data)
            if not isinstance(answer, _Busy):
                return answer
            patience.wait(answer.seconds, answer.why)

    def _ask_once(self, data: dict[str, Any]) -> dict[str, Any] | _Busy:
        try:
            with self._sent(data) as response:
                return self._read(response)
        except requests.Timeout:
            return _Busy(None, f"no answer within {self._manners.timeout:.0f} s")
        except requests.RequestException as error:
            return _Busy(None, f"no connection: {type(error).__name__}")

    def _sent(self, data: dict[str, Any]) -> requests.Response:
        how: dict[str, Any] = {
            "timeout": self._manners.timeout,
            "allow_redirects": False,
            "stream": True,
        }
        if len(urlencode(data)) > _LONG_QUERY:
            return self._session.post(self.api_url, data=data, **how)
        return self._session.get(self.api_url, params=data, **how)

    def _read(self, response: requests.Response) -> dict[str, Any] | _Busy:
        """The status first: what a wiki's edge says is HTML."""
        asked = retry_after(response.headers.get("Retry-After"), self._clock.now())
        if response.status_code in _BUSY_STATUS:
            return _Busy(asked, f"HTTP {response.status_code}")
        if response.is_redirect or 300 <= response.status_code < 400:
            raise WikiError(
                f"{self.api_url} sends its callers on to {response.headers.get('Location', '')[:200]!r}, "
                "which is not followed. Correct the wiki's address."
            )
        if response.status_code != 200:
            raise WikiError(
                f"{self.api_url} answered HTTP {response.status_code}. Is it a MediaWiki API?"
            )
        try:
            answer = json.loads(_body(response))
        except ValueError:
            return _Busy(asked, "an answer that is not JSON")
        if not isinstance(answer, dict):
            raise WikiError(f"{self.api_url} answered with JSON that no MediaWiki API sends.")
        return _checked(answer, asked)


def in_batches(items: Sequence[T], size: int = BATCH) -> Iterator[Sequence[T]]:
    """Slices of at most `size`."""
    return (items[at : at + size] for at in range(0, len(items), size))


def _body(response: requests.Response) -> bytes:
    parts, size = [], 0
    for part in response.iter_content(64 * 1024):
        size += len(part)
        if size > _MAX_ANSWER:
            raise WikiError("The wiki's answer is over 32 MiB. Nothing was read of it.")
        parts.append(part)
    return b"".join(parts)


def _checked(answer: dict[str, Any], asked: float | None) -> dict[str, Any] | _Busy:
    """The answer, unless it is an error in one of its two shapes."""
    errors = answer.get("errors") or ([answer["error"]] if answer.get("error") else [])
    if not errors:
        return answer
    error = errors[0] if isinstance(errors[0], dict) else {}
    code = str(error.get("code", "unknown"))
    if code in _BUSY_CODES or code.startswith("internal_api_error"):
        return _Busy(asked, code)
    said = error.get("text") or error.get("info") or ""
    raise WikiError(f"The wiki refused the request: {str(said)[:300]} ({code}).")


def _without_namespace(title: str) -> str:
    return title.partition(":")[2] or title


def _title_found(page: dict[str, Any]) -> TitleFound:
    title = storable(str(page.get("title", "")))
    if page.get("invalid"):
        return TitleFound(title, problem=f"No valid title: {page.get('invalidreason', '')}")
    if page.get("missing") or "pageid" not in page:
        return TitleFound(title, problem="The wiki has no page of this title.")
    if page.get("ns") != ARTICLES:
        return TitleFound(
            title, problem="Not an article: only pages of the main namespace are fetched."
        )
    return TitleFound(title, page["pageid"])


def _page_seen(page: dict[str, Any], title: str = "") -> PageSeen:
    title = storable(title or str(page.get("title", "")))
    revisions = page.get("revisions") or []
    seen = PageSeen(page.get("pageid", 0), title, page.get("ns", ARTICLES))
    if page.get("missing"):
        return PageSeen(seen.pageid, title, problem="The wiki has no such page any more.")
    if not revisions:
        return PageSeen(seen.pageid, title, problem="The wiki gave no revision of this page.")
    return PageSeen(
        seen.pageid, title, seen.namespace, revisions=tuple(map(_revision_seen, revisions))
    )


def _revision_seen(revision: dict[str, Any]) -> RevisionSeen:
    slot = (revision.get("slots") or {}).get("main") or {}
    text = slot.get("content")
    no_text = "" if isinstance(text, str) else "The wiki hides its text."
    if slot.get("contentmodel", "wikitext") != "wikitext":
        text, no_text = None, f"Its content is {slot['contentmodel']}, not wikitext."
    return RevisionSeen(
        revid=revision["revid"],
        parent_revid=revision.get("parentid") or None,
        timestamp=datetime.fromisoformat(revision["timestamp"])
        if "timestamp" in revision
        else None,
        editor=storable(revision.get("user", "")),
        summary=storable(revision.get("comment", "")),
        text=storable(text) if isinstance(text, str) else None,
        no_text=no_text,
    )

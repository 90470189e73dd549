"""Which article a person means: by a title, or by an address of one of the wikis that may be asked. Pure.

What is pasted is never requested itself: it picks one of the configured wikis, and a title or a revision there.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from leases.refusal import Refusal
from wikifetch.source.manners import articles_at

_MOST = 2_000  # characters
_MOST_TITLE = 255  # bytes, as MediaWiki has it
_WITH_SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]*:)?//|[\w-]+(?:\.[\w-]+)+(?::\d+)?/(?:wiki|w)/", re.IGNORECASE
)
_NO_TITLE = re.compile(
    r"(?:javascript|data|vbscript|file|blob|about|mailto|ftp|view-source):\S", re.IGNORECASE
)
_LANGUAGE = re.compile(r":?([a-z]{2,3}(?:-[a-z-]{2,9})?|simple):(.+)", re.IGNORECASE)
_FORBIDDEN = re.compile(r"[<>\[\]{}|]")
NO_ADDRESS = (
    "This is not the address of an article. Paste one such as {base}Berlin, or write a title."
)


@dataclass(frozen=True)
class WantedArticle:
    """An article of the wiki at `base`, one of those allowed: by `title`, or one `revid` of it.

    `base` is "" for the tagged article's wiki if that may not be asked.
    """

    base: str
    title: str = ""
    revid: int = 0


def read_wanted(text: str, own: str, allowed: Sequence[str]) -> WantedArticle:
    """What the text means; `own` is the allowed address of the tagged article's wiki, or "". Raises Refusal."""
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if not text:
        raise Refusal("Write the title of an article, or paste its address.")
    if len(text) > _MOST:
        raise Refusal(f"This has {len(text)} characters. No title or address is that long.")
    if _ADDRESS.match(text):
        return _from_address(text, allowed)
    if _NO_TITLE.match(text):
        raise _no_address(allowed)
    if (prefixed := _LANGUAGE.fullmatch(text)) and own:
        other = _in_language(own, prefixed[1].lower())
        if other in allowed:
            return WantedArticle(other, _checked_title(prefixed[2]))
    return WantedArticle(own, _checked_title(text))


def _from_address(text: str, allowed: Sequence[str]) -> WantedArticle:
    try:
        parts = urlsplit(
            text if "//" in text.split("/wiki/")[0].split("/w/")[0] else f"https://{text}"
        )
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:  # as of http://[ or a port of letters
        raise _no_address(allowed) from None
    if parts.scheme not in {"http", "https", ""} or parts.username or not host:
        raise _no_address(allowed)
    base = next((known for known in allowed if _is_at(known, host, port, parts.path)), None)
    if base is None:
        raise Refusal(
            f"{host[:100]} is not among the wikis that this installation may ask: {', '.join(allowed)}. "
            "An operator adds one with WIKI_ALLOWED."
        )
    query = parse_qs(parts.query)
    revid = _number(query.get("diff")) or _number(query.get("oldid"))
    title = (query.get("title") or [_title_in(parts, base)])[0]
    if revid:
        return WantedArticle(base, revid=revid)
    if not title:
        raise _no_address(allowed)
    return WantedArticle(base, _checked_title(title))


def _is_at(base: str, host: str, port: int | None, path: str) -> bool:
    """Whether the host, or the one whose page for phones it is, and the path are those of an allowed wiki."""
    known = urlsplit(base)
    full = ".".join(label for label in host.split(".") if label != "m")
    below = known.path.removesuffix("api.php").rstrip("/").removesuffix("/w")
    same_host = known.hostname in {host, full, f"www.{full}"} and known.port == port
    return same_host and (not below or path == below or path.startswith(f"{below}/"))


def _title_in(parts: SplitResult, base: str) -> str:
    """The title that an address has in its path; "" if it has none."""
    root = urlsplit(articles_at(base)).path
    for before in (root, f"{root}/", "/wiki/"):
        if before.endswith("/") and parts.path.startswith(before):
            return unquote(parts.path.removeprefix(before))
    return ""


def _checked_title(title: str) -> str:
    title = " ".join(title.partition("#")[0].replace("_", " ").split())
    title = title.removeprefix("[[").removesuffix("]]").removeprefix(":").strip()
    if not title:
        raise Refusal("There is no title in it. Write the title of an article.")
    if found := _FORBIDDEN.search(title):
        raise Refusal(f"No title has the character {found[0]}. Write the title of an article.")
    if len(title.encode()) > _MOST_TITLE:
        raise Refusal(
            f"No title is longer than {_MOST_TITLE} bytes. Write the title of an article."
        )
    return title


def _in_language(base: str, language: str) -> str:
    """The address of the same wiki in another language: its host begins with the language's code."""
    scheme, _, rest = base.partition("://")
    return f"{scheme}://{language}.{rest.partition('.')[2]}"


def _number(values: list[str] | None) -> int:
    value = values[0] if values else ""
    return int(value) if value.isascii() and value.isdigit() and len(value) < 19 else 0


def _no_address(allowed: Sequence[str]) -> Refusal:
    return Refusal(NO_ADDRESS.format(base=articles_at(allowed[0])))

"""What a wiki, or what answers in its place, says when it gives no data: one sentence for each status. Pure.

Source of the statuses: RFC 9110; that a 403 names its rule: foundation.wikimedia.org, User-Agent policy.
"""

from html import unescape

import nh3

_MOST_QUOTED = 300  # characters
_SENTENCES = {
    401: "The wiki asks for a sign-in (HTTP 401). An operator gives the token of an account there with "
    "WIKI_TOKENS, or corrects it.",
    403: "The wiki refuses requests from here (HTTP 403): the contact is not accepted, or the address of this server "
    "is blocked.",
    404: "There is no API of a wiki at {api} (HTTP 404). Correct the wiki's address.",
    410: "The API at {api} was removed (HTTP 410). Ask the wiki's operators where it is now.",
}
_BUSY = {
    429: "The wiki is busy (HTTP 429: too many requests from here)",
    500: "The wiki is busy or broken (HTTP 500)",
    502: "The wiki is busy (HTTP 502)",
    503: "The wiki is busy (HTTP 503)",
    504: "The wiki is busy (HTTP 504)",
}
_PAGE = (
    "Something other than a wiki's API answers at {api} (HTTP 200 with a page): the wiki's address may be wrong, or a "
    "proxy asks for a sign-in"
)
BUSY_STATUS = frozenset(_BUSY)


def refusal(status: int, api: str, body: bytes) -> str:
    usual = f"{api} answered HTTP {status}. Is it the API of a wiki?"
    return _SENTENCES.get(status, usual).format(api=api) + quoted(body)


def what_to_do(code: str) -> str:
    """A further sentence on an error with this code of MediaWiki's; "" where the wiki's own words are enough."""
    if code == "assertuserfailed" or code.startswith("mwoauth-"):
        return " It does not take the account's token: an operator corrects it in WIKI_TOKENS."
    return ""


def busy(status: int) -> str:
    """Why to try again later, without a full stop."""
    return _BUSY[status]


def no_data(api: str, body: bytes) -> str:
    """That an answer with status 200 is not JSON, without a full stop: a page, or JSON that was cut."""
    is_page = body.lstrip().startswith(b"<")
    return _PAGE.format(api=api) if is_page else "The wiki is busy (an answer that is not JSON)"


def quoted(body: bytes) -> str:
    """A further sentence with the body's words, in quotation marks; "" where it has none."""
    words = words_of_html(body.decode("utf-8", "replace"))
    return f" It said: “{words}”" if words else ""


def words_of_html(text: str) -> str:
    """Text without its markup, on one line of at most 300 characters that can be stored and shown."""
    # A blank before each element: what is removed there must not join two words.
    whole = text.encode("utf-8", "replace").decode("utf-8")  # no half of a surrogate pair
    plain = unescape(nh3.clean(whole.replace("<", " <"), tags=set()))
    words = " ".join("".join(c if c.isprintable() else " " for c in plain).split())
    return words if len(words) <= _MOST_QUOTED else words[: _MOST_QUOTED - 1] + "…"

"""How much of a hostile text is read, and how. Pure. The figures were measured (docs/wikifetch.md)."""

import re

MAX_PAGE_BYTES = 2 * 1024 * 1024  # MediaWiki's own limit for an article
MAX_BLOCK_CHARS = 64_000
MAX_UNCLOSED = 100  # braces, brackets or angle brackets
MAX_OPEN_TABLES = 10
MAX_ELEMENTS = 4_000
MAX_QUOTE_MARKS = 5_000
MAX_TAGS_A_PAGE = 100

_BRACES, _BRACKETS = re.compile(r"(\{)|\}"), re.compile(r"(\[)|\]")
_TABLES = re.compile(r"(\{\|)|\|\}")
_UNCLOSED_ELEMENT = re.compile(r"<[^<>]*(?=<|$)")
_LONG_RUN = re.compile(r"[*#:;]{100}|&[#&]{100}")


def too_long(text: str) -> bool:
    """Whether a page is over the limit in UTF-8 bytes."""
    if 4 * len(text) <= MAX_PAGE_BYTES:  # no character takes more
        return False
    return len(text) > MAX_PAGE_BYTES or len(text.encode("utf-8", "replace")) > MAX_PAGE_BYTES


def too_hostile(block: str) -> bool:
    """Whether a block would keep the tree parser busy for seconds: it is then read plainly, and marked so."""
    return (
        len(block) > MAX_BLOCK_CHARS
        or block.count("<") > MAX_ELEMENTS
        or block.count("'") > MAX_QUOTE_MARKS
        or bool(_LONG_RUN.search(block))
        or len(_UNCLOSED_ELEMENT.findall(block)) > MAX_UNCLOSED
        or _unclosed(block, _BRACES) > MAX_UNCLOSED
        or _unclosed(block, _BRACKETS) > MAX_UNCLOSED
        or _unclosed(block, _TABLES) > MAX_OPEN_TABLES
    )


def _unclosed(block: str, marks: re.Pattern[str]) -> int:
    """How many openings (group 1 of `marks`) no later closing answers."""
    depth = 0
    for mark in marks.finditer(block):
        depth = depth + 1 if mark[1] else max(0, depth - 1)
    return depth

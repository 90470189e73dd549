"""Lists, tables, quotations and divisions that are written as HTML. Pure, one pass."""

import re
from dataclasses import dataclass
from itertools import islice

_KINDS = {
    "li": "list item", "dd": "list item", "dt": "list item", "tr": "table row", "blockquote": "paragraph",
    "div": "paragraph",
}  # fmt: skip
# An element that ends without an end tag where the next begins, in the same one of these.
_HOLDERS = {"li": {"ul", "ol"}, "dd": {"dl"}, "dt": {"dl"}, "tr": {"table"}}
_TAG = re.compile(r"<(/?)(li|dd|dt|tr|blockquote|div|ul|ol|dl|table)\b([^<>]*)>", re.IGNORECASE)

_DEEPEST, _MOST = 50, 20_000


@dataclass(frozen=True)
class HtmlUnit:
    """The kind of its block, offsets of the element and of what is in it."""

    kind: str
    start: int
    end: int
    inner: tuple[int, int]


def html_units(masked: str) -> list[HtmlUnit]:
    """In the order of their ends; one that is not ended, nor what is around it, is none."""
    units: list[HtmlUnit] = []
    opened: list[tuple[str, int, int]] = []  # name, beginning, end of its tag

    def close(inner_end: int, end: int) -> None:
        name, start, inner = opened.pop()
        if name in _KINDS:
            units.append(HtmlUnit(_KINDS[name], start, end, (inner, inner_end)))

    for tag in islice(_TAG.finditer(masked), _MOST):
        name = tag[2].lower()
        names = [each for each, _, _ in opened[-_DEEPEST:]]
        if tag[1]:
            if name not in names:
                continue
            while opened[-1][0] != name:
                close(tag.start(), tag.start())
            close(tag.start(), tag.end())
        elif not tag[3].endswith("/"):
            above = next(
                (n for n in reversed(names) if n in _HOLDERS.get(name, ()) or n in _HOLDERS), ""
            )
            if above in _HOLDERS and _HOLDERS.get(name) == _HOLDERS[above]:
                while opened[-1][0] != above:
                    close(tag.start(), tag.start())
                close(tag.start(), tag.start())
            opened.append((name, tag.start(), tag.end()))
    return units

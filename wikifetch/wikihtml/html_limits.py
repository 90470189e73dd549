"""Which HTML takes too long to be sanitised and read each time it is shown. Pure.

The sanitiser is quadratic in the elements that are open at once: 2,500 took it 0.04 s, 20,000 one second.
"""

import re
from collections import Counter

MOST_OPEN = 1_000  # articles have some 30
MOST_ELEMENTS = 80_000  # the most of 106 real articles, without most templates: 6,000

# As a browser reads it: an end in a comment, in an attribute or in raw text ends nothing.
_PART = re.compile(
    r"""<!--.*?(?:-->|\Z)
    | <(?P<raw>script|style|textarea|title|xmp|iframe|noembed|noframes)\b.*?(?:</(?P=raw)|\Z)
    | <(?: /(?P<end>[a-z][^\s/>]*) | [a-z][^\s/>]* )
      (?: [\s/]++ | [^\s/>][^\s/>=]*+ (?: \s*+ = \s*+ (?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)? )? )*+""",
    re.S | re.I | re.X,
)
_START = re.compile(r"<([a-zA-Z][^\s/>]*)")
# Wikitext, in which elements are no elements.
_DATA = re.compile(r"""\sdata-mw=(?:"[^"]*"|'[^']*')""")
_NEVER_CLOSED = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
}  # fmt: skip


def too_much(html: str) -> str:
    """Of what it has more than any article, as a sentence; "" where it can be shown."""
    elements = depth = 0
    open_ones: Counter[str] = Counter()  # by name: an end of what is not open closes nothing
    for part in _PART.finditer(html):
        if part["end"]:
            tag = part["end"].lower()
            is_open = open_ones[tag] > 0
            open_ones[tag] -= is_open
            depth -= is_open
            continue
        # What looks like a start counts wherever it is: better once too often.
        is_tag = not part["raw"] and not part[0].startswith("<!")
        counted = _DATA.sub("", part[0]) if is_tag else part[0]
        for name in map(str.lower, _START.findall(counted)):
            elements += 1
            if name not in _NEVER_CLOSED:
                open_ones[name] += 1
                depth += 1
        if part["raw"]:  # its end is within
            open_ones[part["raw"].lower()] -= 1
            depth -= 1
        if depth > MOST_OPEN:
            return f"It has over {MOST_OPEN} elements in one another."
    return f"It has over {MOST_ELEMENTS} elements." if elements > MOST_ELEMENTS else ""

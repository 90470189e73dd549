"""Which HTML takes too long to be sanitised and read each time it is shown. Pure.

The sanitiser is quadratic in the elements that are open at once: 2,500 took it 0.04 s, 20,000 one second.
"""

import re
from collections import Counter

MOST_OPEN = 1_000  # articles have some 30
MOST_ELEMENTS = 80_000  # the most of 106 real articles, without most templates: 6,000

_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")
_NEVER_CLOSED = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
}  # fmt: skip


def too_much(html: str) -> str:
    """Of what it has more than any article, as a sentence; "" where it can be shown."""
    elements = depth = 0
    open_ones: Counter[str] = Counter()  # by name: an end of what is not open closes nothing
    for ends, name in _TAG.findall(html):
        tag = name.lower()
        elements += not ends
        if tag in _NEVER_CLOSED or (ends and not open_ones[tag]):
            continue
        by = -1 if ends else 1
        open_ones[tag] += by
        depth += by
        if depth > MOST_OPEN:
            return f"It has over {MOST_OPEN} elements in one another."
    return f"It has over {MOST_ELEMENTS} elements." if elements > MOST_ELEMENTS else ""

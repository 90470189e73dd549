"""Where a contradicted span is in its passage. Pure.

The page stores what a person selected as "12-18 40-52": ranges [start, end) in characters of the passage as models read
it (static/js/annotation/spans.js). A place counts only while it gives the words of the span.
"""

import re

PLACE = re.compile(r"(?:[0-9]{1,6}-[0-9]{1,6}(?: [0-9]{1,6}-[0-9]{1,6})*)?")
BETWEEN = " … "


def ranges_at(passage: str, span: str, place: str) -> list[list[int]]:
    """The ranges of `place`; none if they do not give the span, since the passage or the span was changed later."""
    ranges = [[int(at) for at in pair.split("-")] for pair in place.split()]
    words = BETWEEN.join(passage[start:end] for start, end in ranges)
    return ranges if span and words == span else []

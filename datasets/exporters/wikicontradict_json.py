"""Export as the published record file: a JSON list, indented by four blanks."""

import json
from collections.abc import Iterable, Iterator
from json.encoder import encode_basestring

from datasets.streaming import StreamedRow

_STEP = "    "


class WikiContradictJson:
    """One record for each contradiction, invalid tags included, in the collection's order."""

    name = "wikicontradict-json"
    label = "WikiContradict records (JSON)"
    suffix = "-records.json"
    holds = "Each tag with its annotation, in the format in which WikiContradict was published; invalid tags too."
    leaves_out = "excluded questions, where passages were copied from, and what links two records."
    loads = 'records = json.load(open("{name}", encoding="utf-8"))'
    content_type = "application/json; charset=utf-8"

    def chunks(self, rows: Iterable[StreamedRow]) -> Iterator[str]:
        """The file's text, a record at a time."""
        before = "[\n    "
        for row in rows:
            yield before + indented(row.record, "\n" + _STEP)
            before = ",\n    "
        yield "[]\n" if before.startswith("[") else "\n]\n"


def indented(value: object, line: str = "\n") -> str:
    """As json.dumps with indent=4; `line` is what a new line begins with.

    The library indents in Python, a character of punctuation at a time, and encodes in C only what is on one line.
    """
    if isinstance(value, str):
        return encode_basestring(value)
    deeper = line + _STEP
    if isinstance(value, dict) and value:
        pairs = (
            f"{encode_basestring(key)}: {indented(inner, deeper)}" for key, inner in value.items()
        )
        return f"{{{deeper}{f',{deeper}'.join(pairs)}{line}}}"
    if isinstance(value, list) and value:
        return f"[{deeper}{f',{deeper}'.join(indented(inner, deeper) for inner in value)}{line}]"
    return json.dumps(value, ensure_ascii=False)

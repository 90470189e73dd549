"""Export of everything that a collection knows of its records, as this project's own JSON."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from datasets.declared.records import in_order
from datasets.records import EXTRA
from datasets.streaming import StreamedRow
from protocols.declaration import Declaration


class CompleteJson:
    """A list with one object for each contradiction: the published record as it is, and what has no key in it.

    `provenance` holds, for passage "1" and "2", the pieces it was copied from; `filled` the columns that the app
    filled in and the annotator left; `derived` the inferred answers, as [question, answer]; `same_tag` the ids of other
    contradictions that a review found in the same tag. A record of a protocol has its id, its version, its fields
    and the canary, if there is one.
    """

    name = "complete-json"
    label = "Complete records (JSON)"
    suffix = "-complete.json"
    holds = "Each record with its id and version, where its passages were copied from, and which others are of its tag."
    leaves_out = "excluded questions, revised passages, and earlier versions."
    loads = 'records = json.load(open("{name}", encoding="utf-8"))'
    content_type = "application/json; charset=utf-8"

    def __init__(self, declaration: Declaration | None = None, canary: str = "") -> None:
        self._declaration = declaration
        self._canary = {"canary": canary} if canary else {}

    def chunks(self, rows: Iterable[StreamedRow]) -> Iterator[str]:
        """The file's text, a contradiction at a time."""
        before = "["
        for row in rows:
            if self._declaration is None:
                entry = _entry(row)
            elif row.questions:
                entry = _numbered(row, in_order(self._declaration, row.record)) | self._canary
            else:
                continue  # its question is excluded
            yield f"{before}\n{json.dumps(entry, ensure_ascii=False)}"
            before = ","
        yield "[]\n" if before == "[" else "\n]\n"


def _numbered(row: StreamedRow, record: dict[str, Any]) -> dict[str, Any]:
    columns = row.columns
    return {"id": columns["external_id"], "version": columns["version"], "record": record}


def _entry(row: StreamedRow) -> dict[str, Any]:
    return {
        **_numbered(row, row.record),
        **{column: row.columns[column] for column in EXTRA},
        "derived": [
            [slot.n, answer]
            for slot in row.questions
            for answer, is_derived in ((1, slot.derived_1), (2, slot.derived_2))
            if is_derived
        ],
        "same_tag": row.same_tag,
    }

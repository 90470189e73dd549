"""Export of everything that a collection knows of its records, as this project's own JSON, which comes in again."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from datasets.declared.records import in_order
from datasets.importers import complete_form
from datasets.models import Collection
from datasets.records import EXTRA
from datasets.streaming import StreamedRow


class CompleteJson:
    """A head, and a line for each contradiction: the published record as it is, and what has no key in it.

    `provenance` holds, for passage "1" and "2", the pieces it was copied from; `filled` the columns that the app
    filled in and the annotator left; `left_out` the numbers of questions that the record leaves out; `derived` the
    inferred answers, as [question, answer]; `same_tag` the ids of other contradictions that a review found in the same
    tag. A record of a protocol has its id, its version, its fields and the canary, if there is one.

    `head`: the first line that a release has; else it is of what the collection says and keeps now.
    """

    name = "complete-json"
    label = "Complete records (JSON)"
    suffix = "-complete.json"
    holds = (
        "Each record with its id and version, where its passages were copied from, and which others are of its tag. It "
        "can be imported elsewhere as a whole."
    )
    leaves_out = "excluded questions, revised passages, and earlier versions."
    loads = 'records = json.load(open("{name}", encoding="utf-8"))["records"]'
    content_type = "application/json; charset=utf-8"

    def __init__(self, collection: Collection | None = None, head: str = "") -> None:
        of = collection or Collection()
        self._declaration = of.declaration if of.is_declared else None
        self._canary = {"canary": of.canary} if of.canary else {}
        self.head = head or head_of(of, of.about)

    def chunks(self, rows: Iterable[StreamedRow]) -> Iterator[str]:
        """The file's text, a contradiction at a time."""
        before = self.head
        for row in rows:
            if self._declaration is None:
                entry = _entry(row)
            elif row.questions:
                entry = _numbered(row, in_order(self._declaration, row.record)) | self._canary
            else:
                continue  # its question is excluded
            yield f"{before}\n{json.dumps(entry, ensure_ascii=False)}"
            before = ","
        yield f"{before}]}}\n" if before == self.head else "\n]}\n"


def head_of(collection: Collection, about: Mapping[str, Any]) -> str:
    """The first line of the file, for a collection or a part of it that says `about` of itself."""
    declaration = collection.declaration if collection.is_declared else None
    return complete_form.head(about, declaration, collection.file_kept)


def _numbered(row: StreamedRow, record: dict[str, Any]) -> dict[str, Any]:
    columns = row.columns
    return {"id": columns["external_id"], "version": columns["version"], "record": record}


def _entry(row: StreamedRow) -> dict[str, Any]:
    return {
        **_numbered(row, row.record),
        **{column: row.columns[column] for column in EXTRA},
        "provenance": complete_form.pieces(row.columns["provenance"]),
        "left_out": row.left_out,
        "derived": [
            [slot.n, answer]
            for slot in row.questions
            for answer, is_derived in ((1, slot.derived_1), (2, slot.derived_2))
            if is_derived
        ],
        "same_tag": row.same_tag,
    }

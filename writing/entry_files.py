"""All entries of a collection as a file: one line of JSON for each, after a line that says what the file is.

People are named by their pseudonyms, as in every export.
"""

import json
from collections.abc import Iterator
from typing import Any

from datasets.models import Collection, Contradiction
from writing.models import Entry
from writing.saving import entries_of

FORMAT = "sic-et-non entries"
VERSION = 1
BATCH = 200


def entry_lines(collection: Collection) -> Iterator[bytes]:
    """The lines in UTF-8, in the order in which the entries were taken."""
    head = {"format": FORMAT, "version": VERSION, "collection": collection.name}
    yield _line(head)
    rows = Entry.objects.filter(writing__collection=collection).order_by("pk")
    related = ("writing", "record", "author", "checker", "made")
    rows = rows.select_related(*related).defer("record__fields", "made__fields")
    for row in rows.prefetch_related("writing__protocol").iterator(chunk_size=BATCH):
        yield _line(_entry(row))


def _line(data: dict[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False).encode() + b"\n"


def _entry(row: Entry) -> dict[str, Any]:
    return {
        "protocol": row.writing.protocol.name,
        "protocol_version": row.writing.protocol.version,
        "form": row.writing.form_name,
        "record": _record(row.record),
        "combination": dict(zip(row.form.complete, row.combination, strict=True)),
        "author": row.author.pseudonym,
        "state": row.state,
        "entries": entries_of(row),
        "reason": row.reason,
        "checker": row.checker and row.checker.pseudonym,
        "note": row.note,
        "made": row.made and _record(row.made),
        "taken_at": row.taken_at.isoformat(),
        "saved_at": row.saved_at.isoformat(),
        "decided_at": row.decided_at and row.decided_at.isoformat(),
    }


def _record(record: Contradiction) -> dict[str, Any]:
    return {"id": record.external_id, "version": record.version, "position": record.position}

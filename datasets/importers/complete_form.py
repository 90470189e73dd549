"""The complete form: the head of its file and the keys of its lines, for its export and its import. Pure.

No number in it means something in one database only, and all keys are in an order that no database changes.
"""

import json
from collections.abc import Mapping
from typing import Any

from datasets.description import in_order
from protocols.declaration import Declaration

FORMAT = "sicetnon-complete"
VERSION = 1
# The key of the list of records, which is the last.
RECORDS = "records"
MODALITIES = ("text", "table", "infobox", "list", "other")
PASSAGES = ("1", "2")
# Of a piece of the provenance; `date` may be missing.
PIECE = ("revid", "date", "title", "section", "kind", "start", "end", "sha256", "wikitext", "text")


def head(
    about: Mapping[str, Any],
    declaration: Declaration | None = None,
    file_kept: Mapping[str, Any] | None = None,
) -> str:
    """The file's first line, up to the list of records.

    `declaration` is that of a protocol's records, and `file_kept` what their collection keeps of their files.
    """
    whole: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    if declaration:
        whole["protocol"] = {"name": declaration.name, "version": declaration.version}
        whole["file"] = json.loads(json.dumps(file_kept, sort_keys=True))
    whole["about"] = in_order(about)
    return f'{json.dumps(whole, ensure_ascii=False)[:-1]}, "{RECORDS}": ['


def pieces(provenance: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The provenance without our own number of the revision."""
    return {
        n: [{key: piece[key] for key in PIECE if key in piece} for piece in provenance[n]]
        for n in PASSAGES
        if n in provenance
    }

"""Collections of a small protocol that a test writes as text."""

import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

from datasets.importers.formats import format_for
from datasets.importers.import_files import import_file
from datasets.models import Collection
from protocols.installed import install


def collection_of(text: str, records: Iterable[Mapping[str, Any]]) -> Collection:
    """The records in a collection of this protocol, which has its name and whose files have one record a line."""
    protocol, _ = install(text.encode(), "it.toml")
    chosen = format_for(protocol.name, protocol.name)
    assert chosen.protocol
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    report = import_file(
        importer=chosen.importer,
        protocol=chosen.protocol,
        file=io.BytesIO(lines.encode()),
        collection_name=protocol.name,
    )
    return report.collection

"""The formats that a collection can be exported to; a new one needs a class and a line here."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from datasets.exporters.complete_json import CompleteJson
from datasets.exporters.wikicontradict_csv import WikiContradictCsv
from datasets.exporters.wikicontradict_json import WikiContradictJson
from datasets.streaming import StreamedRow
from leases.refusal import NotFoundHere


class Exporter(Protocol):
    """Writes contradictions as a file's text in pieces."""

    name: str
    label: str
    suffix: str
    content_type: str

    def chunks(self, rows: Iterable[StreamedRow]) -> Iterator[str]: ...


EXPORTERS: dict[str, Exporter] = {
    exporter.name: exporter
    for exporter in (WikiContradictJson(), WikiContradictCsv(), CompleteJson())
}


def exporter_named(name: str) -> Exporter:
    """The exporter of that name. Raises NotFoundHere."""
    if name not in EXPORTERS:
        raise NotFoundHere(f"There is no export format {name!r}; there are {', '.join(EXPORTERS)}.")
    return EXPORTERS[name]

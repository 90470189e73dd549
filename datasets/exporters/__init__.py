"""The formats that collections can be exported to; a new one needs a class and a line here."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from datasets.declared.writing import FileNoted
from datasets.exporters.complete_json import CompleteJson
from datasets.exporters.declared_records import DeclaredCsv, DeclaredFile
from datasets.exporters.labelstudio import LabelStudioConfiguration, LabelStudioJson
from datasets.exporters.wikicontradict_csv import WikiContradictCsv
from datasets.exporters.wikicontradict_json import WikiContradictJson
from datasets.models import Collection
from datasets.streaming import StreamedRow
from leases.refusal import NotFoundHere


class FileFormat(Protocol):
    """What a page says of a file.

    `suffix` follows the collection's name. `loads`: the line of Python that reads the file called {name}.
    """

    name: str
    label: str
    suffix: str
    holds: str
    leaves_out: str
    loads: str
    content_type: str


class Exporter(FileFormat, Protocol):
    """Writes contradictions as a file's text in pieces."""

    def chunks(self, rows: Iterable[StreamedRow]) -> Iterator[str]: ...


EXPORTERS: dict[str, Exporter] = {
    exporter.name: exporter
    for exporter in (WikiContradictJson(), WikiContradictCsv(), CompleteJson())
}


def exporters_of(collection: Collection, head: str = "") -> dict[str, Exporter]:
    """The formats of a collection by name. `head`: that of the complete form of one of its releases."""
    complete = CompleteJson(collection, head)
    if not collection.is_declared:
        return EXPORTERS | {complete.name: complete}
    declaration = collection.declaration
    by = declaration.file.by
    parts = declaration.fields[by].values if by else ("",)
    declared: tuple[Exporter, ...] = (
        *(DeclaredFile(declaration, FileNoted(**collection.noted(part)), part) for part in parts),
        DeclaredCsv(declaration, collection.canary),
        complete,
    )
    return {exporter.name: exporter for exporter in declared}


def exports_of(collection: Collection) -> dict[str, Exporter]:
    """What a collection can be exported as: its formats, and those of Label Studio, which are in no release."""
    known = exporters_of(collection)
    if collection.is_declared:
        return known
    return known | {one.name: one for one in (LabelStudioJson(), LabelStudioConfiguration())}


def exporter_named(collection: Collection, name: str) -> Exporter:
    """What exports the collection under that name. Raises NotFoundHere."""
    known = exports_of(collection)
    if name not in known:
        raise NotFoundHere(
            f"{collection.name} has no export format {name!r}; there are {', '.join(known)}."
        )
    return known[name]


def hashed(collection: Collection, head: str = "") -> Exporter:
    """The format of whose file a release has the hash: the records as they are published; if in parts, everything."""
    known = exporters_of(collection, head)
    return known[CompleteJson.name if collection.declaration.file.by else next(iter(known))]

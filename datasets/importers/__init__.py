"""The formats that a collection can be imported from; a new one needs a class and a line here."""

from collections.abc import Iterator
from typing import BinaryIO, Protocol

from datasets.importers.wikicontradict_records import WikiContradict
from datasets.schema import Parsed


class Importer(Protocol):
    """Reads a file from its beginning, record by record, or raises Unreadable."""

    name: str
    label: str
    hint: str

    def records(self, file: BinaryIO) -> Iterator[Parsed]: ...


IMPORTERS: dict[str, Importer] = {importer.name: importer for importer in (WikiContradict(),)}

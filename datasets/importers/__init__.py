"""The formats that a collection can be imported from; a new one needs a class and a line here."""

from typing import Protocol

from datasets.importers.wikicontradict import WikiContradict
from datasets.schema import Parsed


class Importer(Protocol):
    """Reads a file's bytes into parsed records, or raises Unreadable."""

    name: str
    label: str
    hint: str

    def read(self, data: bytes) -> list[Parsed]: ...


IMPORTERS: dict[str, Importer] = {importer.name: importer for importer in (WikiContradict(),)}

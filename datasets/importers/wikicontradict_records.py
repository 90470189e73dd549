"""The published WikiContradict file: a JSON list of records. Pure."""

from collections.abc import Iterator
from typing import BinaryIO

from datasets.declared.writing import FileNoted
from datasets.deviations import Deviation, deviations
from datasets.importers.checked_records import checked_records
from datasets.readers.json_list import values_in
from datasets.schema import Parsed, parse


class WikiContradict:
    """Reads the whole file or refuses it, so that an import is never partial."""

    name = "wikicontradict"
    label = "WikiContradict (JSON)"
    hint = "A list of records as published in wikicontradict.json."

    def records(self, file: BinaryIO, noted: FileNoted | None = None) -> Iterator[Parsed]:
        """The file's records in order, from its beginning. Raises Unreadable (checked_records)."""
        return checked_records(values_in(file), parse)

    def first(self, file: BinaryIO) -> Parsed:
        return parse(next(values_in(file)))

    def deviations(self, parsed: Parsed) -> list[Deviation]:
        return deviations(parsed.columns, parsed.slots)

"""The program's own formats that a collection can be imported from; a new one needs a class and a line here."""

from collections.abc import Iterator
from typing import BinaryIO, Protocol

from datasets.declared.writing import FileNoted
from datasets.deviations import Deviation
from datasets.importers.complete_records import CompleteRecords
from datasets.importers.csv_files.questions import CsvQuestions
from datasets.importers.labelstudio_tasks import LabelStudioTasks
from datasets.importers.wikicontradict_records import WikiContradict
from datasets.schema import Parsed


class Importer(Protocol):
    """Reads a file from its beginning, record by record, or raises Unreadable.

    `noted` gets what the collection keeps of the file besides its records.
    """

    name: str
    label: str
    hint: str

    def records(self, file: BinaryIO, noted: FileNoted | None = None) -> Iterator[Parsed]: ...

    def first(self, file: BinaryIO) -> Parsed:
        """The first record, of which no more than that is read. Raises Unreadable, RecordRefused, StopIteration."""
        ...

    def deviations(self, parsed: Parsed) -> list[Deviation]: ...


IMPORTERS: dict[str, Importer] = {
    importer.name: importer
    for importer in (WikiContradict(), CsvQuestions(), LabelStudioTasks(), CompleteRecords())
}

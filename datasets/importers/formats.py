"""The formats that files are imported in: those of the program, and one for each installed protocol."""

from contextlib import suppress
from typing import BinaryIO, NamedTuple

from datasets.importers import IMPORTERS, Importer
from datasets.importers.complete_records import CompleteRecords, Head
from datasets.importers.csv_files.columns import Chosen
from datasets.importers.csv_files.questions import CsvQuestions
from datasets.importers.declared_records import DeclaredRecords
from datasets.importers.labelstudio_tasks import LabelStudioTasks
from datasets.labelstudio.reading import Wanted
from datasets.models import Collection
from datasets.readers.json_list import lines_in
from datasets.readers.json_text import Unreadable
from datasets.schema import RecordRefused
from leases.refusal import NotFoundHere, Refusal
from protocols.declaration import Declaration
from protocols.models import Protocol


class Format(NamedTuple):
    """How a file is read, and the protocol of the collection that gets its records; None: WikiContradict's."""

    importer: Importer
    protocol: Protocol | None


def formats() -> dict[str, Format]:
    """All of them by name; a protocol's is that of its newest version."""
    known = {name: Format(importer, None) for name, importer in IMPORTERS.items()}
    for row in Protocol.objects.order_by("name", "version"):
        known[row.name] = _declared(row)
    return known


class PartUnknown(Refusal):
    """It is not known which part of a data set a file holds."""


def format_for(
    name: str,
    collection_name: str,
    *,
    file_name: str = "",
    part: str = "",
    wanted: Wanted | None = None,
    chosen: Chosen | None = None,
) -> Format:
    """The format of that name, in the version that the collection has if there is one. Raises NotFoundHere.

    `part` is which value of a slice all records of the file have, where its protocol has a file for each; without it
    the file's name says so. Raises PartUnknown. `wanted` is which annotation of a task of Label Studio is taken,
    `chosen` which field each column of a CSV file is.
    """
    known = formats()
    if name not in known:
        raise NotFoundHere(
            f"There is no format {name!r}; there are {', '.join(known)}. Install the protocol first."
        )
    if name == LabelStudioTasks.name:
        return Format(LabelStudioTasks(wanted), None)
    if name == CsvQuestions.name:
        return Format(CsvQuestions(chosen), None)
    held = Collection.objects.filter(name=collection_name, protocol__name=name).first()
    protocol = held.protocol if held else known[name].protocol
    if protocol is None:
        return known[name]
    return _declared(protocol, _part_of(protocol.declaration, file_name, part), chosen)


def of_its_head(head: Head) -> Format:
    """How the records of a complete form are read: as the protocol that its head names declares them."""
    if head.protocol is None:
        return Format(CompleteRecords(), None)
    name, version = head.protocol
    protocol = Protocol.objects.filter(name=name, version=version).first()
    if protocol is None:
        raise Unreadable(
            f"The file has records of the protocol {name[:60]} version {version}, which is not installed here. Install "
            "it, and import the file then; nothing was imported."
        )
    return Format(CompleteRecords(protocol.declaration), protocol)


def of_another_format(file: BinaryIO, importer: Importer) -> Unreadable | None:
    """Says of which format a refused file is, where another reads its first record and this does not."""
    if _reads(importer, file):
        return None
    others = (other.importer for name, other in formats().items() if name != importer.name)
    found = next((other for other in others if _reads(other, file)), None)
    if found is None:
        return _no_records(file)
    return Unreadable(
        f"This is a file of {found.name}, not of {importer.name}. Choose that format; nothing was imported."
    )


def _no_records(file: BinaryIO) -> Unreadable | None:
    """Says where JSON Lines belong that are for another place than an import of records."""
    with suppress(Unreadable, StopIteration):
        keys = next(lines_in(file)).keys()
        if keys >= {"row", "model", "text"}:
            return Unreadable(
                "This is a file of responses, not of records. Send it by “Responses made elsewhere” on the page of its "
                "release; nothing was imported."
            )
        if keys >= {"id", "version", "record"}:
            return Unreadable(
                "This is data/records.jsonl of a bundle, which is not imported. Take the records of the release as "
                "complete-json, and import that; nothing was imported."
            )
    return None


def _reads(importer: Importer, file: BinaryIO) -> bool:
    with suppress(Unreadable, RecordRefused, StopIteration):
        return importer.first(file) is not None
    return False


def _part_of(declaration: Declaration, file_name: str, given: str) -> str:
    by = declaration.file.by
    if not by:
        if given:
            raise PartUnknown(
                f"A file of {declaration.name} holds all records. Do not name a part."
            )
        return ""
    title, values = declaration.fields[by].title, ", ".join(declaration.fields[by].values)
    part = given or declaration.file.value_of(file_name)
    if not part:
        raise PartUnknown(f"The file's name does not say its “{title}”. Choose one of {values}.")
    if part not in declaration.fields[by].values:
        raise PartUnknown(
            f"{part[:40]!r} is no “{title}” of {declaration.name}. Choose one of {values}."
        )
    return part


def _declared(protocol: Protocol, part: str = "", chosen: Chosen | None = None) -> Format:
    return Format(DeclaredRecords(protocol.declaration, part, chosen), protocol)

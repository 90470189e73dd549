"""Import a file into a collection: all of it or nothing; a second import of the same file adds nothing."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from django.core.exceptions import ValidationError

from accounts.models import Person
from datasets.declared.writing import FileNoted
from datasets.deviations import Deviation, DeviationKind
from datasets.importers import Importer
from datasets.importers.arriving import Arrived, DeclaredBy, bring, would_add
from datasets.importers.complete_records import CompleteRecords
from datasets.importers.csv_files.questions import CsvQuestions
from datasets.importers.declared_records import DeclaredRecords
from datasets.importers.formats import of_another_format, of_its_head
from datasets.importers.whole_collections import WholeFile, bring_whole, would_make
from datasets.models import Collection
from datasets.readers.json_text import Unreadable
from datasets.records import Draft, read_draft
from leases.refusal import Refusal
from protocols.models import Protocol


@dataclass(kw_only=True)
class Contents:
    """What a file holds.

    records, questions: how many. duplicates: (record, the earlier one that it equals), counted from 1.
    kinds: how many deviations of each kind. deviating_records: how many have any. noted: for records of a protocol,
    what the collection keeps of the file besides, and in which line an export will differ first.
    """

    records: int = 0
    questions: int = 0
    duplicates: list[tuple[int, int]] = field(default_factory=list)
    kinds: Counter[DeviationKind] = field(default_factory=Counter)
    deviating_records: int = 0
    noted: FileNoted = field(default_factory=FileNoted)

    @property
    def how_it_comes_out(self) -> str:
        """How an export of these records differs from the file of a protocol."""
        if not self.noted.differs and not self.duplicates:
            return "An export gives the same bytes."
        where = (
            f" in line {self.noted.differs}" if self.noted.differs else ", without what is twice"
        )
        return f"An export gives the same records, but other bytes{where}."

    @property
    def deviations_by_kind(self) -> list[tuple[DeviationKind, int]]:
        return [(kind, self.kinds[kind]) for kind in DeviationKind if self.kinds[kind]]


@dataclass(kw_only=True)
class FileReport(Contents):
    """The file's contents, how it was read, and how many of its records are new in the collection."""

    importer: Importer
    added: int

    @property
    def is_compared(self) -> bool:
        """Whether it was looked at how the file comes out again."""
        return isinstance(self.importer, DeclaredRecords | CsvQuestions)

    @property
    def already_there(self) -> int:
        return self.records - len(self.duplicates) - self.added


@dataclass(kw_only=True)
class ImportReport(FileReport):
    """The result of an import."""

    arrived: Arrived

    @property
    def collection(self) -> Collection:
        return self.arrived.collection


def no_more(report: ImportReport) -> None:
    """Nothing else is stored with the records."""


def import_file(
    *,
    importer: Importer,
    file: BinaryIO,
    collection_name: str,
    protocol: Protocol | None = None,
    source: str = "",
    by: Person | None = None,
    ended: Callable[[ImportReport], None] = no_more,
) -> ImportReport:
    """Add the records of the file that the collection lacks; makes the collection if there is none.

    `protocol` is the importer's (formats.py). The file is read once, a batch in memory at a time; nobody sees its
    records before all of it is read, and `ended` has been called in the same transaction. Raises Refusal (Unreadable
    with a list of the records' problems); then nothing is stored.
    """
    check_name(collection_name)
    asked: dict[str, Any] = {"name": collection_name, "source": source, "by": by}
    with _opened(importer, file, protocol) as read:

        def shown(arrived: Arrived) -> None:
            ended(read.imported(arrived))

        if read.whole:
            return read.imported(bring_whole(read.drafts, read.whole, **asked, ended=shown))
        return read.imported(bring(read.drafts, **asked, declared=read.declared, ended=shown))


def check_file(
    *, importer: Importer, file: BinaryIO, collection_name: str, protocol: Protocol | None = None
) -> FileReport:
    """What `import_file` would do now: it reads and checks all of the file, and stores nothing. Raises the same."""
    check_name(collection_name)
    with _opened(importer, file, protocol) as read:
        if read.whole:
            added = would_make(read.drafts, collection_name)
        else:
            added = would_add(read.drafts, name=collection_name, declared=read.declared)
        return FileReport(importer=read.importer, added=added, **vars(read.contents))


@dataclass
class _Reading:
    """A file while it is read: `drafts` are its records without the repeated ones; `contents` counts them."""

    importer: Importer
    drafts: Iterator[Draft]
    contents: Contents
    declared: DeclaredBy | None = None
    whole: WholeFile | None = None

    def imported(self, arrived: Arrived) -> ImportReport:
        of_file = vars(self.contents)
        return ImportReport(importer=self.importer, added=arrived.added, arrived=arrived, **of_file)


@contextmanager
def _opened(importer: Importer, file: BinaryIO, protocol: Protocol | None) -> Iterator[_Reading]:
    """Raises Unreadable; where another format reads the file, it says so."""
    contents = Contents()
    try:
        if isinstance(importer, CompleteRecords):
            head = importer.head(file)
            importer, protocol = of_its_head(head)
            whole = WholeFile(head, protocol, contents.noted)
            yield _Reading(importer, _drafts(importer, file, contents), contents, whole=whole)
        else:
            declared = DeclaredBy(protocol, contents.noted) if protocol else None
            yield _Reading(importer, _drafts(importer, file, contents), contents, declared)
    except Unreadable as refused:
        raise of_another_format(file, importer) or refused from None


def deviations_in(importer: Importer, file: BinaryIO) -> Iterator[tuple[int, Deviation]]:
    """(record, deviation) for each deviation of the file: there may be millions, so they are not kept."""
    for number, parsed in enumerate(importer.records(file), 1):
        for deviation in importer.deviations(parsed):
            yield number, deviation


def check_name(name: str) -> None:
    """Raise Refusal for a name of a collection that no URL can contain."""
    try:
        Collection._meta.get_field("name").clean(name, None)
    except ValidationError as error:
        raise Refusal(f"{name!r} cannot name a collection: {' '.join(error.messages)}") from None


def _drafts(importer: Importer, file: BinaryIO, contents: Contents) -> Iterator[Draft]:
    """The records without the repeated ones; `contents` counts them on the way."""
    first_seen: dict[bytes, int] = {}
    for number, parsed in enumerate(importer.records(file, contents.noted), 1):
        found = importer.deviations(parsed)
        contents.records = number
        contents.questions += len(parsed.slots)
        contents.kinds.update(deviation.kind for deviation in found)
        contents.deviating_records += bool(found)
        draft = read_draft(parsed)
        if parsed.identity:  # a complete form has each once
            yield draft
            continue
        earlier = first_seen.setdefault(bytes.fromhex(draft.identity), number)
        if earlier == number:
            yield draft
        else:
            contents.duplicates.append((number, earlier))

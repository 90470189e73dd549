"""Import a file into a collection: all of it or nothing; a second import of the same file adds nothing."""

from collections import Counter
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError

from accounts.models import Person
from datasets.arriving import bring
from datasets.deviations import Deviation, Kind, deviations
from datasets.importers import Importer
from datasets.models import Collection
from datasets.records import Draft, checked
from datasets.schema import Parsed
from leases.refusal import Refusal


@dataclass
class ImportReport:
    """The result of an import.

    records, questions: in the file. duplicates: (record, the earlier one that it equals), counted from 1.
    deviations: (record, deviation) for every record of the file.
    """

    collection: Collection
    records: int = 0
    questions: int = 0
    added: int = 0
    already_there: int = 0
    duplicates: list[tuple[int, int]] = field(default_factory=list)
    deviations: list[tuple[int, Deviation]] = field(default_factory=list)

    @property
    def deviations_by_kind(self) -> list[tuple[Kind, int]]:
        counts = Counter(deviation.kind for _, deviation in self.deviations)
        return [(kind, counts[kind]) for kind in Kind if counts[kind]]

    @property
    def deviating_records(self) -> int:
        return len({number for number, _ in self.deviations})


def import_file(
    *,
    importer: Importer,
    data: bytes,
    collection_name: str,
    source: str = "",
    by: Person | None = None,
) -> ImportReport:
    """Read the file and add the records that the collection lacks; makes the collection if there is none.

    Reads and checks before the first transaction. Raises Refusal (Unreadable with a list of the records' problems);
    then nothing was stored.
    """
    parsed = importer.read(data)
    check_name(collection_name)
    drafts = [checked(Draft(one.columns, one.slots + one.unused)) for one in parsed]
    collection, added = bring(drafts, name=collection_name, source=source, by=by)
    report = _described(collection, parsed)
    first_seen: dict[str, int] = {}
    for number, draft in enumerate(drafts, 1):
        earlier = first_seen.setdefault(draft.identity, number)
        if earlier != number:
            report.duplicates.append((number, earlier))
        elif draft.identity in added:
            report.added += 1
        else:
            report.already_there += 1
    return report


def check_name(name: str) -> None:
    """Raise Refusal for a name of a collection that no URL can contain."""
    try:
        Collection._meta.get_field("name").clean(name, None)
    except ValidationError as error:
        raise Refusal(f"{name!r} cannot name a collection: {' '.join(error.messages)}") from None


def _described(collection: Collection, parsed: list[Parsed]) -> ImportReport:
    return ImportReport(
        collection,
        records=len(parsed),
        questions=sum(len(one.slots) for one in parsed),
        deviations=[
            (number, deviation)
            for number, one in enumerate(parsed, 1)
            for deviation in deviations(one.columns, one.slots)
        ],
    )

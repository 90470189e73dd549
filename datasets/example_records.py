"""Records to show a protocol on: of a file, or of a collection. Read, and never kept."""

from itertools import islice
from typing import BinaryIO

from accounts.models import Person
from datasets.blinding import check_shown, keep_shown, shown_to
from datasets.importers.declared_records import DeclaredRecords
from datasets.models import Collection
from datasets.records import current
from leases.refusal import NotFoundHere, Refusal
from protocols.declaration import Declaration
from protocols.example_record import ExampleRecord


class ExampleRecords:
    """The records that datasets can read for a protocol."""

    def collections(self, person: Person, declaration: Declaration) -> list[str]:
        """Those of a version of the protocol with the same fields, file and item."""
        rows = Collection.objects.filter(protocol__name=declaration.name).order_by("name")
        return [
            row.name
            for row in rows.select_related("protocol")
            if row.declaration.fixed == declaration.fixed
        ]

    def of_collection(
        self, person: Person, declaration: Declaration, name: str, number: int
    ) -> ExampleRecord:
        """The newest records in their order, without those hidden from the person."""
        if name not in self.collections(person, declaration):
            raise NotFoundHere(
                f"There is no collection {name} of {declaration.name} with these fields."
            )
        rows = current(Collection.objects.get(name=name)).order_by("pk")
        records = shown_to(person, rows)[number - 1 : number]
        if not records:
            raise Refusal(f"{name} has no record number {number}.")
        [record] = records
        chosen = rows.filter(pk=record.pk)
        check_shown(person, chosen)
        keep_shown(person, chosen, "/protocols/")
        return ExampleRecord(record.fields or {}, f"record {number} of the collection {name}")

    def of_file(
        self, declaration: Declaration, file: BinaryIO, name: str, number: int
    ) -> ExampleRecord:
        """Read as an import does, up to the record. Of files by a slice, of the value that the name says."""
        by = declaration.fields.get(declaration.file.by)
        value = declaration.file.value_of(name) or (by.values[0] if by else "")
        read = DeclaredRecords(declaration, value).records(file)
        parsed = next(islice(read, number - 1, None), None)
        if parsed is None:
            raise Refusal(f"{name} has no record number {number}.")
        return ExampleRecord(parsed.record, f"record {number} of {name}")

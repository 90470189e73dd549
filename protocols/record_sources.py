"""Where records come from on which a protocol is shown: the rooms above read them."""

from typing import BinaryIO
from typing import Protocol as Interface

from accounts.models import Person
from leases.extension import ExtensionPoint
from protocols.declaration import Declaration
from protocols.example_record import ExampleRecord


class RecordSource(Interface):
    """Where records of a protocol can be chosen. `number` counts from 1. Each raises Refusal for none that fits."""

    def collections(self, person: Person, declaration: Declaration) -> list[str]:
        """The names of the collections whose records the declaration fits."""

    def of_collection(
        self, person: Person, declaration: Declaration, name: str, number: int
    ) -> ExampleRecord: ...

    def of_file(
        self, declaration: Declaration, file: BinaryIO, name: str, number: int
    ) -> ExampleRecord: ...


record_sources: ExtensionPoint[[], RecordSource] = ExtensionPoint(
    "protocols.record_sources.record_sources"
)

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from accounts.models import Person
    from datasets.importers.import_kinds import ImportKind
    from protocols.record_sources import RecordSource
    from protocols.uses import Use


class DatasetsConfig(AppConfig):
    name = "datasets"

    def ready(self) -> None:
        from accounts.leaving.open_work import work_for_nobody
        from datasets.importers.import_kinds import import_kinds
        from datasets.revisions import revisions_for_nobody
        from protocols.record_sources import record_sources
        from protocols.uses import uses

        record_sources.add(self.name, _records)
        uses.add(self.name, _collections)
        import_kinds.add(self.name, _record_imports)
        work_for_nobody.add(self.name, revisions_for_nobody)


def _records() -> "RecordSource":
    from datasets.example_records import ExampleRecords

    return ExampleRecords()


def _record_imports() -> "ImportKind":
    from datasets.importers.record_imports import RecordImports

    return RecordImports()


def _collections(person: "Person", protocols: Collection[int]) -> "Iterator[tuple[int, Use]]":
    from django.urls import reverse

    from datasets.models import Collection as CollectionRow
    from protocols.uses import Use

    rows = CollectionRow.objects.filter(protocol__in=protocols).order_by("name")
    for key, name in rows.values_list("protocol", "name"):
        yield key, Use("collection", name, reverse("datasets:collection", args=[name]))

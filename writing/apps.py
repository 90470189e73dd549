from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from accounts.models import Person
    from protocols.uses import Use


class WritingConfig(AppConfig):
    name = "writing"

    def ready(self) -> None:
        from accounts.leaving.open_work import held_work, work_for_nobody
        from protocols.checking import key_tables, part_problems
        from protocols.example_record import part_blocks
        from protocols.uses import uses
        from writing.declared.example import form_blocks
        from writing.declared.language import TABLES
        from writing.declared.problems import form_problems
        from writing.open_work import checks_for_nobody, entries_held

        key_tables.add(self.name, lambda: TABLES)
        part_blocks.add(self.name, form_blocks)
        part_problems.add(self.name, form_problems)
        uses.add(self.name, opened_forms)
        held_work.add(self.name, entries_held)
        work_for_nobody.add(self.name, checks_for_nobody)


def opened_forms(person: "Person", protocols: Collection[int]) -> "Iterator[tuple[int, Use]]":
    """The forms of these protocols that were opened; researchers, who do not see their pages, see the collection's."""
    from django.urls import reverse

    from protocols.uses import Use
    from writing.models import Writing

    rows = Writing.objects.filter(protocol__in=protocols).order_by("pk")
    for key, form, name in rows.values_list("protocol", "form_name", "collection__name"):
        yield key, Use("form", f"{form} for {name}", reverse("datasets:collection", args=[name]))

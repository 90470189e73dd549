from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

if TYPE_CHECKING:
    from accounts.models import Person
    from datasets.importers.import_kinds import ImportKind
    from generation.call_queues import CallQueue
    from protocols.uses import Use


class GenerationConfig(AppConfig):
    name = "generation"

    def ready(self) -> None:
        from datasets.exclusions import with_results
        from datasets.importers.import_kinds import import_kinds
        from datasets.releasing.bundle.asked import bundled_prompts
        from generation.call_queues import queues
        from generation.prompts.bundling import prompts_to_bundle
        from generation.prompts.declared import TABLES, prompt_problems
        from generation.prompts.example import prompt_blocks
        from generation.registry import answered
        from protocols.checking import key_tables, part_problems
        from protocols.example_record import part_blocks
        from protocols.uses import uses

        register(check_services, "services")
        with_results.add(self.name, answered)
        bundled_prompts.add(self.name, prompts_to_bundle)
        queues.add(self.name, responses_to_ask)
        key_tables.add(self.name, lambda: TABLES)
        part_blocks.add(self.name, prompt_blocks)
        uses.add(self.name, runs_over)
        import_kinds.add(self.name, response_imports)
        part_problems.add(self.name, prompt_problems)


def runs_over(person: "Person", protocols: Collection[int]) -> "Iterator[tuple[int, Use]]":
    """The runs over collections that have these protocols now, but for those hidden from the person."""
    from django.urls import reverse

    from generation.access import visible_to
    from generation.models import Run
    from protocols.uses import Use

    rows = Run.objects.filter(collection__protocol__in=protocols).order_by("pk")
    of = dict(rows.values_list("pk", "collection__protocol"))
    for run in visible_to(person, rows):
        yield of[run.pk], Use("run", run.name, reverse("generation:run", args=[run.pk]))


def response_imports() -> "ImportKind":
    from generation.elsewhere.import_kind import ResponseImports

    return ResponseImports()


def responses_to_ask() -> "CallQueue":
    """Loaded by what asks services, not by every command."""
    from generation.asking.runqueue import RunQueue

    return RunQueue()


def check_services(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """One error for each unusable entry of INFERENCE_SERVICES, with what to write.

    `bring_up_to_date`, bin/run and Django's own commands make this check. A RefusingCommand refuses an entry when it
    uses it.
    """
    from generation.inference import faults, service_entries

    errors: list[CheckMessage] = []
    for name, data in settings.INFERENCE_SERVICES.items():
        try:
            service_entries.checked_entry(name, data)
        except faults.NotConfigured as fault:
            errors.append(Error(fault.sentence, id="generation.E001"))
    return errors

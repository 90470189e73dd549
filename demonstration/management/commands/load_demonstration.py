"""Load the demonstration set into an empty database."""

from typing import Any

from django.core.management.base import CommandParser

from demonstration.loading import is_loaded, load
from leases.command import RefusingCommand


class Command(RefusingCommand):
    help = (
        "Load a small demonstration set: invented articles with contradictions, and two people's annotations. "
        "Everything is marked as demonstration; remove_demonstration takes it out again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--beside-other-work",
            action="store_true",
            help="load it even if the database holds other work",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        before = is_loaded()
        loaded = load(beside_other_work=options["beside_other_work"])
        if options["verbosity"]:
            self.stdout.write(
                f"{'Loaded before' if before else 'Loaded'}: {loaded.articles} articles, {loaded.tags} tags, "
                f"{loaded.annotations} annotations, {loaded.records} records in the collection, "
                f"{loaded.responses} responses, {loaded.verdicts} verdicts."
            )

"""Remove the demonstration set."""

from typing import Any

from django.core.management.base import CommandParser

from demonstration.removal import remove
from leases.command import RefusingCommand


class Command(RefusingCommand):
    help = (
        "Remove the demonstration set: its articles, records, people, annotations, responses and verdicts. "
        "Protocols that were used stay."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--with-work-built-on-it",
            action="store_true",
            help="also remove campaigns, runs and studies that people made on its tags and questions",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        deleted = remove(with_work_built_on_it=options["with_work_built_on_it"])
        if options["verbosity"]:
            message = f"Removed the demonstration set: {deleted.total()} rows."
            self.stdout.write(message if deleted else "There is no demonstration set here.")

"""manage.py verify_report FILE"""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.archive.bundles import MOST_BYTES
from evaluation.frozen.verifying import verify
from evaluation.tables.sentences import counted
from leases.refusal import Refusal, printable


class Command(BaseCommand):
    help = "Check a report's zip or JSON against its hashes, its rows, and its study where that is here."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            with path.open("rb") as file:
                outcome = verify(file.read(MOST_BYTES + 1))
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror or error}.") from None
        except Refusal as refused:
            raise CommandError(f"{path}: {refused}") from None
        # Names of the file are in both: control characters are shown, not obeyed.
        for note in outcome.notes:
            self.stdout.write(printable(note))
        if outcome.wrong:
            lines = "\n  ".join(map(printable, outcome.wrong))
            raise CommandError(f"{path} is not what it says:\n  {lines}")
        things = counted(outcome.checked, "thing")
        self.stdout.write(f"{path}: {things} compared, all as the report says.")

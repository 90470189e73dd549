"""manage.py backup [--to FOLDER] [--keep N]"""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leases.refusal import Refusal
from operations import backups


class Command(BaseCommand):
    help = "Write every row and every kept file into one file, while people go on working."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--to", type=Path, metavar="FOLDER", help="DATA_DIR/backups unless given"
        )
        parser.add_argument(
            "--keep", type=int, metavar="N", help="then remove all backups there but the N newest"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["keep"] is not None and options["keep"] < 1:
            raise CommandError("Keep at least one backup: --keep 1.")
        try:
            made = backups.make(options["to"], options["keep"])
        except Refusal as refused:
            raise CommandError(str(refused)) from None
        for name in made.interrupted:
            self.stderr.write(f"An earlier backup was cut off; what it left is removed: {name}")
        for name in made.removed:
            self.stderr.write(f"Removed, as only {options['keep']} are kept: {name}")
        self.stdout.write(
            f"{made.path}: {made.rows} rows of {len(made.tables)} tables, {made.files} files, {made.bytes} bytes, "
            "read back whole"
        )

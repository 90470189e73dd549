"""manage.py backup [--to FOLDER] [--keep N]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from leases.command import RefusingCommand
from operations import backups


class Command(RefusingCommand):
    help = "Write all rows and files into one backup file, while people go on working."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--to", type=Path, metavar="FOLDER", help="default: DATA_DIR/backups")
        parser.add_argument(
            "--keep", type=int, metavar="N", help="then remove all but the N newest backups there"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["keep"] is not None and options["keep"] < 1:
            raise CommandError("Keep at least one backup: --keep 1.")
        backup = backups.make(options["to"], options["keep"])
        for name in backup.interrupted:
            self.stderr.write(f"Removed an unfinished file of an interrupted backup: {name}")
        for name in backup.removed:
            self.stderr.write(f"Removed, as only {options['keep']} are kept: {name}")
        for name in backup.unknown:
            self.stderr.write(f"Not in the backup, because it is no folder of Sic et Non: {name}")
        self.stdout.write(
            f"{backup.path}: {backup.rows} rows of {len(backup.tables)} tables, {backup.files} files, "
            f"{backup.bytes} bytes, verified"
        )

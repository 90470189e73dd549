"""manage.py restore FILE [--check-only]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from leases.command import RefusingCommand
from operations import restoring, signing


class Command(RefusingCommand):
    help = "Restore a backup into an empty database and an empty DATA_DIR. Stop the program first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--check-only", action="store_true", help="only verify the file, restore nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["check_only"]:
            self.check_only(options["file"])
        else:
            self.restore(options["file"])

    def restore(self, path: Path) -> None:
        done = restoring.restore(path)
        self.stdout.write(
            f"Restored and compared: {done.rows} rows of {done.tables} tables, {done.files} files; "
            f"{done.releases} releases have the right hash. Everyone has to sign in again."
        )
        self.report_origin(done.is_ours)

    def check_only(self, path: Path) -> None:
        bundle = restoring.verified(path)
        rows = sum(part.rows for part in bundle.tables)
        self.stdout.write(
            f"{path} is complete: {rows} rows, {len(bundle.files)} files, made {bundle.made_at} by version "
            f"{bundle.app_version}. Nothing was restored."
        )
        for part in bundle.tables:
            self.stdout.write(f"{part.rows:>10}  {part.table}  {part.checksum[:16]}")
        self.report_origin(signing.is_ours(bundle.manifest))
        bundle.close()

    def report_origin(self, is_ours: bool) -> None:
        if not is_ours:
            self.stderr.write(signing.FOREIGN)

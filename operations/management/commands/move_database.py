"""manage.py move_database URL"""

from typing import Any

from django.core.management.base import CommandParser

from leases.command import RefusingCommand
from operations import moving


class Command(RefusingCommand):
    help = "Copy all rows into the empty database at URL and compare them. Stop the program first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "url", metavar="URL", help="postgres://USER:PASSWORD@HOST/NAME or sqlite:///PATH"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        moved = moving.move(options["url"], self.report)
        rows = sum(table.written.rows for table in moved)
        self.stdout.write(
            f"{rows} rows of {len(moved)} tables were copied and are equal. This database is unchanged. "
            "Set DATABASE_URL to the new address, then start."
        )

    def report(self, moved: moving.Moved) -> None:
        self.stdout.write(f"{moved.written.rows:>10}  {moved.table}  {moved.written.hash[:16]}")

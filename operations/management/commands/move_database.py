"""manage.py move_database URL"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leases.refusal import Refusal
from operations import moving


class Command(BaseCommand):
    help = "Copy every row into the empty database at URL, with the program stopped; compare, and say so."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "url", metavar="URL", help="postgres://USER:PASSWORD@HOST/NAME or sqlite:///PATH"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            moved = moving.move(options["url"], self.tell)
        except Refusal as refused:
            raise CommandError(str(refused)) from None
        rows = sum(each.written.rows for each in moved)
        self.stdout.write(
            f"{rows} rows of {len(moved)} tables are there, and read as they do here. This database is as it was. "
            "Set DATABASE_URL to the new address, then start."
        )

    def tell(self, moved: moving.Moved) -> None:
        self.stdout.write(f"{moved.written.rows:>10}  {moved.table}  {moved.written.hash[:16]}")

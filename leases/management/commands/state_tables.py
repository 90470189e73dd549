"""manage.py state_tables: write docs/workflow.md, or check that it is up to date."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leases.workflow_page import page, rooms_with_tables

PAGE = Path(__file__).resolve().parents[3] / "docs" / "workflow.md"


class Command(BaseCommand):
    help = "Write docs/workflow.md from the rooms' state tables."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="Only check: fail when the page is out of date."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        text = page(rooms_with_tables())
        if not options["check"]:
            PAGE.write_text(text, encoding="utf-8")
            self.stdout.write(f"Wrote {PAGE.name}.")
        elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
            raise CommandError(
                "docs/workflow.md is out of date. Run: python manage.py state_tables"
            )

"""manage.py protocol_reference: write docs/protocols-reference.md, or check that it is up to date."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from protocols.checking import part_keys
from protocols.reference import page

PAGE = Path(__file__).resolve().parents[3] / "docs" / "protocols-reference.md"


class Command(BaseCommand):
    help = "Write docs/protocols-reference.md from the keys that a protocol's file may have."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="Only check: fail when the page is out of date."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        text = page(part_keys())
        if not options["check"]:
            PAGE.write_text(text, encoding="utf-8")
            self.stdout.write(f"Wrote {PAGE.name}.")
        elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
            raise CommandError(
                f"docs/{PAGE.name} is out of date. Run: python manage.py protocol_reference"
            )

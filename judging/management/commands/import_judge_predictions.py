"""manage.py import_judge_predictions STUDY FILE --name NAME"""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from datasets.importers.json_text import MAX_BYTES, Unreadable
from judging import studies
from judging.files.predictions import import_predictions
from leases.refusal import Refusal


class Command(BaseCommand):
    help = "Import a judge model's replies made elsewhere (CSV); the same file again adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="its slug, name or number")
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--name", required=True, metavar="NAME", help="the name of the judge")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            with path.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
            report = import_predictions(studies.named(options["study"]), data, options["name"])
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror or error}.") from None
        except Unreadable as refused:
            raise CommandError("\n  ".join([f"{path}: {refused}", *refused.problems])) from None
        except Refusal as refused:
            raise CommandError(str(refused)) from None
        done = "imported" if report.is_new else "was imported before; nothing was added"
        self.stdout.write(f"{report.judge.pseudonym}: {done}.")
        self.stdout.write(f"  replies                   {report.replies}")
        self.stdout.write(f"  without a verdict         {report.unparsed}")
        self.stdout.write(f"  responses not in the file {report.untouched}")

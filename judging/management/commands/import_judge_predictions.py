"""manage.py import_judge_predictions STUDY FILE --name NAME"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from datasets.importers.imported_file import contents_of
from judging import studies
from judging.files.predictions import import_predictions
from leases.command import RefusingCommand


class Command(RefusingCommand):
    help = "Import a judge model's replies made elsewhere (CSV); the same file again adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="its slug, name or number")
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--name", required=True, metavar="NAME", help="the name of the judge")

    def handle(self, *args: Any, **options: Any) -> None:
        with contents_of(options["file"]) as data:
            report = import_predictions(studies.named(options["study"]), data, options["name"])
        done = "imported" if report.is_new else "was imported before; nothing was added"
        self.stdout.write(f"{report.judge.pseudonym}: {done}.")
        self.stdout.write(f"  replies                   {report.replies}")
        self.stdout.write(f"  without a verdict         {report.unparsed}")
        self.stdout.write(f"  responses not in the file {report.untouched}")

"""manage.py import_human_evaluation FILE --study NAME"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from datasets.importers.imported_file import contents_of
from judging.files.importing import ImportedEvaluation, import_human_evaluation
from leases.command import RefusingCommand


class Command(RefusingCommand):
    help = "Import a published human evaluation as a study; importing it again adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--study", required=True, metavar="NAME")
        parser.add_argument(
            "--allow-missing",
            action="store_true",
            help="accept a file in which a model lacks questions that others have",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        with contents_of(path) as data:
            report = import_human_evaluation(
                data,
                options["study"],
                source=path.name,
                allow_missing=options["allow_missing"],
            )
        self._print(report)

    def _print(self, report: ImportedEvaluation) -> None:
        write, study = self.stdout.write, report.study
        done = "imported" if report.is_new else "was imported before; nothing was added"
        write(f"Study {study.pk}, {study.name}: {done}.")
        write(f"  models      {report.models}")
        write(f"  questions   {report.questions}")
        write(f"  responses   {report.responses}")
        write(f"  unlabelled  {report.unlabelled}")
        for sentence in report.missing:
            write(f"  {sentence}")
        for key, number in sorted(report.kept.items()):
            write(f"  {key}: kept as in the file in {number} rows")

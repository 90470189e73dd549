"""manage.py import_human_evaluation FILE --study NAME"""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from datasets.importers.json_text import MAX_BYTES, Unreadable
from judging.files.importing import Report, import_human_evaluation
from leases.refusal import Refusal


class Command(BaseCommand):
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
        try:
            report = import_human_evaluation(
                _read(path),
                options["study"],
                source=path.name,
                allow_missing=options["allow_missing"],
            )
        except Unreadable as refused:
            raise CommandError("\n  ".join([f"{path}: {refused}", *refused.problems])) from None
        except Refusal as refused:
            raise CommandError(str(refused)) from None
        self._print(report)

    def _print(self, report: Report) -> None:
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


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror or error}.") from None

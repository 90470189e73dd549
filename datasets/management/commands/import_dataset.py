"""manage.py import_dataset FORMAT FILE --collection NAME"""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from datasets.importers import IMPORTERS
from datasets.importers.json_text import MAX_BYTES, Unreadable
from datasets.importing import ImportReport, import_file
from leases.refusal import Refusal


class Command(BaseCommand):
    help = "Import a published dataset into a collection; importing it again adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("format", choices=sorted(IMPORTERS))
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--collection", required=True, metavar="NAME")
        parser.add_argument(
            "--list", action="store_true", help="list every deviation with its record"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            report = import_file(
                importer=IMPORTERS[options["format"]],
                data=_read(path),
                collection_name=options["collection"],
                source=path.name,
            )
        except Unreadable as refused:
            raise CommandError("\n  ".join([f"{path}: {refused}", *refused.problems])) from None
        except Refusal as refused:
            raise CommandError(str(refused)) from None
        self._print(report, listed=options["list"])

    def _print(self, report: ImportReport, *, listed: bool) -> None:
        write = self.stdout.write
        write(f"Collection {report.collection.name}")
        write(f"  records in the file  {report.records}")
        write(f"  added                {report.added}")
        write(f"  already there        {report.already_there}")
        write(f"  twice in the file    {len(report.duplicates)}")
        for number, earlier in report.duplicates:
            write(f"    record {number} equals record {earlier}")
        write(f"  questions            {report.questions}")
        write(f"  records that deviate from the form  {report.deviating_records}, stored unchanged")
        for kind, count in report.deviations_by_kind:
            write(f"    {count:>5}  {kind}")
        for number, deviation in report.deviations if listed else []:
            write(f"    record {number}: {deviation.kind} ({deviation.place}) {deviation.detail}")


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror or error}.") from None

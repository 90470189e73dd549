"""manage.py import_dataset FORMAT FILE --collection NAME: the records of a file become those of a collection."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from datasets.importers import IMPORTERS
from datasets.importers.csv_files.choices import chosen_in, settled
from datasets.importers.formats import format_for
from datasets.importers.import_files import FileReport, check_file, deviations_in, import_file
from datasets.importers.imported_file import opened
from datasets.importers.labelstudio_tasks import NamesLacking
from datasets.labelstudio.naming import checked_names, lines_of_unknown
from datasets.labelstudio.reading import Taken, lines_of, wanted_of
from datasets.readers.csv_table import DELIMITERS
from datasets.readers.json_text import Unreadable
from leases.command import RefusingCommand
from leases.refusal import Refusal


def pairs_in(texts: Iterable[str]) -> dict[str, str]:
    """Of texts NAME=KEY. Raises Refusal for another, and for a name that is there twice."""
    pairs: dict[str, str] = {}
    for text in texts:
        name, mark, key = text.rpartition("=")
        if not mark or name in pairs:
            raise Refusal(
                f"{text[:80]!r} is not NAME=KEY, as mood=qa_comment, or its name is there twice."
            )
        pairs[name] = key
    return pairs


@contextmanager
def names_told() -> Iterator[None]:
    """Let the refusal of a file that may lack only names say how they are given."""
    try:
        yield
    except NamesLacking as lacking:
        said = f"{lacking.message} Name its controls by --name CONTROL=KEY."
        raise Unreadable(said, details=lacking.problems) from None


class Command(RefusingCommand):
    help = "Import a published dataset into a collection; importing it again adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "format",
            metavar="FORMAT",
            help=f"{', '.join(IMPORTERS)}, or the name of an installed protocol",
        )
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--collection", required=True, metavar="NAME")
        parser.add_argument(
            "--as",
            dest="part",
            default="",
            metavar="PART",
            help="which part of the data set the file holds, as simple; without it the file's name says so",
        )
        parser.add_argument(
            "--take",
            default=Taken.LATEST.value,
            metavar="WHICH",
            help="of several annotations of a task of Label Studio: latest, ground-truth, or the number, e-mail "
            "address or pseudonym of the one annotator whose are taken",
        )
        parser.add_argument(
            "--name",
            dest="names",
            action="append",
            default=[],
            metavar="CONTROL=KEY",
            help="a control of Label Studio, or a key of its data, that has another name than the study's",
        )
        parser.add_argument(
            "--column",
            dest="columns",
            action="append",
            default=[],
            metavar="COLUMN=FIELD",
            help="of a CSV file: which field a column is, and the others are left out; without any, as the names say",
        )
        parser.add_argument(
            "--delimiter",
            default="",
            choices=DELIMITERS,
            help="of a CSV file; without it, the one that its first line shows",
        )
        parser.add_argument(
            "--list", action="store_true", help="list every deviation with its record"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="read and check the file, and store nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        name = options["collection"]
        wanted = wanted_of(options["take"], checked_names(pairs_in(options["names"])))
        csv = {"columns": pairs_in(options["columns"]), "delimiter": options["delimiter"]}
        given = {option: value for option, value in csv.items() if value}
        of = {"file_name": path.name, "part": options["part"]}
        with opened(path) as file, names_told():
            chosen = settled(
                file, format=options["format"], collection_name=name, options=given, **of
            )
            importer, protocol = format_for(
                options["format"], name, wanted=wanted, chosen=chosen_in(chosen), **of
            )
            asked: dict[str, Any] = {"importer": importer, "protocol": protocol, "file": file}
            if options["dry_run"]:
                self.stdout.write(f"Nothing is stored. This would go into collection {name}")
                report = check_file(**asked, collection_name=name)
            else:
                report = import_file(**asked, collection_name=name, source=path.name)
                self.stdout.write(f"Collection {name}")
            self._print(report)
            for number, deviation in (
                deviations_in(report.importer, file) if options["list"] else ()
            ):
                self.stdout.write(
                    f"    record {number}: {deviation.kind} ({deviation.place}) {deviation.detail}"
                )

    def _print(self, report: FileReport) -> None:
        write = self.stdout.write
        if report.noted.value:
            write(f"  part of the data set {report.noted.value}")
        write(f"  records in the file  {report.records}")
        write(f"  added                {report.added}")
        write(f"  already there        {report.already_there}")
        write(f"  twice in the file    {len(report.duplicates)}")
        for number, earlier in report.duplicates:
            write(f"    record {number} equals record {earlier}")
        write(f"  questions            {report.questions}")
        write(f"  records with deviations  {report.deviating_records}, stored unchanged")
        for kind, count in report.deviations_by_kind:
            write(f"    {count:>5}  {kind}")
        for line in lines_of(report.noted.reported):
            write(f"  no part of a record: {line}")
        for line in lines_of_unknown(report.noted.controls):
            write(f"  {line}")
        for name, n in report.noted.annotators.items():
            write(f"  annotations of annotator {name}: {n}")
        if report.is_compared:
            write(f"  {report.how_it_comes_out}")

"""manage.py export_dataset NAME --format FORMAT --out FILE"""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from datasets.exporters import EXPORTERS
from datasets.exporting import write_file
from datasets.records import collection_named, current, streamed
from datasets.releases import release_of, released
from leases.refusal import Refusal


class Command(BaseCommand):
    help = "Export a collection, or one of its releases, to a file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="NAME")
        parser.add_argument("--format", required=True, choices=sorted(EXPORTERS))
        parser.add_argument("--out", required=True, type=Path, metavar="FILE")
        parser.add_argument(
            "--release", metavar="VERSION", help="a frozen release, not the present rows"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            collection = collection_named(options["collection"])
            rows = current(collection)
            if options["release"]:
                rows = released(release_of(collection, options["release"]))
            size, sha256 = write_file(EXPORTERS[options["format"]], streamed(rows), options["out"])
        except Refusal as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(f"{options['out']}: {size} bytes, sha256 {sha256}")

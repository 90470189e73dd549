"""manage.py export_dataset NAME --format FORMAT --out FILE"""

from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from datasets.exclusions import excluded_ids
from datasets.exporters import EXPORTERS, exporter_named
from datasets.exporters.export_files import write_chunks
from datasets.models import Release
from datasets.records import collection_named, current
from datasets.releasing.freezing import file_of, release_of
from datasets.releasing.stored_files import opened
from datasets.releasing.withholding import given_out
from datasets.streaming import streamed
from leases.command import RefusingCommand
from leases.refusal import Refusal


class Command(RefusingCommand):
    help = "Export a collection, or one of its releases, to a file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="NAME")
        parser.add_argument(
            "--format",
            required=True,
            help=f"{', '.join(EXPORTERS)}, label-studio-json, label-studio-xml; of a protocol: records or "
            "records-PART, records-csv, complete-json",
        )
        parser.add_argument("--out", required=True, type=Path, metavar="FILE")
        parser.add_argument(
            "--release", metavar="VERSION", help="export a release, not the current rows"
        )
        parser.add_argument(
            "--with-excluded",
            action="store_true",
            help="include excluded questions, which a new release leaves out",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        exporter = exporter_named(collection, options["format"])
        excluded: list[int] = []
        if options["release"]:
            if options["with_excluded"]:
                raise Refusal("A release never changes; leave out --with-excluded.")
            chunks = _stored(release_of(collection, options["release"]), exporter.name)
        else:
            excluded = [] if options["with_excluded"] else excluded_ids(collection)
            chunks = exporter.chunks(streamed(given_out(current(collection)), without=excluded))
        size, sha256 = write_chunks(chunks, options["out"])
        if excluded:
            self.stdout.write(f"{len(excluded)} excluded questions left out")
        self.stdout.write(f"{options['out']}: {size} bytes, sha256 {sha256}")
        if collection.canary:
            self.stdout.write(f"canary: {collection.canary}")


def _stored(release: Release, format: str) -> Iterator[str]:
    with TextIOWrapper(opened(file_of(release, format)), encoding="utf-8", newline="") as file:
        while text := file.read(1 << 20):
            yield text

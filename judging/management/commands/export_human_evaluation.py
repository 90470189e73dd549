"""manage.py export_human_evaluation STUDY --format FORMAT --out FILE"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from datasets.exporters.export_files import write_chunks
from judging import studies
from judging.files.exporting import FORMATS
from leases.command import RefusingCommand


class Command(RefusingCommand):
    help = "Export a study with its responses and verdicts to a file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="its slug, name or number")
        parser.add_argument("--format", required=True, choices=sorted(FORMATS))
        parser.add_argument("--out", required=True, type=Path, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        study = studies.named(options["study"])
        chunks = FORMATS[options["format"]].chunks(study)
        size, sha256 = write_chunks(chunks, options["out"])
        self.stdout.write(f"{options['out']}: {size} bytes, sha256 {sha256}")

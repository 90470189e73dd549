"""manage.py import_responses FILE --release COLLECTION VERSION [--name NAME] [--check]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from datasets.importers.imported_file import opened
from datasets.records import collection_named
from datasets.releasing.freezing import release_of
from generation.elsewhere.importing import bring, check
from leases.command import RefusingCommand


class Command(RefusingCommand):
    help = "Import responses that were made elsewhere to the prompts of a release, as a run of their own."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--release", required=True, nargs=2, metavar=("COLLECTION", "VERSION"))
        parser.add_argument("--name", default="", help="of the run")
        parser.add_argument(
            "--check", action="store_true", help="read and check the file, and store nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        name, version = options["release"]
        release = release_of(collection_named(name), version)
        with opened(options["file"]) as file:
            if options["check"]:
                self._print("Nothing is stored. The file has:", check(release, file))
            else:
                run, report = bring(release, file, name=options["name"])
                self._print(f"Run {run.pk}, {run.name}", report)

    def _print(self, heading: str, report: dict[str, Any]) -> None:
        self.stdout.write(heading)
        for words, key in (
            ("responses", "responses"),
            ("to questions", "questions"),
            ("not verified: without sha256", "without_sha256"),
            ("not verified: another sha256", "other_sha256"),
            ("held: may have markup in it", "held"),
            ("without a text", "empty"),
            ("broken off by the service", "aborted"),
        ):
            self.stdout.write(f"  {words:<30}  {report[key]}")
        for run in report["earlier_runs"]:
            self.stdout.write(f"  Run {run} was made of the same file.")
        for model in report["models"]:
            self.stdout.write(f"  {model['responses']:>7}  {model['model']}  {model['options']}")

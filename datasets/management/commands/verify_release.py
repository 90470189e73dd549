"""manage.py verify_release [COLLECTION [VERSION]]"""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets.models import Release
from datasets.records import collection_named
from datasets.releasing.freezing import release_of
from datasets.releasing.stored_files import remove_unnamed
from datasets.releasing.verifying import differences, problems
from leases.command import RefusingCommand
from pages.counting import how_many


class Command(RefusingCommand):
    help = "Compare the stored files of releases with their hashes and rows; of all releases, or of one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Exit status: 0 when all is as it was frozen, 1 when something differs."
        parser.add_argument("collection", nargs="?", metavar="COLLECTION")
        parser.add_argument("version", nargs="?", metavar="VERSION")

    def handle(self, *args: Any, **options: Any) -> None:
        differs = 0
        for release in self._releases(options):
            found = list(problems(release))
            differs += bool(found)
            for sentence in [*(found or ["all is as it was frozen"]), *differences(release)]:
                self.stdout.write(f"{release}: {sentence}")
        if not options["collection"] and (removed := remove_unnamed()):
            self.stdout.write(f"Removed: {how_many(removed, 'file')} of freezes that were stopped.")
        if differs:
            raise CommandError(f"Releases that differ: {differs}.")

    def _releases(self, options: dict[str, Any]) -> list[Release]:
        if not options["collection"]:
            return list(Release.objects.select_related("collection__protocol").order_by("pk"))
        collection = collection_named(options["collection"])
        if options["version"]:
            return [release_of(collection, options["version"])]
        return list(collection.releases.order_by("pk"))

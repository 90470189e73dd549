"""Load the example of ConflictBank."""

from typing import Any

from demonstration.conflictbank_example import CONFLICTBANK
from demonstration.examples import load, said
from leases.command import RefusingCommand


class Command(RefusingCommand):
    help = (
        "Load twelve invented records in the form of ConflictBank into a collection of their own, with its protocol. "
        "They are marked as demonstration; remove_demonstration takes them out again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        collection, is_new = load(CONFLICTBANK)
        if options["verbosity"]:
            self.stdout.write(said(collection, CONFLICTBANK, is_new))

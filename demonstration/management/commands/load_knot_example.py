"""Load the example of KNOT."""

from typing import Any

from demonstration.examples import load, said
from demonstration.knot_example import KNOT
from leases.command import RefusingCommand


class Command(RefusingCommand):
    help = (
        "Load eight invented records in the form of KNOT, of three levels, into a collection of their own, with its "
        "protocol. They are marked as demonstration; remove_demonstration takes them out again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        collection, is_new = load(KNOT)
        if options["verbosity"]:
            self.stdout.write(said(collection, KNOT, is_new))

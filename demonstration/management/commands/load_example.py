"""`manage.py load_example PROTOCOL`: load the example of a protocol that comes with the program."""

from typing import Any

from django.core.management.base import CommandParser

from demonstration.examples import EXAMPLES, load, said
from leases.command import RefusingCommand


class Command(RefusingCommand):
    help = (
        "Load records in the form of a protocol, written for this project, into a collection of their own, with the "
        "protocol. They are marked as demonstration; remove_demonstration takes them out again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("protocol", choices=sorted(EXAMPLES))

    def handle(self, *args: Any, **options: Any) -> None:
        example = EXAMPLES[options["protocol"]]
        collection, is_new = load(example)
        if options["verbosity"]:
            self.stdout.write(said(collection, example, is_new))

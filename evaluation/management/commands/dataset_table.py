"""manage.py dataset_table COLLECTION [--json]: a collection in numbers, as the paper's table 1."""

import json
from typing import Any

from django.core.management.base import CommandParser

from datasets.records import collection_named
from evaluation.counts.collection_counts import collection_table
from evaluation.report.collection_rows import TITLES, label_of
from evaluation.tables.words import share
from leases.command import RefusingCommand


class Command(RefusingCommand):
    help = "Print how many tags and questions of which kinds a collection holds."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="COLLECTION")
        parser.add_argument("--json", action="store_true", help="the whole table as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        table = collection_table(collection_named(options["collection"]))
        if options["json"]:
            self.stdout.write(json.dumps(table, ensure_ascii=False, indent=2, allow_nan=False))
            return
        group = ""
        for row in table["rows"]:
            if row["group"] != group:
                group = row["group"]
                self.stdout.write(TITLES[group])
            counted = f"{row['k']} of {row['n']} ({share(row['k'], row['n'])})"
            self.stdout.write(f"  {label_of(row)}: {counted}")

"""manage.py open_campaign NAME --collection COLLECTION --by USERNAME [--kind KIND …] [--people N]"""

from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from accounts.models import Person
from annotation.campaigns.opening import Frame, Plan, open_campaign
from datasets.models import Collection
from leases.command import RefusingCommand
from leases.rows import first_of
from wikifetch.models import TagKind


class Command(RefusingCommand):
    help = "Open a campaign for the live tags and create its assignments."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--collection", required=True, help="where accepted annotations go")
        parser.add_argument(
            "--by", required=True, metavar="USERNAME", help="the admin who opens it"
        )
        parser.add_argument("--kind", action="append", default=[], choices=TagKind.values)
        parser.add_argument("--people", type=int, default=1, help="people per tag")
        parser.add_argument("--limit", type=int, default=0, help="at most this many tags")
        parser.add_argument("--seed", type=int, default=1)

    def handle(self, *args: Any, **options: Any) -> None:
        people = Person.objects.filter(username__iexact=options["by"])
        by = first_of(people, f"There is nobody called {options['by']!r}.")
        with transaction.atomic():
            collection, _ = Collection.objects.get_or_create(name=options["collection"])
            campaign = open_campaign(
                name=options["name"],
                collection=collection,
                frame=Frame(tuple(options["kind"]), options["limit"]),
                plan=Plan(people_per_tag=options["people"], seed=options["seed"]),
                by=by,
            )
        self.stdout.write(f"Campaign {campaign.pk}: {campaign.assignments.count()} assignments.")

"""manage.py publish_campaign NAME"""

from typing import Any

from django.core.management.base import CommandParser

from annotation.models import Campaign
from annotation.reviewing.publishing_tags import publish_campaign
from leases.command import RefusingCommand
from leases.rows import first_of


class Command(RefusingCommand):
    help = "Publish what reviews of a campaign accepted to its collection. Running it again adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")

    def handle(self, *args: Any, **options: Any) -> None:
        rows = Campaign.objects.filter(name=options["name"])
        done = publish_campaign(first_of(rows, f"There is no campaign called {options['name']!r}."))
        self.stdout.write(f"{done.tags} tags published, {done.records} new records.")

"""manage.py publish_campaign NAME"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import Campaign
from annotation.publish import publish_campaign


class Command(BaseCommand):
    help = "Publish a campaign's accepted annotations to its collection. Running it again adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(name=options["name"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign called {options['name']!r}.")
        done = publish_campaign(campaign)
        self.stdout.write(f"{done.annotations} annotations published, {done.records} new records.")

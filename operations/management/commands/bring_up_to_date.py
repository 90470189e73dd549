"""What a new version needs before it starts: migrations, prompt files, scripts and styles."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = "Bring the database up to date, read new prompt files, and collect scripts and styles."

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=options["verbosity"])
        try:
            call_command("read_prompts", stdout=self.stdout)
        except CommandError as refused:  # a prompt that is refused keeps nothing from starting
            self.stderr.write(str(refused))
        call_command("collectstatic", interactive=False, verbosity=options["verbosity"])

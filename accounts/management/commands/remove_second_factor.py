"""Remove a second factor, e.g. of an admin where there is no other admin to ask."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts import second_factor
from accounts.models import Person
from leases.refusal import Refusal


class Command(BaseCommand):
    help = "Remove the second factor of USERNAME, who then signs in with the password alone."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME")

    def handle(self, *args: Any, **options: Any) -> None:
        person = Person.objects.filter(username__iexact=options["username"]).first()
        if person is None:
            raise CommandError(f"Nobody here signs in as {options['username']!r}.")
        try:
            second_factor.take_away(person, by=None)
        except Refusal as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(f"{person.username} signs in with the password alone.")

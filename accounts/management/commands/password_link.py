"""Print a one-time link for a new password, e.g. for an admin where there is no other admin to ask."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.invitations import full_address, password_path
from accounts.models import Person


class Command(BaseCommand):
    help = "Print a link by which USERNAME can set a new password, once, within three days."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME")

    def handle(self, *args: Any, **options: Any) -> None:
        named = Person.objects.filter(username__iexact=options["username"], is_demonstration=False)
        person = named.first()
        if person is None:
            raise CommandError(f"Nobody here signs in as {options['username']!r}.")
        if not person.is_active:
            raise CommandError(
                f"{person.username} may not sign in. An admin lets them in again on the page People; where no admin "
                "is left, python manage.py first_admin_link makes a new one."
            )
        self.stdout.write(full_address(password_path(person)))

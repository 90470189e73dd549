"""Print a one-time link by which the first administrator joins."""

from typing import Any

from django.core.management.base import BaseCommand

from accounts.invitations import first_admin_token, full_address, invitation_path


class Command(BaseCommand):
    help = "Print a one-time link for the first administrator, unless there is one already."

    def handle(self, *args: Any, **options: Any) -> None:
        token = first_admin_token()
        if token is None:
            self.stderr.write("There is an administrator already; ask them for an invitation.")
            return
        self.stdout.write(full_address(invitation_path(token)))

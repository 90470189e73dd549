"""The base of management commands: a refusal ends one with its sentence as the error."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leases.refusal import Refusal, printable


class RefusingCommand(BaseCommand):
    """A command that may raise Refusal anywhere; it exits with status 1."""

    # They load every page, which takes as long as the program's start; `bring_up_to_date` makes them before a start.
    requires_system_checks: list[str] = []

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except Refusal as refused:
            raise CommandError(printable(refused.message)) from None

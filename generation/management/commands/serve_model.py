"""`manage.py serve_model`: the embedded model, restarted whenever it ends."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from generation.inference import embedded

PORT = 8081


class Command(BaseCommand):
    help = "Serve the embedded language model with an OpenAI-compatible API, until stopped."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--host", default="127.0.0.1", help="Address to listen on (default 127.0.0.1)."
        )
        parser.add_argument(
            "--port", type=int, default=PORT, help=f"Port to listen on (default {PORT})."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            embedded.supervise(
                settings.EMBEDDED_MODEL_PATH, options["host"], options["port"], self.say
            )
        except embedded.CannotServe as error:
            raise CommandError(str(error)) from None

    def say(self, line: str) -> None:
        """One line at once: a log that is a file or a pipe would hold it back, after the lines of the server."""
        self.stdout.write(line)
        self.stdout.flush()

"""manage.py forget_person USERNAME [--out FILE] [--yes]"""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Person
from datasets.exporting import write_chunks
from leases.refusal import Conflict, Refusal
from operations import forgetting


class Command(BaseCommand):
    help = "Write what a person entered into a file, then take away all that names them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME")
        parser.add_argument(
            "--out", type=Path, metavar="FILE", help="their data; PSEUDONYM.json here unless given"
        )
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            person = forgetting.to_forget(options["username"])
            self.say_what_goes(person)
            if not options["yes"]:
                self.ask(person)
            path = options["out"] or Path(f"{person.pseudonym}.json")
            self.write(person, path)
            forgetting.forget(person)
        except Refusal as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(
            f"Forgotten: {person.pseudonym}. What they entered is in {path}; hand it to them and delete it here. "
            "Backups from before hold the name until they are removed."
        )

    def say_what_goes(self, person: Person) -> None:
        self.stdout.write("Name, sign-in name, password and last sign-in go.")
        for holding in forgetting.holdings(person):
            if count := holding.rows.count():
                self.stdout.write(f"{count:>8} {holding.what}: {holding.fate}")

    def ask(self, person: Person) -> None:
        if not sys.stdin.isatty():
            raise CommandError("Nobody is there to be asked. Say --yes if you are sure.")
        if input(f"This cannot be undone. Type {person.username} to go on: ") != person.username:
            raise CommandError("Nothing was done.")

    def write(self, person: Person, path: Path) -> None:
        if path.exists():
            raise Conflict(f"{path} is there already. Move it, or name another with --out.")
        write_chunks(forgetting.own_data(person), path)
        path.chmod(0o600)

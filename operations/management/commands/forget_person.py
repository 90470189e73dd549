"""manage.py forget_person USERNAME [--out FILE] [--yes]"""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.leaving import open_work
from accounts.models import Person
from datasets.exporters.export_files import write_chunks
from leases.command import RefusingCommand
from leases.refusal import Conflict
from operations import forgetting, traces
from operations.mentions import mentions


class Command(RefusingCommand):
    help = "Write what a person entered into a file, then delete everything that identifies them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME")
        parser.add_argument(
            "--out", type=Path, metavar="FILE", help="file for their data; default: PSEUDONYM.json"
        )
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *args: Any, **options: Any) -> None:
        person = forgetting.to_forget(options["username"])
        withholding = self.show_effects(person)
        if not options["yes"]:
            self.ask(person)
        path = options["out"] or Path(f"{person.pseudonym}.json")
        self.write(person, path)
        forgetting.forget(person, withholding=withholding)
        self.stdout.write(
            f"Forgotten: {person.pseudonym}. Their data is in {path}; give it to them and delete it here."
        )
        if not traces.erase():
            self.stderr.write(
                "The database's log still holds the name, because others were reading. Stop and start the program."
            )
        for backup in traces.backups_that_name(person):
            self.stderr.write(f"This backup still holds the name: {backup}")

    def show_effects(self, person: Person) -> list[str]:
        """Returns the keys of the comments whose releases are to be withheld."""
        self.stdout.write("Name, username, password and last sign-in are deleted.")
        for holding in forgetting.holdings(person):
            if count := holding.rows.count():
                self.stdout.write(f"{count:>8} {holding.what}: {holding.fate}")
        for work in open_work.held_by(person, None):
            others = "others can take it" if work.has_choice else work.becomes
            self.stdout.write(f"         {work.what}, {work.where}: {others}")
        for work in open_work.only_theirs(person, person.roles, None):
            self.stdout.write(f"         {work.what}, {work.where}: {work.becomes}")
        found = mentions(person)
        for mention in [*found.open, *found.fixed]:
            self.stdout.write(f"         the name stays in {mention.where}")
        named = [one for one in forgetting.released_comments(found) if one.is_certain]
        for mention in named:
            self.stdout.write(f"         no release is given out any more with {mention.where}")
        if found.hidden:
            self.stdout.write(f"         the name stays in {found.hidden} texts of open studies")
        if found.open:
            self.stdout.write(
                "To replace it there, stop here, and forget the person on their page: it shows each of these texts."
            )
        return [mention.key for mention in named]

    def ask(self, person: Person) -> None:
        if not sys.stdin.isatty():
            raise CommandError(
                "There is no terminal to ask for confirmation. Use --yes if you are sure."
            )
        if input(f"This cannot be undone. Type {person.username} to continue: ") != person.username:
            raise CommandError("Nothing was done.")

    def write(self, person: Person, path: Path) -> None:
        if path.exists():
            raise Conflict(f"{path} exists already. Move it, or name another file with --out.")
        write_chunks(forgetting.own_data(person), path)
        path.chmod(0o600)

"""manage.py restore FILE [--check-only] [--foreign [--yes]]"""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from leases.command import RefusingCommand
from operations import restoring
from operations.entrants import Entrants, entrants
from operations.signing import FOREIGN


class Command(RefusingCommand):
    help = "Restore a backup into an empty database and an empty DATA_DIR. Stop the program first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--check-only",
            action="store_true",
            help="only verify the file, restore nothing; ends with 0 only for a backup with this SECRET_KEY",
        )
        parser.add_argument(
            "--foreign",
            action="store_true",
            help="also a backup with another SECRET_KEY, after a list of everybody whom it lets in",
        )
        parser.add_argument("--yes", action="store_true", help="do not ask after that list")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["check_only"]:
            self.check_only(options["file"], options["foreign"])
        else:
            self.restore(options["file"], options["foreign"], options["yes"])

    def restore(self, path: Path, foreign: bool, yes: bool) -> None:
        def confirm(let_in: Entrants) -> None:
            self.show(let_in)
            if not yes:
                self.ask()

        done = restoring.restore(path, confirm=confirm if foreign else None)
        self.stdout.write(
            f"Restored and compared: {done.rows} rows of {done.tables} tables, {done.files} files; "
            f"{done.releases} releases have the right hash. Everyone has to sign in again."
        )
        for name in restoring.public_again():
            self.stdout.write(
                f"Anyone can read {name}. Withdraw it if it was withdrawn after the backup."
            )
        if done.releases:
            self.stdout.write(
                "Releases may hold text that a wiki has hidden since: fetch the articles again. Forget people "
                "again who were forgotten since."
            )

    def check_only(self, path: Path, foreign: bool) -> None:
        bundle, ours = restoring.verified(path)
        rows = sum(part.rows for part in bundle.tables)
        self.stdout.write(
            f"{path} is complete: {rows} rows, {len(bundle.files)} files, made {bundle.made_at} by version "
            f"{bundle.app_version}. Nothing was restored."
        )
        for part in bundle.tables:
            self.stdout.write(f"{part.rows:>10}  {part.table}  {part.checksum[:16]}")
        if foreign and not ours:
            self.show(entrants(bundle))
        bundle.close()
        if not ours:
            raise CommandError(f"{path} is complete, but nobody knows whose. {FOREIGN}")

    def show(self, let_in: Entrants) -> None:
        self.stdout.write(
            f"This backup has another SECRET_KEY, or was changed. It lets in {len(let_in.people)} people, "
            f"{let_in.admins} of them as admins:"
        )
        for line in [
            *let_in.people,
            *(f"Open invitation, {invitation}" for invitation in let_in.invitations),
        ]:
            self.stdout.write(f"  {line}")

    def ask(self) -> None:
        if not sys.stdin.isatty():
            raise CommandError(
                "There is no terminal to ask for confirmation. Nothing was restored. Use --yes if you know them all."
            )
        answer = input("Do you know all of them, with these roles? Type yes to restore: ")
        if answer.strip().lower() != "yes":
            raise CommandError("Nothing was restored.")

"""manage.py install_protocol PATH_OR_NAME"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from leases.command import RefusingCommand
from leases.refusal import Refusal
from protocols.installed import NoProtocol, install, warnings_of
from protocols.reading import LARGEST
from protocols.shipped import file_of, shipped


class Command(RefusingCommand):
    help = "Install a study's protocol; installing the same file again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        named = ", ".join(shipped())
        parser.add_argument("protocol", metavar="PATH_OR_NAME", help=f"a TOML file, or {named}")

    def handle(self, *args: Any, **options: Any) -> None:
        given: str = options["protocol"]
        is_name = given in shipped()
        try:
            row, is_new = install(file_of(given) if is_name else _content(given), given)
        except NoProtocol as refused:
            raise Refusal("\n  ".join([refused.message, *refused.problems])) from None
        done = "installed" if is_new else "was installed before; nothing was changed"
        self.stdout.write("\n  ".join([f"{row} {done}", f"sha256 {row.sha256}", *warnings_of(row)]))


def _content(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise Refusal(f"{path} cannot be read: {error.strerror or error}.") from None

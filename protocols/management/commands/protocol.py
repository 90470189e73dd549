"""manage.py protocol check|add|show|new PROTOCOL"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from leases.command import RefusingCommand
from leases.refusal import Refusal
from protocols.declaration import Declaration
from protocols.example_record import ExampleRecord, ShownBlock, blocks_on, invented
from protocols.installed import NoProtocol, declared, higher_than, install, standing, warnings_of
from protocols.new_file import new_file
from protocols.reading import LARGEST
from protocols.record_sources import record_sources
from protocols.shipped import WIKICONTRADICT, file_of, shipped
from protocols.shown_parts import TITLES, in_words


class Command(RefusingCommand):
    help = (
        "Check a protocol's file, install it, show it on a record, or write a new one. Installing the same file again "
        "changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        named = ", ".join(shipped())
        parser.add_argument("action", choices=("check", "add", "show", "new"))
        parser.add_argument(
            "protocol",
            metavar="PROTOCOL",
            help=f"a TOML file, or {named}; with new the name of the protocol, whose file is NAME.toml",
        )
        parser.add_argument("--prompt", metavar="NAME", help="with show: this prompt alone")
        parser.add_argument(
            "--records",
            metavar="FILE",
            help="with show: a file of records, instead of an invented one",
        )
        parser.add_argument(
            "--record",
            type=int,
            default=1,
            metavar="N",
            help="which record of the file; the first is 1",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        given: str = options["protocol"]
        if options["action"] == "new":
            self.stdout.write(
                f"Wrote {_written(given)}. Install it with: manage.py protocol add {given}.toml"
            )
            return
        data = file_of(given) if given in shipped() else _content(given)
        try:
            declaration = declared(data, given)
        except NoProtocol as refused:
            raise Refusal("\n  ".join([refused.message, *map(str, _lines(refused))])) from None
        if options["action"] == "check":
            self.stdout.write(f"Nothing is wrong in {given}. {standing(declaration)[0]}")
        elif options["action"] == "show":
            for line in _shown(declaration, _example(declaration, options), options["prompt"]):
                self.stdout.write(line)
        else:
            row, is_new = install(data, given)
            done = "is installed" if is_new else "was installed before: nothing was changed"
            said = f"{row} {done}.{higher_than(row)}"
            self.stdout.write("\n  ".join([said, f"sha256 {row.sha256}", *warnings_of(row)]))


def _lines(refused: NoProtocol) -> Iterator[str]:
    """All faults, each with what its key may be."""
    for fault in refused.faults:
        yield " ".join(filter(None, [str(fault), fault.hint]))


def _content(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise Refusal(f"{path} cannot be read: {error.strerror or error}.") from None


def _written(name: str) -> str:
    """The path of a new file in the folder where the command runs."""
    path = f"{name}.toml"
    text = new_file(name)
    if name in (WIKICONTRADICT, *shipped()):
        raise Refusal(f"{name} comes with the program. Choose another name.")
    try:
        with Path(path).open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise Refusal(
            f"{path} is there already, and stays as it is. Choose another name."
        ) from None
    except OSError as error:
        raise Refusal(f"{path} cannot be written: {error.strerror or error}.") from None
    return path


def _example(declaration: Declaration, options: dict[str, Any]) -> ExampleRecord:
    path: str | None = options["records"]
    if options["record"] < 1:
        raise Refusal("The first record is --record 1.")
    if path is None:
        return invented(declaration)
    try:
        with Path(path).open("rb") as file:
            [source] = record_sources()
            return source.of_file(declaration, file, Path(path).name, options["record"])
    except OSError as error:
        raise Refusal(f"{path} cannot be read: {error.strerror or error}.") from None


def _shown(declaration: Declaration, example: ExampleRecord, prompt: str | None) -> Iterator[str]:
    if prompt is not None and prompt not in declaration.named("prompt"):
        known = ", ".join(declaration.named("prompt"))
        raise Refusal(f"There is no prompt {prompt!r} in {declaration}. There are {known}.")
    yield f"{declaration} on {example.source}"
    if prompt is None:
        yield from (f"  {name}: {in_words(value)}" for name, value in example.record.items())
    for (part, name), blocks in blocks_on(declaration, example.record).items():
        if prompt is None or (part, name) == ("prompt", prompt):
            yield f"\n=== {TITLES[part].removesuffix('s')} {name}"
            for block in blocks:
                yield from _block(block)


def _block(block: ShownBlock) -> Iterator[str]:
    yield f"--- {block.heading}"
    if block.text:
        yield block.text
    yield from (f"{name}: {words}" for name, words in block.facts)
    yield from (" | ".join(words for words, _ in line) for line in block.head)
    yield from (" | ".join(line) for line in block.rows)

"""The protocols that come with the program. Pure."""

from functools import cache
from pathlib import Path

from leases.refusal import Refusal
from protocols.declaration import WIKICONTRADICT, Declaration
from protocols.reading import read_protocol

FOLDER = Path(__file__).parent / "studies"


def shipped() -> list[str]:
    """Their names, but for WikiContradict's, which needs no row."""
    return sorted(path.stem for path in FOLDER.glob("*.toml") if path.stem != WIKICONTRADICT)


def file_of(name: str) -> bytes:
    """The file of one of them. Raises Refusal for another name."""
    if name not in (WIKICONTRADICT, *shipped()):
        raise Refusal(
            f"No protocol {name!r} comes with the program. There are {', '.join(shipped())}."
        )
    return (FOLDER / f"{name}.toml").read_bytes()


@cache
def declaration_of(name: str) -> Declaration:
    """The declaration of one of them, whose file needs no check. Raises Refusal for another name."""
    return read_protocol(file_of(name), lambda _: [])


def wikicontradict() -> Declaration:
    """The declaration of WikiContradict: of the collections that have no other protocol."""
    return declaration_of(WIKICONTRADICT)

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
    if name not in shipped():
        raise Refusal(
            f"No protocol {name!r} comes with the program. There are {', '.join(shipped())}."
        )
    return (FOLDER / f"{name}.toml").read_bytes()


@cache
def wikicontradict() -> Declaration:
    """The declaration of WikiContradict: of the collections that have no other protocol."""
    return read_protocol((FOLDER / f"{WIKICONTRADICT}.toml").read_bytes(), lambda _: [])

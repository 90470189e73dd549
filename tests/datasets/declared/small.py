"""A small protocol with a field of each type, in any shape of file."""

from protocols.declaration import Declaration
from protocols.reading import read_protocol

TEXT = """
[protocol]
name = "ferries"
version = 1
title = "Ferries and their rivers"
source = "invented"
licence = "none"

[file]
{file}

[item]
title = "river"
question = "question"
cluster = "river"

[[field]]
name = "river"

[[field]]
name = "season"
slice = true
values = ["summer", "winter"]

[[field]]
name = "note"
type = "passage"

[[field]]
name = "question"

[[field]]
name = "options"
type = "list"

[[field]]
name = "right"
type = "letter"
of = "options"
says = "river"

[[field]]
name = "wrong"
type = "letter"
of = "options"
"""
LINES = 'shape = "lines"'
LIST = 'shape = "list"'
OBJECT = 'shape = "object"\nlist = "ferries"\nkeep = ["canary", "made"]'


def toml(file: str = LINES) -> bytes:
    return TEXT.format(file=file).encode()


def declaration(file: str = LINES) -> Declaration:
    return read_protocol(toml(file), lambda _: [])


def ferry(**changes: object) -> dict[str, object]:
    """A record; a change to None takes the key away."""
    whole = {
        "river": "Aller",
        "season": "summer",
        "note": "The ferry “Möwe” crosses the Aller.",
        "question": "Which river does it cross?",
        "options": ["Weser", "Aller"],
        "right": "B",
        "wrong": "A",
    } | changes
    return {key: value for key, value in whole.items() if value is not None}

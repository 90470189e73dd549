"""A small protocol as text, to change for a test."""

from protocols.installed import install
from protocols.models import Protocol

TEXT = """\
[protocol]
name = "mills"
version = 1
title = "Mills: two sources on a mill"
source = "Alice 2024"
licence = "CC0"
notes = ["The order is ours."]

[file]
shape = "lines"

[item]
title = "mill"
question = "question"
cluster = "mill"

[[field]]
name = "mill"
slice = true
values = ["water", "wind"]

[[field]]
name = "question"

[[field]]
name = "source"
type = "passage"
label = "Source"

[[field]]
name = "options"
type = "list"
reads = { 1 = " in {1}", 2 = " from {1} to {2}" }

[[field]]
name = "right"
type = "letter"
of = "options"
says = "question"
"""


def changed(old: str, new: str, text: str = TEXT) -> str:
    """The text with one place changed, which has to be there."""
    assert old in text
    return text.replace(old, new, 1)


def installed(text: str = TEXT) -> Protocol:
    return install(text.encode(), "mills.toml")[0]

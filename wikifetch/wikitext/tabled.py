"""templates.json: templates whose words need no computation. Pure.

By name in lower case. first, second: the argument that is shown; text: what always is; cells: what is where no text
is given; nothing: layout; marks: what editors' remarks say; ships: prefixes of names; hatnotes: the words before the
titles.
"""

import json
from pathlib import Path
from typing import Any

TABLED: dict[str, Any] = json.loads(
    Path(__file__).with_name("templates.json").read_text(encoding="utf-8")
)


def template_key(name: str) -> str:
    """A template's name as these tables have it."""
    key = " ".join(name.replace("_", " ").split()).lower()
    return key.removeprefix("template:").strip()

"""templates.json: templates whose words need no computation, by name in lower case. Pure.

first, second: the argument that is shown; text: what always is; cells: what is if no text is given; nothing: layout;
marks: what editors' remarks say; ships: prefixes of names; hatnotes: the words before the titles.
"""

import json
from pathlib import Path
from typing import Any

from wikifetch.wikitext.tag_names import undirected

TABLED: dict[str, Any] = json.loads(
    Path(__file__).with_name("templates.json").read_text(encoding="utf-8")
)


def template_key(name: str) -> str:
    key = " ".join(undirected(name).replace("_", " ").split()).lower()
    return key.removeprefix("template:").strip()

"""Where in a wiki's HTML what a tag's template made begins, by the data-mw of Parsoid. Pure.

Source: mediawiki.org, Specs/HTML, Transclusion content. A template in the arguments of another has no data-mw, and one
that made half an element is there with all that belongs to it: so only a certain place is told.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from wikifetch.wikihtml.html_blocks import WrittenArticle
from wikifetch.wikitext.tag_names import fold


@dataclass(frozen=True)
class TagCall:
    """A template's folded name and its parameters in the order of their names, as a page's wikitext gives them.

    It is the one with this `number`, from 0, `among` equal ones of the page that are in notes too, or not either: the
    notes are last in the HTML, in an order of their own.
    """

    name: str
    params: tuple[tuple[str, str], ...]
    in_note: bool = False
    number: int = 0
    among: int = 1

    def is_equal(self, other: "TagCall") -> bool:
        """Whether only their numbers may tell them apart."""
        return (self.name, self.params, self.in_note) == (other.name, other.params, other.in_note)


def tag_call(name: str, params: Iterable[tuple[str, str]], *, in_note: bool = False) -> TagCall:
    values = {key.strip(): value.strip() for key, value in params}
    return TagCall(fold(name), tuple(sorted(values.items())), in_note)


def place_of(article: WrittenArticle, call: TagCall) -> int | None:
    """Which piece what it made begins with; None where there are more or fewer equal ones than in the wikitext."""
    notes = [(block.at, block.end) for block in article.blocks if block.kind == "note"]
    equal = []
    for at, data in article.made:
        in_note = any(start <= at < end for start, end in notes)
        made = list(_templates(data))
        if any(call.is_equal(tag_call(*each, in_note=in_note)) for each in made):
            equal.append(at if len(made) == 1 else None)
    is_certain = len(equal) == call.among and (call.among == 1 or not call.in_note)
    return equal[call.number] if is_certain else None


def _templates(data: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Names and parameters of the templates of a data-mw, "" for other parts of it; nothing of an odd one."""
    try:
        parts = json.loads(data)["parts"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    for part in parts if isinstance(parts, list) else ():
        template = part.get("template") if isinstance(part, dict) else None
        name = _wikitext_of(template.get("target")) if isinstance(template, dict) else ""
        given = template.get("params") if isinstance(template, dict) else None
        params = given.items() if isinstance(given, dict) else ()
        yield name, [(key, _wikitext_of(value)) for key, value in params]


def _wikitext_of(value: Any) -> str:
    written = value.get("wt") if isinstance(value, dict) else None
    return written if isinstance(written, str) else ""

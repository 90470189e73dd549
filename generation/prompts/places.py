"""Where a prompt's text has something of a record in it: its places. Pure.

A place is "{field}", or "{list.2}", an element of a list. What else looks like one is refused; other braces, as those
of JSON, are text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from protocols.declaration import WIKICONTRADICT, Declaration, FieldType

# Where the text of a second turn has the first reply.
REPLY = "{reply}"
# Where the text of a prompt has its examples.
SHOTS = "{shots}"
# The elements of a list that have a place: as many as there are letters.
MOST_IN_LIST = 26
_PLACE = re.compile(r"\{([a-z][a-z0-9_-]*(?:\.[1-9][0-9]?)?)\}")
# A word, or one that goes on as a part, an element or a format of a field does.
_WORD = r"\s*\w+(?:\s*\[[^{}\n]*|(?:\s*[.!:?-][^\s{}]*)?\s*)"


@dataclass(frozen=True)
class Places:
    """The places of a protocol's prompts. `question` is that of the question, `passages` are those of passages.

    `known` are all, `named` those that a sentence lists. `reasons` says why a field has none.
    """

    protocol: str
    question: str
    passages: tuple[str, ...]
    known: frozenset[str]
    named: tuple[str, ...]
    reasons: Mapping[str, str]

    @cached_property
    def _alike(self) -> re.Pattern[str]:
        fields = {
            "passage",
            REPLY[1:-1],
            *self.reasons,
            *(name.split(".")[0] for name in self.known),
        }
        stems = {name.rstrip("0123456789") for name in fields} | fields
        words = "|".join(map(re.escape, sorted(stems, key=len, reverse=True)))
        return re.compile(rf"\{{(?:{_WORD}|\s*(?:{words})\b[^{{}}\n]*)\}}", re.IGNORECASE)

    def problem(self, text: str, *more: str) -> str:
        """What looks like a place in the text and is none of these or `more`, as in "has {year}, which is …"; or ""."""
        found = [
            alike[0]
            for alike in self._alike.finditer(text)
            if alike[0][1:-1] not in self.known and alike[0] not in more
        ]
        if not found:
            return ""
        if reason := self.reasons.get(found[0][1:-1]):
            return f"has {found[0]}, {reason}"
        there = ", ".join([*(f"{{{name}}}" for name in self.named), *more])
        strange = ", ".join(sorted(set(found)))
        return f"has {strange}, which is no field of a question. There are {there}."

    def of_text(self, text: str) -> list[str]:
        """The places in a text without their braces, in their order."""
        return [place for place in _PLACE.findall(text) if place in self.known]


FIELDS = ("question", "context1", "context2")
OF_WIKICONTRADICT = Places(
    WIKICONTRADICT, FIELDS[0], FIELDS[1:], frozenset(FIELDS), FIELDS, reasons={}
)


def places_of(declaration: Declaration) -> Places:
    """Those of the fields that it declares; WikiContradict's have words of their own."""
    if declaration.name == WIKICONTRADICT:
        return OF_WIKICONTRADICT
    known: list[str] = []
    named: list[str] = []
    reasons: dict[str, str] = {}
    for field in declaration.fields.values():
        elements = [f"{field.name}.{n}" for n in range(1, MOST_IN_LIST + 1)]
        if field.type == FieldType.LETTER:
            reasons[field.name] = "which is a letter. Show what it stands for."
        elif field.type != FieldType.LIST or field.reads:
            known.append(field.name)
            named.append(field.name)
        else:
            reasons[field.name] = f"which is a list. Name an element of it, as {{{elements[0]}}}."
            named.append(elements[0])
        known += elements if field.type == FieldType.LIST else []
    passages = [name for name, of in declaration.fields.items() if of.type == FieldType.PASSAGE]
    return Places(
        declaration.name,
        declaration.item.question,
        tuple(passages),
        frozenset(known),
        tuple(named),
        reasons,
    )


def filled(text: str, texts: Mapping[str, str]) -> str:
    """The text with what each place holds. In one pass: braces in that are no places."""
    return _PLACE.sub(lambda place: texts.get(place[1], place[0]), text)

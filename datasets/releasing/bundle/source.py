"""What the records of a release are from: a paper, its data, and how both are cited. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from datasets.description import doi_of


@dataclass(frozen=True)
class Source:
    """What the records are from. Each text may be empty; `authors` are names, `paper` and `data` addresses."""

    title: str
    authors: list[str]
    year: str
    citation: str
    paper: str
    data: str

    @property
    def name(self) -> str:
        """Its title; where nobody gave one, how it is cited, where its paper or data are, or who made it."""
        return self.title or self.citation or self.paper or self.data or ", ".join(self.authors)

    @property
    def said(self) -> str:
        """As a sentence."""
        given = f"({self.year}). " if self.year else ""
        return _sentence(self.citation or f"{', '.join(self.authors)} {given}{self.title}".strip())

    @property
    def plain(self) -> str:
        """As a sentence with its addresses."""
        links = (("Paper", self.paper), ("Data", self.data))
        added = [f"{what}: {link}" for what, link in links if link and link not in self.said]
        return " ".join([self.said, *added]).strip()

    @property
    def doi(self) -> str:
        return doi_of(self.paper) or doi_of(self.data)


def _sentence(text: str) -> str:
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."


def names(people: Sequence[Mapping[str, str]]) -> list[str]:
    """The names on one line each, in their order."""
    return [on_one_line(person["name"]) for person in people]


def on_one_line(text: str) -> str:
    return " ".join(text.split())


def source_in(about: Mapping[str, Any], named: str) -> Source | None:
    """The source that was entered, else the one that the records' protocol has `named`; None where there is none."""
    texts = {
        name: on_one_line(about.get(f"source_{name}") or "")
        for name in ("title", "year", "citation", "paper", "data")
    }
    source = Source(authors=names(about.get("source_authors", [])), **texts)
    if source.name:
        return source
    return Source("", [], "", on_one_line(named), "", "") if named else None

"""What the texts of a bundle say of its release. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from datasets.releasing.bundle.asked import Harness
from datasets.releasing.bundle.counted import Annotated, Tally
from datasets.releasing.bundle.fields import Lines
from datasets.releasing.bundle.source import Source


@dataclass(frozen=True)
class DataFile:
    """A file of the bundle below data/; `sha256` in hex."""

    path: str
    label: str
    holds: str
    content_type: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Facts:
    """A release: `frozen` is the moment in UTC; `about` what its collection said of itself (description.py).

    citation: as a sentence. source: what the records are from. protocol: name and version of the one that declares the
    records, else "". `canary`, `protocol_licence` and `protocol_source` are the protocol's. counted, annotated: of the
    rows. left_out: questions; the page of the release says why.
    wikis: the licence of the passages, by the hosts of their wikis.
    subset: the name of the one that is bundled in place of the whole release, else "".
    """

    name: str
    title: str
    version: str
    notes: str
    about: Mapping[str, Any]
    doi: str
    frozen: datetime
    app_version: str
    citation: str
    bibtex: str
    source: Source | None
    protocol: str
    protocol_licence: str
    protocol_source: str
    canary: str
    lines: Lines
    counted: Tally
    annotated: Annotated
    left_out: int
    wikis: Mapping[str, str]
    subset: str
    harnesses: Sequence[Harness]

    def said(self, name: str) -> str:
        """The text of `about`; "" where nobody gave it."""
        return str(self.about.get(name) or "").strip()

    @property
    def from_where(self) -> str:
        """Where the records come from, as it was said and as the source is cited, each on its line."""
        given = (self.said("source"), self.source.plain if self.source else "")
        return "\n".join(dict.fromkeys(filter(None, given)))

    @property
    def keywords(self) -> list[str]:
        return keywords_in(self.about)

    @property
    def lasting(self) -> str:
        """What becomes of the files."""
        how = _SUBSET_LASTS if self.subset else _RELEASE_LASTS
        return how.format(self.frozen)


def keywords_in(about: Mapping[str, Any]) -> list[str]:
    """Those that people gave, once each."""
    given = (" ".join(word.split()) for word in (about.get("keywords") or "").split(","))
    return list(dict.fromkeys(filter(None, given)))


_RELEASE_LASTS = "Frozen on {:%Y-%m-%d}; its files never change. Corrections appear as errata and as new versions."
_SUBSET_LASTS = (
    "Drawn on {:%Y-%m-%d}; its questions never change. Corrections appear in releases of the whole."
)

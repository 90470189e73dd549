"""What the texts of a bundle say of its release. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from datasets.releasing.bundle.asked import Harness
from datasets.releasing.bundle.fields import Lines

NOT_GIVEN = "(not given)"


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

    citation: as a sentence. protocol: name and version of the one that declares the records, else "". `canary`,
    `protocol_licence` and `protocol_source` are the protocol's. left_out: questions; the page of the release says why.
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
    protocol: str
    protocol_licence: str
    protocol_source: str
    canary: str
    lines: Lines
    records: int
    invalid: int
    questions: int
    left_out: int
    wikis: Mapping[str, str]
    subset: str
    harnesses: Sequence[Harness]

    def said(self, name: str) -> str:
        """The text of `about`; "" where nobody gave it."""
        return str(self.about.get(name) or "").strip()

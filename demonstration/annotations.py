"""Two people's annotations of the demonstration's tags, from annotations.json. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

ANNOTATIONS = Path(__file__).parent / "annotations.json"


@dataclass(frozen=True)
class Given:
    """What one person made of one tag.

    title, tag: the article and the tag as written. entries: the form's fields by name (annotation/fields/steps.py).
    review: {"decision": "accept" or "leave", "note"}, or None if the tag is not decided yet. sent_back: the
    reviewer's note, notes_by_field, and what those fields held the first time, or None. flag: why its author
    wants the admin to look at it, or "". skipped: why its author skipped the tag, without entries, or "".
    """

    title: str
    tag: str
    person: str
    entries: Mapping[str, Any] = field(default_factory=dict)
    review: Mapping[str, Any] | None = None
    sent_back: Mapping[str, Any] | None = None
    flag: str = ""
    skipped: str = ""

    @property
    def first_entries(self) -> dict[str, Any]:
        """The entries of the first submission."""
        return {**self.entries, **(self.sent_back["first"] if self.sent_back else {})}


def given() -> dict[tuple[str, str], list[Given]]:
    """(title, tag) -> the two people's, in the order of the file, which has those of a tag together."""
    kept = json.loads(ANNOTATIONS.read_text(encoding="utf-8"))["annotations"]
    by_tag = groupby((Given(**entry) for entry in kept), attrgetter("title", "tag"))
    return {tag: list(of_tag) for tag, of_tag in by_tag}

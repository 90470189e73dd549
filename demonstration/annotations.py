"""Two people's annotations of the demonstration's tags, from annotations.json. Pure."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ANNOTATIONS = Path(__file__).parent / "annotations.json"


@dataclass(frozen=True)
class Given:
    """One person's annotation of one tag.

    title, tag: the article and the tag as written. entries: the form's fields by name (annotation/fields/steps.py).
    review: {"decision": "accept" or "leave", "note"}, or None if the tag is not decided yet. sent_back: the
    reviewer's note, notes_by_field, and what those fields held the first time, or None. flag: why its author
    wants the admin to look at it, or "".
    """

    title: str
    tag: str
    person: str
    entries: dict[str, Any]
    review: dict[str, Any] | None = None
    sent_back: dict[str, Any] | None = None
    flag: str = ""

    @property
    def first_entries(self) -> dict[str, Any]:
        """The entries of the first submission."""
        return self.entries | (self.sent_back["first"] if self.sent_back else {})


@dataclass(frozen=True)
class Skipped:
    """A tag that one person skipped, and why."""

    title: str
    tag: str
    person: str
    reason: str


def given() -> list[Given]:
    """All annotations, in the order of the file."""
    return [Given(**entry) for entry in _kept()["annotations"]]


def annotated_by_two() -> set[tuple[str, str]]:
    """(title, tag) of each tag that two people annotated; the others are left for people who try the app."""
    people = Counter((annotation.title, annotation.tag) for annotation in given())
    return {tag for tag, number in people.items() if number == 2}


def skipped() -> list[Skipped]:
    return [Skipped(**entry) for entry in _kept()["skipped"]]


def _kept() -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(ANNOTATIONS.read_text(encoding="utf-8"))
    return whole

"""The entries of a merged annotation: a choice for each field, and the questions taken. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.fields.steps import QUESTIONS, STEPS
from annotation.fields.walker import Entries, FieldKind, fields_of, kept
from annotation.reviewing.joining import Wording

# The field that another one goes with: a span's place is in its passage.
FOLLOWS = {
    name: name.removesuffix("_at")
    for name, field in fields_of(STEPS).items()
    if field.kind == FieldKind.PLACE
}


@dataclass(frozen=True)
class FieldSources:
    """From which annotation (its id) each field is taken: `base`, unless `by_field` names another."""

    base: int
    by_field: Mapping[str, int] = field(default_factory=dict)

    def source(self, name: str) -> int:
        return self.by_field.get(FOLLOWS.get(name, name), self.base)


def merged(
    annotations: Mapping[int, Entries], choice: FieldSources, questions: Sequence[Wording]
) -> dict[str, Any]:
    """The entries as a submission stores them; without questions if the merged tag is invalid."""
    entries = {name: annotations[choice.source(name)][name] for name in fields_of(STEPS)}
    entries[QUESTIONS.name] = [dict(wording.row) for wording in questions]
    return kept(STEPS, entries)


def sources_of(
    annotations: Mapping[int, Entries],
    choice: FieldSources,
    entries: Entries,
    questions: Sequence[Wording],
) -> set[int]:
    """The annotations that the merged `entries` took something from, be it that a field is left empty."""
    base = annotations[choice.base]
    from_fields = {
        choice.source(name)
        for name in fields_of(STEPS)
        if entries[name] == annotations[choice.source(name)][name] != base[name]
    }
    asked = questions if entries[QUESTIONS.name] else ()
    return {choice.base} | from_fields | {pk for wording in asked for pk in wording.annotations}

"""Contradictions as plain values, a batch in memory at a time: for what reads a whole collection."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db.models import Q, QuerySet

from datasets import schema
from datasets.models import Contradiction, Instance
from datasets.records import BATCH, EXTRA, record_from
from datasets.schema import Slot

READ = ("pk", "external_id", "version", "position", "same_tag_as_id", "unused_answers", "fields")
Keys = Collection[int]


@dataclass(frozen=True)
class StreamedRow:
    """A contradiction: its columns by name, its questions in order, the ids of the others of its tag.

    left_out: the numbers of its questions that are not among them.
    """

    columns: dict[str, Any]
    questions: list[Slot]
    same_tag: list[str]
    left_out: list[int]

    @property
    def record(self) -> dict[str, Any]:
        """The published record, or the one that a protocol declares; its keys are in no order then."""
        declared: dict[str, Any] | None = self.columns["fields"]
        if declared is not None:
            return declared
        return record_from(self.columns, self.questions, self.columns["unused_answers"])


def streamed(contradictions: QuerySet[Contradiction], without: Keys = ()) -> Iterator[StreamedRow]:
    """The rows with their questions; `without` the questions of these ids.

    Each names the other contradictions of its tag that are among the rows; other versions are not in the file.

    One SELECT selects the rows, and their content never changes, so this is a consistent snapshot.
    """
    left_out = frozenset(without)
    values = contradictions.values(*READ, *schema.COLUMNS, *EXTRA)
    rows = values.iterator(chunk_size=BATCH)
    while batch := list(islice(rows, BATCH)):
        questions, gone = _questions([row["pk"] for row in batch], left_out)
        same_tag = _same_tag(contradictions, batch)
        for row in batch:
            key = row["pk"]
            numbers = sorted({*row["left_out"], *gone.get(key, [])})
            yield StreamedRow(
                row, questions.get(key, []), list(same_tag.get(key, {}).values()), numbers
            )


def _questions(keys: Keys, without: Keys) -> tuple[dict[int, list[Slot]], dict[int, list[int]]]:
    """By contradiction, its questions in order, and the numbers of those that are left out."""
    columns = ("n", "question", "answer_1", "answer_2", "derived_1", "derived_2")
    rows = Instance.objects.filter(contradiction__in=keys).order_by("n")
    questions: dict[int, list[Slot]] = {}
    gone: dict[int, list[int]] = {}
    for pk, contradiction, *slot in rows.values_list("pk", "contradiction_id", *columns):
        if pk in without:
            gone.setdefault(contradiction, []).append(slot[0])
        else:
            questions.setdefault(contradiction, []).append(Slot(*slot))
    return questions, gone


def _same_tag(
    contradictions: QuerySet[Contradiction], batch: list[dict[str, Any]]
) -> dict[int, dict[int, str]]:
    """Contradiction -> the others of its tag that are among the rows, in the same order, as {key: external id}."""
    names = {row["pk"]: row["same_tag_as_id"] for row in batch}
    linked = Q(pk__in=set(names.values()) - {None}) | Q(same_tag_as__in=names)
    others = Contradiction.objects.filter(linked).order_by("position", "version")
    named = others.values_list("pk", "external_id", "same_tag_as_id")
    if not (found := {pk: (external_id, other) for pk, external_id, other in named}):
        return {}
    inside = set(contradictions.filter(pk__in=found).order_by().values_list("pk", flat=True))
    pairs = [
        *((pk, other) for pk, other in names.items() if other),
        *((named, pk) for pk, (_, named) in found.items() if named in names),
    ]
    order = {pk: place for place, pk in enumerate(found)}
    same_tag: dict[int, dict[int, str]] = {}
    for pk, other in sorted(pairs, key=lambda pair: order[pair[1]]):
        if other in inside:
            same_tag.setdefault(pk, {})[other] = found[other][0]
    return same_tag

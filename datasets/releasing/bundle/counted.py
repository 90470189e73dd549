"""What is counted of a release while its lines are written. Pure."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from datasets.releasing.bundle.asked import Asked
from datasets.releasing.bundle.fields import LineFile
from datasets.releasing.bundle.licences import HEADER, host_of
from datasets.schema import INVALID

ANNOTATED = (
    "statement_1", "statement_2", "span_1", "span_2", "valid_comment", "contradict_comment", "qa_comment",
)  # fmt: skip
PASSAGES = ("passage_1_copied", "passage_1_standalone", "passage_2_copied", "passage_2_standalone")


@dataclass(frozen=True)
class Lengths:
    """Of the texts of a field, in characters; of those that are not empty."""

    n: int
    least: int
    median: int
    most: int


@dataclass(frozen=True)
class Annotated:
    """Who annotated records, as far as it is known here.

    people: how many. per_record: number of people who annotated a record's tag -> how many records. agreement: a
    sentence for each round of each campaign.
    """

    people: int = 0
    per_record: Mapping[int, int] = field(default_factory=dict)
    agreement: Sequence[str] = ()

    @property
    def per_item(self) -> str:
        """How many people annotated each, in words; "" where it is not known."""
        parts = [
            f"{n} {'person' if n == 1 else 'people'}: {records}"
            for n, records in sorted(self.per_record.items())
        ]
        return (
            f"Records by how many people annotated their tag: {', '.join(parts)}." if parts else ""
        )


@dataclass
class Tally:
    """Counts of a release. `passage_letters` are characters, by the host of the wiki."""

    records: int = 0
    invalid: int = 0
    questions: int = 0
    answers: int = 0
    inferred: int = 0
    passages: int = 0  # with each revision that one is from
    with_revision: int = 0
    annotation_letters: int = 0
    keys: set[int] = field(default_factory=set)
    example: dict[str, Any] = field(default_factory=dict)
    kinds: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    sizes: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    passage_letters: Counter[str] = field(default_factory=Counter)

    def count_record(self, columns: Mapping[str, Any], *, is_asked: bool) -> None:
        """A record, with a question or not; one of a protocol is left out with its question."""
        if columns["fields"] is not None and not is_asked:
            return
        self.records += 1
        self.invalid += columns["validity"] == INVALID
        self.keys.add(columns["pk"])
        self.annotation_letters += _letters(columns, ANNOTATED)
        self.passage_letters[host_of(columns["url"])] += _letters(columns, PASSAGES)

    def count_question(self, asked: Asked, of: LineFile, line: Mapping[str, Any]) -> None:
        """A question with its line."""
        slot = asked.slot
        self.example = self.example or dict(line)
        self.annotation_letters += _letters(vars(slot), ("question", "answer_1", "answer_2"))
        self.answers += bool(slot.answer_1) + bool(slot.answer_2)
        self.inferred += slot.derived_1 + slot.derived_2
        for declared in of.fields:
            value = line[declared.name]
            if declared.is_kind and value is not None:
                self.kinds[declared.name][_word(value)] += 1
            if declared.is_text and value:
                self.sizes[declared.name][len(value)] += 1

    def seen(self, attribution: tuple[object, ...]) -> tuple[object, ...]:
        """A line of attribution.csv, counted."""
        self.passages += 1
        self.with_revision += bool(attribution[HEADER.index("permalink")])
        return attribution

    def lengths(self, name: str) -> Lengths:
        sizes = sorted(self.sizes[name].elements())
        return Lengths(len(sizes), sizes[0], sizes[(len(sizes) - 1) // 2], sizes[-1])


def _letters(columns: Mapping[str, Any], names: Sequence[str]) -> int:
    return sum(len(columns[name] or "") for name in names)


def _word(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)

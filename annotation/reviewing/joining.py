"""Join the questions of several annotations of one tag. Pure.

Two are doubles if question and answers are equal as the checks take them (matching.answer_key). The same question
with other answers contradicts; the reviewer chooses one of them, or neither.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotation.fields.matching import answer_key
from annotation.fields.walker import Entries
from leases.refusal import Refusal

NEITHER = "none"
Answers = tuple[str, str]


@dataclass(frozen=True)
class QuestionSource:
    """A question as one annotation has it: its number there, from 1, and its row of the form."""

    annotation: int
    n: int
    row: Entries


@dataclass
class Wording:
    """A question with its two answers; several sources are doubles, of which the first is taken."""

    sources: list[QuestionSource]

    @property
    def key(self) -> str:
        return f"{self.sources[0].annotation}-{self.sources[0].n}"

    @property
    def row(self) -> Entries:
        return self.sources[0].row

    @property
    def annotations(self) -> list[int]:
        return list(dict.fromkeys(source.annotation for source in self.sources))


@dataclass
class AskedQuestion:
    """One question with its wordings by their answers; more than one contradict each other."""

    wordings: dict[Answers, Wording] = field(default_factory=dict)

    @property
    def contradicts(self) -> bool:
        return len(self.wordings) > 1

    @property
    def is_swapped(self) -> bool:
        """Whether two have the same answers in the other order, as if their passages were swapped."""
        return any(
            (second, first) in self.wordings for first, second in self.wordings if first != second
        )

    @property
    def question(self) -> str:
        return str(next(iter(self.wordings.values())).row["question"])


def joined_questions(questions: Mapping[int, Iterable[Entries]]) -> list[AskedQuestion]:
    """The questions of all annotations (id to rows), in the order in which they come first."""
    asked: dict[str, AskedQuestion] = {}
    for annotation, rows in questions.items():
        for n, row in enumerate(rows, start=1):
            question = asked.setdefault(answer_key(row["question"]), AskedQuestion())
            answers = (answer_key(row["answer_1"]), answer_key(row["answer_2"]))
            question.wordings.setdefault(answers, Wording([])).sources.append(
                QuestionSource(annotation, n, row)
            )
    return list(asked.values())


def picked_wordings(
    asked: Sequence[AskedQuestion], picks: Mapping[int, Sequence[str]]
) -> list[Wording]:
    """The wordings that the reviewer picked: index in `asked` to their keys, or NEITHER.

    Raises Refusal if answers contradict, unless exactly one of them or NEITHER is picked.
    """
    result = []
    for index, question in enumerate(asked):
        keys = picks.get(index, [])
        if question.contradicts and len(keys) != 1:
            raise Refusal(
                f"“{question.question}” has different answers in these annotations. Choose one of them, or neither."
            )
        result += [wording for wording in question.wordings.values() if wording.key in keys]
    return result

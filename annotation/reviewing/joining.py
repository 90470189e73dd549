"""Join the questions of several annotations of one tag. Pure.

Two are doubles if question and answers are equal as the checks take them (matching.answer_key). The same question
with other answers contradicts; the reviewer chooses one of them, or neither. Two that are nearly equal are pointed out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from annotation.fields.matching import FILLERS, answer_key, folded_words
from annotation.fields.walker import Entries
from leases.refusal import Refusal

NEITHER = "none"
YES_NO = frozenset({"yes", "no"})
# Words that say what is asked for; the others say of what.
_ASKING = "who whom whose what which when where why how many much long year date time"
ASKING = frozenset(_ASKING.split())
# Of the questions of one annotator, which are meant to differ, this finds few: in 7 of the 83 published records with
# several questions, 19 of 216 pairs.
NEARLY = 0.8
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
    if unsettled := {
        f"question-{index}": [
            f"“{question.question}” has different answers in these annotations. Choose one of them, or neither."
        ]
        for index, question in enumerate(asked)
        if question.contradicts and len(picks.get(index, [])) != 1
    }:
        raise Refusal(next(iter(unsettled.values()))[0], fields=unsettled)
    return [
        wording
        for index, question in enumerate(asked)
        for wording in question.wordings.values()
        if wording.key in picks.get(index, [])
    ]


def are_alike(first: Entries, second: Entries) -> bool:
    """Whether two questions (rows of the form) are nearly equal: the same answers, or nearly the same words."""
    answers = [_answers(row) for row in (first, second)]
    yes_no = [{*both} <= YES_NO for both in answers]
    if yes_no[0] != yes_no[1]:
        return False
    if not yes_no[0] and Counter(answers[0]) == Counter(answers[1]):
        return True
    words = [_subject(row["question"]) for row in (first, second)]
    is_near = len(words[0] & words[1]) >= NEARLY * max(len(words[0] | words[1]), 1)
    return is_near and (not yes_no[0] or answers[0] == answers[1])


def alike_pairs(wordings: Iterable[Wording]) -> Iterator[tuple[Wording, Wording]]:
    """Those of different annotations that are nearly equal."""
    for first, second in combinations(wordings, 2):
        if not {*first.annotations} & {*second.annotations} and are_alike(first.row, second.row):
            yield first, second


def _answers(row: Entries) -> tuple[str, str]:
    one, two = (
        " ".join(word for word in folded_words(row[name]) if word not in FILLERS)
        or answer_key(row[name])
        or row[name]
        for name in ("answer_1", "answer_2")
    )
    return one, two


def _subject(question: str) -> frozenset[str]:
    return frozenset(folded_words(question)) - FILLERS - ASKING

"""How well a judge model's verdicts match people's. Pure.

Source: WikiContradict (Hou et al. 2024), table 4. A reply without a verdict (unparsed) is a miss: wrong in
accuracy and in recall, absent from precision, and no label of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

NO_ITEMS = "No response has both a person's final verdict and the judge model's reply."
NOT_PREDICTED = "The judge model never gave this verdict."
NO_SUPPORT = "People gave this verdict to no response."
UNUSED = "Neither people nor the judge model gave this verdict."
MACRO_LACKS = (
    "A verdict that neither people nor the judge model gave has no F, so there is no mean over all."
)


@dataclass(frozen=True)
class CountedShare:
    """`k` of `n`; where n is 0, `reason` says why there is no share."""

    k: int
    n: int
    reason: str = ""

    @property
    def value(self) -> float | None:
        return self.k / self.n if self.n else None


@dataclass(frozen=True)
class ClassScore:
    """One verdict: precision, recall and their harmonic mean `f` (None where undefined, `reason` says why)."""

    label: str
    precision: CountedShare
    recall: CountedShare
    f: float | None
    reason: str = ""


@dataclass(frozen=True)
class JudgeScores:
    """All of a judge model's scores over `n` responses, `unparsed` of them without a verdict.

    `macro_f` is the mean of the unrounded F of every label; None with a reason where one has none.
    """

    n: int
    unparsed: int
    accuracy: CountedShare
    classes: tuple[ClassScore, ...]
    macro_f: float | None
    reason: str = ""


def scores(
    table: Sequence[Sequence[int]], unparsed: Sequence[int], labels: Sequence[str]
) -> JudgeScores:
    """From a k x k table, rows people's verdicts and columns the judge model's, in the order of `labels`.

    `unparsed` holds, for each of people's verdicts, how many replies had none. Raises ValueError for another
    shape, or a count below 0.
    """
    size = len(labels)
    if len(table) != size or any(len(row) != size for row in table) or len(unparsed) != size:
        raise ValueError(
            f"{size} labels need {size} x {size} counts and {size} of unparsed replies."
        )
    if any(count < 0 for row in (*table, unparsed) for count in row):
        raise ValueError("Counts are not below 0.")
    people = [sum(row) + missed for row, missed in zip(table, unparsed, strict=True)]
    n, right = sum(people), sum(table[i][i] for i in range(size))
    classes = tuple(
        _class(label, table[i][i], sum(row[i] for row in table), people[i])
        for i, label in enumerate(labels)
    )
    values = [score.f for score in classes if score.f is not None]
    whole = len(values) == size > 0
    return JudgeScores(
        n=n,
        unparsed=sum(unparsed),
        accuracy=CountedShare(right, n, "" if n else NO_ITEMS),
        classes=classes,
        macro_f=sum(values) / size if whole else None,
        reason="" if whole else (MACRO_LACKS if n else NO_ITEMS),
    )


def _class(label: str, hits: int, predicted: int, actual: int) -> ClassScore:
    used = predicted + actual
    return ClassScore(
        label,
        precision=CountedShare(hits, predicted, "" if predicted else NOT_PREDICTED),
        recall=CountedShare(hits, actual, "" if actual else NO_SUPPORT),
        # 2PR / (P + R), which is 0/0 where there is no hit, written without that.
        f=2 * hits / used if used else None,
        reason="" if used else UNUSED,
    )

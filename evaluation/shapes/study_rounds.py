"""The rounds of a study as a report holds them. Pure."""

from typing import TypedDict

from evaluation.statistics.coefficient import PairTable


class StudyRound(TypedDict):
    """A round of a study of several: `final` counts the final verdicts that are its own, `responses` what it judged.

    `counts`: its verdicts replaced earlier ones. `could_read` of its judges could read those.
    """

    n: int
    rubric: str
    reason: str
    counts: bool
    could_read: int
    responses: int
    final: int
    opened: str
    closed: str | None


class ReopenedRound(TypedDict):
    """A closed round that was opened again on a day (ISO, UTC)."""

    n: int
    reason: str
    could_read: int
    day: str


class ChangedVerdicts(PairTable):
    """The verdicts that two `rounds` ended with on the same `n` responses, those of the earlier in rows."""

    rounds: list[int]
    n: int


class StudyRounds(TypedDict):
    """The rounds of a study, and how far their verdicts on the same responses agree."""

    population: str
    rounds: list[StudyRound]
    reopened: list[ReopenedRound]
    changed: list[ChangedVerdicts]

"""The agreement of judges as a report holds it. Pure."""

from typing import TypedDict

from evaluation.statistics.bootstrap import Resampling
from evaluation.statistics.coefficient import Coefficient, PairTable
from evaluation.statistics.sliced import SlicedAgreement


class JudgePair(PairTable):
    """Two judges of the responses to one prompt."""

    judges: list[str]


class JudgeRepeats(PairTable):
    """A judge's earlier verdicts (rows) against their later ones on the same `n` responses."""

    judge: str
    n: int


class SelfAgreement(TypedDict):
    """The agreement of judges with themselves."""

    population: str
    n: int
    reason: str
    judges: list[JudgeRepeats]


class AgreementPortion(TypedDict):
    """Agreement on a part of the responses, and the days (ISO) of their last first verdicts."""

    since: str | None
    until: str | None
    n: int
    coefficients: list[Coefficient]


class AgreementThird(AgreementPortion):
    """A third of the responses, by when each got its last first verdict: `part` is 1 to 3."""

    part: int


class PromptAgreement(TypedDict):
    """Agreement on the responses to one prompt in one round: each two judges, all of them, and thirds of the work.

    `round` is its number, None where the study has one round only; `final` counts the final verdicts on the prompt
    that the round gives, `n` its responses with two first verdicts; `labels` are the scale of its rubric.
    """

    prompt: str
    round: int | None
    final: int
    labels: list[str]
    since: str | None
    until: str | None
    n: int
    reason: str
    pairs: list[JudgePair]
    all: list[Coefficient]
    over_time: list[AgreementThird]


class SliceOf(TypedDict):
    """A value of a slice of a protocol's records; `round` is a number, None where the study has one round only."""

    slice: str
    title: str
    value: str
    round: int | None


class SliceAgreement(SliceOf, SlicedAgreement):
    """Agreement on the responses about records with this value, over all prompts."""


class JudgeAgreement(TypedDict):
    """Agreement between judges, or the reason why it was not measured.

    `prompts` has an entry for each prompt and each round that gives final verdicts, `other_rounds` one for each of the
    rounds that give none: no share of the report rests on those. Rounds are never taken together.
    """

    population: str
    measured: bool
    reason: str
    interval: Resampling
    prompts: list[PromptAgreement]
    other_rounds: list[PromptAgreement]
    self: SelfAgreement

"""The agreement of a campaign's annotators as data: what its JSON and a report hold. Pure."""

from typing import TypedDict

from evaluation.statistics.bootstrap import Resampling
from evaluation.statistics.coefficient import Coefficient


class AnnotatorPair(TypedDict):
    """The agreement of two annotators; `table` has the first one's labels in rows, and is empty for an overlap.

    Its `labels` are the measure's; of a dimension the sets that one of the two chose.
    """

    annotators: list[str]
    labels: list[str]
    table: list[list[int]]
    coefficients: list[Coefficient]


class MeasureAgreement(TypedDict):
    """Agreement on one measure (measures.py): over all annotators, and of each two.

    `counts` are how often each of `labels` was given on the tags that count; both are empty for an overlap.
    """

    key: str
    kind: str
    labels: list[str]
    counts: list[int]
    all: list[Coefficient]
    pairs: list[AnnotatorPair]


class StageAgreement(TypedDict):
    """One population of a round: `tags` with two or more annotations, `comparisons` of each two of them.

    `after_seeing` of these comparisons have an annotation that was made after its author saw others of the tag.
    """

    stage: str
    tags: int
    comparisons: int
    after_seeing: int
    annotators: list[str]
    measures: list[MeasureAgreement]


class RoundAgreement(TypedDict):
    """One round: how many of its tags have an annotation, and its populations."""

    round: int
    annotated: int
    stages: list[StageAgreement]


class AnnotatorAgreement(TypedDict):
    """The agreement of a campaign's annotators, or the reason why it was not measured."""

    campaign: str
    is_demonstration: bool
    measured: bool
    reason: str
    interval: Resampling
    rounds: list[RoundAgreement]

"""Differences of shares, by family, as a report holds them. Pure."""

from typing import TypedDict


class DifferenceEnds(TypedDict):
    """The 95 % interval of a difference, by resampling articles."""

    low: float | None
    high: float | None
    clusters: int
    interval_reason: str


class ComparedCounts(TypedDict):
    """The two shares that are compared: `k_1` of `n_1` and `k_2` of `n_2`."""

    k_1: int
    n_1: int
    k_2: int
    n_2: int


class Gain(DifferenceEnds, ComparedCounts):
    """The difference of two shares on one kind of questions."""

    value: float | None


class ComparisonSides(TypedDict, total=False):
    """The two shares that are compared, as in ComparedCounts, and McNemar's p where they are paired."""

    k_1: int
    n_1: int
    k_2: int
    n_2: int
    only_first: int | None
    only_second: int | None
    p_exact: float | None
    p_exact_corrected: float | None


class Gains(TypedDict, total=False):
    """The two differences that a difference of gains compares."""

    explicit: Gain
    implicit: Gain


class Comparison(DifferenceEnds, ComparisonSides, Gains):
    """A difference (the second side less the first) with its p-values; it has sides, or gains."""

    model: str
    prompt: str
    first: str
    second: str
    value: float | None
    p_clustered: float | None
    p_clustered_corrected: float | None
    within: str
    reason: str


class ComparisonFamily(TypedDict):
    """Comparisons whose p-values are corrected together; `margin` is that of equivalence, a share."""

    key: str
    title: str
    kind: str
    margin: float | None
    reason: str
    rows: list[Comparison]


class Comparisons(TypedDict):
    """The families of a report, on the share of one verdict; `correction` names how p-values are corrected in each."""

    population: str
    verdict: str
    seed: int
    resamples: int
    method: str
    correction: str
    families: list[ComparisonFamily]

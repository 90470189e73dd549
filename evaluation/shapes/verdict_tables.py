"""Shares, tables of verdicts, and how final verdicts came about, as a report holds them. Pure."""

from typing import TypedDict

from evaluation.statistics.tables import VerdictLine

SLICE_LABELS = {"all": "All", "explicit": "Explicit", "implicit": "Implicit", "untyped": "No type"}
# Why a response has no final verdict.
INCOMPLETE, WAITING, SKIPPED, DISAGREEMENT, ABSENT = (
    "incomplete", "waiting", "skipped", "disagreement", "absent",
)  # fmt: skip
# Each kind as a label, and in a sentence: of one response, and of several.
KINDS = {
    DISAGREEMENT: ("Open disagreement", "open disagreement", "open disagreements"),
    SKIPPED: ("Skipped by a judge", "skipped by a judge", "skipped by a judge"),
    INCOMPLETE: (
        "Not judged by all its judges",
        "not judged by all its judges",
        "not judged by all their judges",
    ),
    WAITING: ("Still being judged", "still being judged", "still being judged"),
    ABSENT: ("Without a verdict in the file",) + ("without a verdict in the file",) * 2,
}


class ClusterEnds(TypedDict):
    """A 95 % interval by resampling articles."""

    cluster_low: float | None
    cluster_high: float | None
    clusters: int | None
    cluster_reason: str


class Ends(ClusterEnds):
    """The same, and Wilson's interval (`low`, `high`)."""

    low: float | None
    high: float | None


class Share(Ends):
    """`k` of `n`, with both intervals."""

    k: int
    n: int


class VerdictCell(Share):
    """A cell of a table: the responses with one verdict, of a model under a prompt in a slice of questions.

    `lowest` and `highest` are its shares if none of the responses without a verdict had this one, or all had.
    """

    prompt: str
    model: str
    slice: str
    verdict: str
    lowest: float | None
    highest: float | None


class VerdictTable(TypedDict):
    """A table of verdicts: its cells (`rows`), its lines, and how its intervals were made."""

    name: str
    population: str
    rows: list[VerdictCell]
    lines: list[VerdictLine]
    seed: int
    resamples: int
    method: str
    cluster_method: str


class ResolutionWay(TypedDict):
    """How many final verdicts came about in one way; or, where `final` is false, why so many responses have none.

    All ways together are a partition of the responses that are not excluded.
    """

    how: str
    label: str
    count: int
    final: bool

"""The scores of a study's report: populations and tables as its protocol declares them, with their figures. Pure."""

from typing import Any, NotRequired, TypedDict

from evaluation.shapes.verdict_tables import Ends
from evaluation.statistics.score_tables import ScoreColumn
from evaluation.statistics.validation import Validation


class ReportProtocol(TypedDict):
    """The protocol that declares a study's records; `sha256` is that of its file, `cluster` what intervals resample."""

    name: str
    version: int
    title: str
    source: str
    licence: str
    notes: list[str]
    sha256: str
    cluster: str


class ScoredPrompt(TypedDict):
    """A prompt that is scored: its key in rows, its name in the protocol, its tags."""

    key: str
    name: str
    tags: dict[str, str]


class PopulationCount(TypedDict):
    """Of a model's questions (by sample), `k` are in the population, of the `n` that have what its conditions ask for.

    `incomplete` ones lack a finished response; `excluded` ones are in no count.
    """

    model: str
    k: int
    n: int
    incomplete: int
    excluded: int


class ScorePopulation(TypedDict):
    """A population as declared, model by model."""

    name: str
    title: str
    all: list[dict[str, Any]]
    models: list[PopulationCount]


class ScoreMeasure(TypedDict):
    """A measure as declared: one of share, mean and ratio."""

    name: str
    title: str
    label: NotRequired[str]
    share: NotRequired[dict[str, str]]
    mean: NotRequired[dict[str, str]]
    ratio: NotRequired[list[str]]


class ScoreFigure(Ends):
    """A figure of a table, by the places of its line and column; `k` of `n` with Wilson's interval where it is that.

    `n` alone is that of a mean over responses. `states` counts those without a label, and those that are not there.
    Skipped ones count 0: where there are some, `without_skipped` is the value of the n less those.
    """

    line: int
    column: int
    measure: str
    value: float | None
    k: int | None
    n: int | None
    reason: str
    states: dict[str, int]
    without_skipped: NotRequired[float | None]


class ScoreTable(TypedDict):
    """A table as declared, its lines and columns by their values; `outside` responses fit it and are in no column."""

    name: str
    title: str
    origin: str
    where: NotRequired[dict[str, str | list[str]]]
    rows: list[str]
    columns: list[str]
    cells: list[str]
    outside: int
    lines: list[list[str]]
    columns_shown: list[ScoreColumn]
    figures: list[ScoreFigure]


class ReportValidation(Validation):
    """People's verdicts next to a scorer's labels, as declared."""

    name: str
    title: str
    origin: str
    people: str
    scorer: str
    label: str
    by: NotRequired[str]


class ReportScores(TypedDict):
    """The scores of a report, and how their intervals were made. Scorers are as declared, by their names."""

    prompts: list[ScoredPrompt]
    scorers: list[dict[str, Any]]
    populations: list[ScorePopulation]
    measures: list[ScoreMeasure]
    tables: list[ScoreTable]
    validations: list[ReportValidation]
    seed: int
    resamples: int
    method: str
    cluster_method: str

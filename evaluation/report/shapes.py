"""The parts of a report as data: what its JSON holds, and what pages, LaTeX and CSV read. Pure.

Shares and ends of intervals are numbers from 0 to 1 (coefficients from -1 to 1), None where they do not exist; then
`reason` says why. Prompts are named by their labels, models and judges by the names that the report shows.
"""

from typing import NotRequired, TypedDict

from evaluation.annotators.shapes import AnnotatorAgreement
from evaluation.statistics.bootstrap import Resampled, Resampling
from evaluation.statistics.coefficient import Coefficient
from evaluation.statistics.tables import Line

# The format of a report's data: any change of its shape raises it. Of a stored report of another format the program
# offers the bytes, and reads nothing else (archive/bundles.py).
FORMAT = 5
# The format of the rows that a report is computed from (rows/hashing.py).
ROWS_FORMAT = 4

# ---------------------------------------------------------------- agreement


class ClassIntervals(TypedDict):
    """The intervals of two numbers of a label; the other two have none."""

    kappa: Resampled | None
    specific_agreement: Resampled | None


class ClassAgreement(TypedDict):
    """The agreement of two judges on one label, all others taken together."""

    label: str
    kappa: float | None
    reason: str
    specific_agreement: float | None
    prevalence: float | None
    bias: float | None
    clustered: ClassIntervals


class PairTable(TypedDict):
    """The table of two judges (rows the first one's verdicts), and all that is computed from it."""

    labels: list[str]
    table: list[list[int]]
    coefficients: list[Coefficient]
    per_class: list[ClassAgreement]
    warning: str


class Pair(PairTable):
    """Two judges of the responses to one prompt."""

    judges: list[str]


class Own(PairTable):
    """A judge's earlier verdicts (rows) against their later ones on the same `n` responses."""

    judge: str
    n: int


class OwnAgreement(TypedDict):
    """The agreement of judges with themselves."""

    population: str
    n: int
    reason: str
    judges: list[Own]


class Portion(TypedDict):
    """Agreement on a part of the responses, and the days (ISO) of their last first verdicts."""

    since: str | None
    until: str | None
    n: int
    coefficients: list[Coefficient]


class Third(Portion):
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
    pairs: list[Pair]
    all: list[Coefficient]
    over_time: list[Third]


class Agreement(TypedDict):
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
    self: OwnAgreement


# ---------------------------------------------------------------- verdicts


class ClusterEnds(TypedDict):
    """A 95 % interval by resampling articles."""

    cluster_low: float | None
    cluster_high: float | None
    clusters: int | None
    cluster_reason: str


class Share(ClusterEnds):
    """`k` of `n`, with Wilson's interval (`low`, `high`) and the one by resampling articles."""

    k: int
    n: int
    low: float | None
    high: float | None


class Cell(Share):
    """A cell of a table: the responses with one verdict, of a model under a prompt in a slice of questions.

    `lowest` and `highest` are the shares that it would have if no response without a verdict had this one, or all had.
    """

    prompt: str
    model: str
    slice: str
    verdict: str
    lowest: float | None
    highest: float | None


class Table(TypedDict):
    """A table of verdicts: its cells (`rows`), its lines, and how its intervals were made."""

    name: str
    population: str
    rows: list[Cell]
    lines: list[Line]
    seed: int
    resamples: int
    method: str
    cluster_method: str


class StudyRound(TypedDict):
    """A round of a study of several: `final` counts the final verdicts that are its own, `responses` what it judged.

    `counts`: its verdicts took the place of earlier ones. `could_read`: so many of its judges could read those.
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


class Reopened(TypedDict):
    """A closed round that was opened again on a day (ISO, UTC)."""

    n: int
    reason: str
    could_read: int
    day: str


class Changed(PairTable):
    """The verdicts that two `rounds` ended with on the same `n` responses, those of the earlier in rows."""

    rounds: list[int]
    n: int


class Rounds(TypedDict):
    """The rounds of a study, and how far their verdicts on the same responses agree."""

    population: str
    rounds: list[StudyRound]
    reopened: list[Reopened]
    changed: list[Changed]


class Way(TypedDict):
    """How many final verdicts came about in one way; or, where `final` is false, why so many responses have none.

    All ways together are a partition of the responses that are not excluded.
    """

    how: str
    label: str
    count: int
    final: bool


# ---------------------------------------------------------------- comparisons


class DifferenceEnds(TypedDict):
    """The 95 % interval of a difference, by resampling articles."""

    low: float | None
    high: float | None
    clusters: int
    interval_reason: str


class Counts(TypedDict):
    """The two shares that are compared: `k_1` of `n_1` and `k_2` of `n_2`."""

    k_1: int
    n_1: int
    k_2: int
    n_2: int


class Gain(DifferenceEnds, Counts):
    """The difference of two shares on one kind of questions."""

    value: float | None


class Sides(TypedDict, total=False):
    """The two shares that are compared, as Counts has them, and McNemar's p where they are paired."""

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


class Comparison(DifferenceEnds, Sides, Gains):
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


class Family(TypedDict):
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
    families: list[Family]


# ---------------------------------------------------------------- judge models


class ScoreShare(Share):
    """A score that is a share: accuracy, precision, recall."""

    reason: str


class Score(ClusterEnds):
    """A score that is no share: F and macro-F."""

    value: float | None
    reason: str


class ClassScores(TypedDict):
    """The scores of one verdict."""

    label: str
    precision: ScoreShare
    recall: ScoreShare
    f: Score


class WhoseShare(ScoreShare):
    """The share of one verdict, given by people or by the judge model (`whose`)."""

    whose: str
    verdict: str


class ModelVerdicts(TypedDict):
    """The verdicts on one model's responses, from people and from the judge model, by verdict."""

    model: str
    n: int
    people: dict[str, int]
    judge: dict[str, int]
    shares: list[WhoseShare]


class Scores(TypedDict):
    """How well a judge model's verdicts match people's."""

    n: int
    unparsed: int
    accuracy: ScoreShare
    macro_f: Score
    classes: list[ClassScores]


class CountedScores(Scores):
    """Scores with what they are computed from: people's verdicts in rows, the judge model's across."""

    table: list[list[int]]
    unparsed_by_verdict: list[int]


class HalfScores(CountedScores):
    """The scores on one half of the articles: `half` is held_out or development."""

    half: str


class PromptScores(CountedScores):
    """The scores on the responses to one prompt."""

    prompt: str
    without_final_verdict: int
    models: list[ModelVerdicts]
    halves: list[HalfScores]


class JudgeModel(TypedDict):
    """A judge model: how far it is, its scores against people, and its verdicts on everything.

    Of its replies, by number: `replies` by what they hold, `versions` by version of the rubric, `other_versions` those
    by one that counts no more, `itself` those on responses of `own_models`, which are the same model.
    """

    id: int
    judge: str
    from_file: bool
    prompt_sha256: str
    judge_prompt: str
    states: dict[str, int]
    spellings: dict[str, int]
    replies: dict[str, int]
    versions: dict[str, int]
    other_versions: int
    own_models: list[str]
    itself: int | None
    population: str
    method: str
    cluster_method: str
    prompts: list[PromptScores]
    table: Table


class Halves(TypedDict):
    """How many articles each half has, and how many judge models were `tried` on the held-out one."""

    development: int
    held_out: int
    tried: int
    seed: int


# ---------------------------------------------------------------- the whole


class Prompt(TypedDict):
    """A prompt; `one_passage` whether it gives a model one of the two passages."""

    name: str
    label: str
    title: str
    one_passage: bool


class Model(TypedDict):
    """A model, by the name that the report shows."""

    id: int
    name: str


class Verdict(TypedDict):
    """A verdict and how it is shown; a report has them from worst to best."""

    key: str
    label: str


class Change(TypedDict):
    """`n` lost or gained, and why."""

    n: int
    reason: str


class Step(TypedDict):
    """`n` of `unit` are left at a step of the way from tags to tables."""

    key: str
    label: str
    n: int
    unit: str
    lost: list[Change]
    gained: list[Change]


class Flow(TypedDict):
    """The way from tags to tables; `begins` is "campaign", "collection", or "" without responses."""

    begins: str
    note: str
    steps: list[Step]


class Day(TypedDict):
    """The number of first verdicts given on a day (ISO, UTC)."""

    day: str
    verdicts: int


class StudyName(TypedDict):
    """The study that a report is of."""

    id: int
    name: str


class Subset(TypedDict):
    """How the questions of a study were drawn: `drawn` of the `frame`, which `query` describes, by lots from `seed`.

    `by` is the slice that made the strata, "" for none.
    """

    name: str
    query: str
    by: str
    drawn: int
    frame: int
    seed: int


class Study(StudyName):
    """Who judged what, as counts."""

    slug: str
    state: str
    is_demonstration: bool
    is_imported: bool
    judges_per_response: int
    pairing: str
    double_percent: int
    repeat_percent: int
    without_own: bool
    own_verdicts: list[int]
    subset: NotRequired[Subset]
    resolved_by: str
    rubric: str
    order: str
    seed: int
    responses: int
    instances: int
    articles: int
    excluded_instances: int
    judges: int


class Snapshot(TypedDict):
    """What the report was computed from: the hash of its rows, and the hash of itself once it is sealed."""

    id: int | None
    sha256: str
    rows: int
    rows_format: int
    app_version: str
    body_sha256: NotRequired[str]


class Subject(TypedDict):
    """What comparisons name: the prompts and models of a study."""

    prompts: list[Prompt]
    models: list[Model]


class Compared(Subject):
    """Comparisons with the prompts and models that they name: a part of a report, or an answer of its own."""

    comparisons: Comparisons


class Answer(Compared):
    """The comparisons that a researcher asked for."""

    study: StudyName


class Report(Compared):
    """The report of a study. `display` is how a researcher names and orders its parts in a paper, as a query.

    `halves` are there where judge models are, `rounds` where there were several or one was opened again.
    """

    format: int
    study: Study
    snapshot: Snapshot
    population: str
    verdicts: list[Verdict]
    agreement: Agreement
    tables: list[Table]
    judge_models: list[JudgeModel]
    halves: NotRequired[Halves]
    resolution: list[Way]
    flow: Flow
    days: list[Day]
    annotators: list[AnnotatorAgreement]
    rounds: NotRequired[Rounds]
    display: NotRequired[dict[str, str]]

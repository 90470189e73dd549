"""The report of a study as data. Pure."""

from typing import NotRequired, TypedDict

from evaluation.shapes.annotator_agreement import AnnotatorAgreement
from evaluation.shapes.judge_agreement import JudgeAgreement, SliceAgreement
from evaluation.shapes.judge_models import JudgeModel, ReportHalves
from evaluation.shapes.score_tables import ReportProtocol, ReportScores
from evaluation.shapes.share_differences import Comparisons
from evaluation.shapes.study_rounds import StudyRounds
from evaluation.shapes.verdict_tables import ResolutionWay, VerdictTable

# The format of a report's data: any change of its shape raises it. A stored report of another format is served as it
# is, and not read (archive/bundles.py).
FORMAT = 5
# The format of the rows that a report is computed from (rows/hashing.py).
ROWS_FORMAT = 4
# The same with scores and slices, where the protocol has scorers.
SCORED_FORMAT = 5


class ReportPrompt(TypedDict):
    """A prompt; `one_passage` whether it gives a model one of the two passages of WikiContradict.

    `origin` says where the text of another protocol's prompt is from, "" of one that a person wrote. `judged` false:
    the study's rubric has nothing on it, and people judge no response to it.
    """

    name: str
    label: str
    title: str
    one_passage: bool
    origin: NotRequired[str]
    judged: NotRequired[bool]


class ReportModel(TypedDict):
    """A model, by the name that the report shows."""

    id: int
    name: str


class ReportVerdict(TypedDict):
    """A verdict as its rubric declares it (judging/rules/verdict_scale.py); a report has them in its order."""

    key: str
    label: str
    tone: NotRequired[str]
    best: NotRequired[bool]


# Why a step of the flow loses responses that people do not judge.
NO_CRITERIA = "to prompts that the rubric has no criteria for"


class StepChange(TypedDict):
    """`n` lost or gained, and why."""

    n: int
    reason: str


class FlowStep(TypedDict):
    """`n` of `unit` are left at a step of the way from tags to tables."""

    key: str
    label: str
    n: int
    unit: str
    lost: list[StepChange]
    gained: list[StepChange]


class ReportFlow(TypedDict):
    """The way from tags to tables; `begins` is "campaign", "collection", or "" without responses."""

    begins: str
    note: str
    steps: list[FlowStep]


class DayOfJudging(TypedDict):
    """The number of first verdicts given on a day (ISO, UTC)."""

    day: str
    verdicts: int


class StudyName(TypedDict):
    """The study that a report is of."""

    id: int
    name: str


class ReportSubset(TypedDict):
    """How the questions of a study were drawn: `drawn` of the `frame`, which `query` describes, by lots from `seed`.

    `by` is the slice that made the strata, "" for none.
    """

    name: str
    query: str
    by: str
    drawn: int
    frame: int
    seed: int


class ReportLabel(TypedDict):
    """Only responses with this label of a scorer were drawn; `no_longer` do not have it any more."""

    scorer: str
    label: str
    no_longer: int


class ReportStudy(StudyName):
    """Who judged what, as counts: `judges` are those who gave a first verdict.

    `short_rounds` are the rounds in which first verdicts lack, by number: how many of their responses have none, one,
    two and so on.
    """

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
    subset: NotRequired[ReportSubset]
    only: NotRequired[ReportLabel]
    prompts_not_verified: NotRequired[int]
    short_rounds: NotRequired[dict[str, list[int]]]
    resolved_by: str
    rubric: str
    order: str
    seed: int
    responses: int
    instances: int
    articles: int
    excluded_instances: int
    # Of the study's subset or collections, with responses or without; reports frozen before 1.0 lack them.
    excluded_before_results: NotRequired[int]
    excluded_after_results: NotRequired[int]
    judges: int


class SnapshotStamp(TypedDict):
    """What the report was computed from: the hash of its rows, and the hash of itself once it is sealed."""

    id: int | None
    sha256: str
    rows: int
    rows_format: int
    app_version: str
    body_sha256: NotRequired[str]


class ReportSubject(TypedDict):
    """What comparisons name: the prompts and models of a study."""

    prompts: list[ReportPrompt]
    models: list[ReportModel]


class ComparedSubject(ReportSubject):
    """Comparisons with the prompts and models that they name: a part of a report, or an answer of its own.

    `protocol` is there where it is another than WikiContradict.
    """

    comparisons: Comparisons
    protocol: NotRequired[ReportProtocol]


class ComparisonAnswer(ComparedSubject):
    """The comparisons that a researcher asked for."""

    study: StudyName


class Report(ComparedSubject):
    """The report of a study. `display` is how a researcher names and orders its parts in a paper, as a query.

    `ordered` is there where verdicts have no order, `halves` where judge models are, `rounds` where there were several
    or one was opened again, `scores` where responses are scored, `by_slice` where judged records have slices.
    `weights` (linear, quadratic) is there where the kappa that is put forward has them: among coefficients it comes
    before the unweighted one.
    """

    format: int
    study: ReportStudy
    snapshot: SnapshotStamp
    population: str
    verdicts: list[ReportVerdict]
    ordered: NotRequired[bool]
    weights: NotRequired[str]
    agreement: JudgeAgreement
    tables: list[VerdictTable]
    judge_models: list[JudgeModel]
    halves: NotRequired[ReportHalves]
    resolution: list[ResolutionWay]
    flow: ReportFlow
    days: list[DayOfJudging]
    annotators: list[AnnotatorAgreement]
    by_slice: NotRequired[list[SliceAgreement]]
    rounds: NotRequired[StudyRounds]
    scores: NotRequired[ReportScores]
    display: NotRequired[dict[str, str]]

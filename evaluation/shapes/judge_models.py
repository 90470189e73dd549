"""Judge models and their scores against people, as a report holds them. Pure."""

from typing import TypedDict

from evaluation.shapes.verdict_tables import ClusterEnds, Share, VerdictTable


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


class JudgeModelScores(TypedDict):
    """How well a judge model's verdicts match people's."""

    n: int
    unparsed: int
    accuracy: ScoreShare
    macro_f: Score
    classes: list[ClassScores]


class CountedScores(JudgeModelScores):
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

    Numbers of replies: `replies` by what they hold, `versions` by version of the rubric, `other_versions` by versions
    that no longer count, `itself` on responses of `own_models`, which are the same model.
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
    table: VerdictTable


class ReportHalves(TypedDict):
    """How many articles each half has, and how many judge models were `tried` on the held-out one."""

    development: int
    held_out: int
    tried: int
    seed: int

"""The judge models of a report, laid out for its page. Pure."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from evaluation.charts.confusion import confusion_matrix
from evaluation.report.figures import Figure, cluster_word, query, verdict_labels
from evaluation.report.judge_sentences import ceiling_sentence, held_out_sentence, judge_sentence
from evaluation.report.sentences import cell_ends, counted, number, share
from evaluation.report.verdict_rows import PromptSection, model_id, offered, sections_of
from evaluation.shapes.judge_models import (
    ClassScores,
    CountedScores,
    JudgeModel,
    ModelVerdicts,
    PromptScores,
    Score,
    ScoreShare,
)
from evaluation.shapes.study_report import Report
from evaluation.shapes.verdict_tables import VerdictTable
from evaluation.statistics.tables import LABELLED, NO, REPLIED, UNPARSED, YES

STATES = {
    "waiting": "waiting",
    "running": "being asked",
    "judged": "judged",
    "unparsed": "without a verdict in the reply",
    "failed": "failed",
    "cancelled": "cancelled",
}


# What a reply can hold instead of one verdict, in the report's order.
REPLIES = {
    "nothing": "empty",
    "none": "with words but no verdict",
    "several": "with verdicts that differ, of which the last one counts",
}
HALVES = {"held_out": "Held-out half", "development": "Development half"}


@dataclass(frozen=True)
class Population:
    """A row of scores over some of the clusters, as articles are."""

    label: str
    n: Figure
    accuracy: Figure
    macro_f: Figure


@dataclass(frozen=True)
class AgainstPeople:
    """How a judge model matches people on the responses to one prompt (tables 4 and 5).

    `held_out` is the sentence on the held-out half, and `populations` has both halves and all.
    """

    prompt: str
    title: str
    held_out: str
    populations: tuple[Population, ...]
    sentence: str
    accuracy: Figure
    wrong: Figure
    macro_f: Figure
    classes: tuple[tuple[str, tuple[Figure, ...]], ...]
    columns: tuple[str, ...]
    matrix: tuple[tuple[str, tuple[Figure, ...]], ...]
    svg: str
    models: tuple[tuple[str, Figure, tuple[Figure, ...]], ...]
    without_final_verdict: int
    ceiling: str


@dataclass(frozen=True)
class JudgeSection:
    """One judge model: how far it is, how it matches people, and what it says of everything (table 6)."""

    id: int
    judge: str
    origin: str
    states: str
    spellings: str
    replies: tuple[tuple[Figure, str], ...]
    versions: str
    other_versions: Figure | None
    itself: Figure | None
    population: str
    prompts: tuple[AgainstPeople, ...]
    everything: tuple[PromptSection, ...]
    everything_population: str
    drawn: VerdictTable


def judge_sections(report: Report) -> list[JudgeSection]:
    """The report's judge models."""
    return [_section(report, judge, f"judge-{n}") for n, judge in enumerate(report["judge_models"])]


def _section(report: Report, judge: JudgeModel, key: str) -> JudgeSection:
    states = [f"{count} {STATES[state]}" for state, count in judge["states"].items()]
    spelt = [f"{spelling} {count}" for spelling, count in judge["spellings"].items()]
    sha256 = judge["prompt_sha256"][:12]
    return JudgeSection(
        judge["id"],
        judge["judge"],
        "replies from a file"
        if judge["from_file"]
        else f"{judge['judge_prompt']} with hash {sha256}",
        ", ".join(states),
        "; ".join(spelt),
        tuple(_replies(judge)),
        ", ".join(
            f"{rubric} ({counted(n, 'reply', 'replies')})"
            for rubric, n in judge["versions"].items()
        ),
        _linked(judge["other_versions"], of="kept", judge_model=judge["id"], other=YES),
        _linked(judge["itself"] or 0, of="kept", judge_model=judge["id"], itself=YES),
        judge["population"],
        tuple(
            _against_people(report, judge, scores, f"{key}-{place}")
            for place, scores in enumerate(judge["prompts"])
        ),
        tuple(sections_of(report, judge["table"], f"{key}-all", judge=judge)),
        judge["table"]["population"],
        judge["table"],
    )


def _replies(judge: JudgeModel) -> Iterable[tuple[Figure, str]]:
    """How many replies are not one verdict, and of which kind; each number leads to them."""
    for kind, words in REPLIES.items():
        if found := _linked(judge["replies"][kind], of="kept", judge_model=judge["id"], holds=kind):
            yield found, words


def _linked(n: int, **chosen: object) -> Figure | None:
    return Figure(str(n), query=query(**chosen)) if n else None


def _against_people(
    report: Report, judge: JudgeModel, scores: PromptScores, key: str
) -> AgainstPeople:
    (prompt,) = [prompt for prompt in report["prompts"] if prompt["label"] == scores["prompt"]]
    shown = verdict_labels(report)
    keys = offered(report)
    classes = {scored["label"]: scored for scored in scores["classes"]}
    rows = RowsQuery(judge["id"], prompt["name"])
    accuracy = scores["accuracy"]
    wrong = accuracy["n"] - accuracy["k"]
    return AgainstPeople(
        scores["prompt"],
        prompt["title"],
        held_out_sentence(judge["judge"], scores, cluster_word(report)),
        tuple(_populations(report, scores, rows)),
        judge_sentence(judge["judge"], scores, cluster_word(report)),
        _share_figure(accuracy, rows.where(match=YES), rows.where()),
        Figure(str(wrong), query=rows.where(match=NO) if wrong else ""),
        _f_figure(scores["macro_f"], rows.where()),
        tuple((shown[label], _class_figures(classes[label], rows)) for label in keys),
        tuple(shown[label] for label in (*keys, UNPARSED)),
        _matrix(report, rows, scores),
        _chart(report, judge, scores, key),
        tuple(
            _model_row(report, rows, model, keys, judge["own_models"]) for model in scores["models"]
        ),
        scores["without_final_verdict"],
        ceiling_sentence(report, scores["prompt"]),
    )


def by_population(scores: PromptScores) -> list[tuple[str, CountedScores]]:
    """Each half with its scores, then all."""
    halves: list[tuple[str, CountedScores]] = [(half["half"], half) for half in scores["halves"]]
    return [*halves, ("all", scores)]


def _populations(report: Report, scores: PromptScores, rows: "RowsQuery") -> Iterable[Population]:
    labels = {**HALVES, "all": f"All {cluster_word(report)}s"}
    for key, population in by_population(scores):
        half = {} if key == "all" else {"half": key}
        yield Population(
            labels[key],
            Figure(str(population["n"]), query=rows.where(**half) if population["n"] else ""),
            _share_figure(
                population["accuracy"], rows.where(match=YES, **half), rows.where(**half)
            ),
            _f_figure(population["macro_f"], rows.where(**half)),
        )


@dataclass(frozen=True)
class RowsQuery:
    """The rows that a judge model's scores on a prompt count: responses with a final verdict and with its reply."""

    judge: int
    prompt: str

    def where(self, *, verdict: str = LABELLED, said: str = REPLIED, **more: object) -> str:
        """The query of those to which people gave `verdict` and the judge model `said`."""
        return query(
            of="final",
            prompt=self.prompt,
            verdict=verdict,
            judge_model=self.judge,
            said=said,
            **more,
        )


def _share_figure(score: ScoreShare, counted: str, whole: str) -> Figure:
    """k of n; `counted` and `whole` are the queries of the k and of the n rows."""
    k, n = score["k"], score["n"]
    if not n:
        return Figure("\N{EN DASH}", reason=score["reason"])
    link = counted if k else ""
    return Figure(str(k), cell_ends(score), query=link, share=share(k, n), of=str(n), whole=whole)


def _f_figure(score: Score, rows: str) -> Figure:
    """`rows` is the query of its rows."""
    if score["value"] is None:
        return Figure("\N{EN DASH}", reason=score["reason"])
    value = number(score["value"])
    if score["cluster_low"] is None:
        return Figure(value, reason=f"No interval. {score['cluster_reason']}", query=rows)
    ends = f"{number(score['cluster_low'])}\N{EN DASH}{number(score['cluster_high'])}"
    return Figure(value, ends, query=rows)


def _class_figures(scored: ClassScores, rows: RowsQuery) -> tuple[Figure, ...]:
    verdict = scored["label"]
    right = rows.where(verdict=verdict, said=verdict)
    return (
        _share_figure(scored["precision"], right, rows.where(said=verdict)),
        _share_figure(scored["recall"], right, rows.where(verdict=verdict)),
        _f_figure(scored["f"], rows.where(either=verdict)),
    )


def _places(report: Report, scores: PromptScores) -> list[tuple[str, int]]:
    """Each verdict in the order of the judges' buttons, with its row in the report's table."""
    order = [scored["label"] for scored in scores["classes"]]
    return [(key, order.index(key)) for key in offered(report)]


def _matrix(
    report: Report, rows: RowsQuery, scores: PromptScores
) -> tuple[tuple[str, tuple[Figure, ...]], ...]:
    """People's verdicts (rows) by the judge model's (columns, the last without a verdict), linked to their rows."""
    shown, places = verdict_labels(report), _places(report, scores)
    lines = []
    for people, i in places:
        counts = [(said, scores["table"][i][j]) for said, j in places]
        counts.append((UNPARSED, scores["unparsed_by_verdict"][i]))
        cells = [
            Figure(str(count), query=rows.where(verdict=people, said=said) if count else "")
            for said, count in counts
        ]
        lines.append((shown[people], tuple(cells)))
    return tuple(lines)


def _chart(report: Report, judge: JudgeModel, scores: PromptScores, key: str) -> str:
    shown, places = verdict_labels(report), _places(report, scores)
    table = [[scores["table"][i][j] for _, j in places] for _, i in places]
    right = sum(table[i][i] for i in range(len(table)))
    return confusion_matrix(
        table,
        [shown[label] for label, _ in places],
        sides=("People", judge["judge"]),
        title=f"Final verdicts and those of {judge['judge']} on prompt {scores['prompt']}",
        describe=f"{counted(scores['n'], 'response')}, {right} on the diagonal, "
        f"{counted(scores['unparsed'], 'reply', 'replies')} without a verdict.",
        key=key,
    )


def _model_row(
    report: Report, rows: RowsQuery, verdicts: ModelVerdicts, keys: list[str], own: Collection[str]
) -> tuple[str, Figure, tuple[Figure, ...]]:
    """Table 5: a model's share of each verdict from people, then from the judge model; `own` are that model itself."""
    model = model_id(report, verdicts["model"])
    shares = {(cell["whose"], cell["verdict"]): cell for cell in verdicts["shares"]}

    def figure(whose: str, verdict: str, link: str) -> Figure:
        cell = shares[whose, verdict]
        k, n = cell["k"], cell["n"]
        return Figure(str(k), cell_ends(cell), query=link if k else "", share=share(k, n))

    cells = [figure("people", key, rows.where(model=model, verdict=key)) for key in keys]
    cells += [figure("judge", key, rows.where(model=model, said=key)) for key in (*keys, UNPARSED)]
    label = f"{verdicts['model']} (itself)" if verdicts["model"] in own else verdicts["model"]
    return label, Figure(str(verdicts["n"]), query=rows.where(model=model)), tuple(cells)

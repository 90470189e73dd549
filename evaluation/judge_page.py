"""The judge models of a report, laid out for its page. Pure."""

from dataclasses import dataclass
from typing import Any

from evaluation import charts
from evaluation.figures import Figure, Report, query, verdict_labels
from evaluation.sentences import cell_ends, counted, number, share
from evaluation.tables import LABELLED, NO, REPLIED, UNPARSED, YES
from evaluation.verdict_page import PromptSection, best_first, model_id, sections_of
from evaluation.verdict_sentences import judge_sentence

STATES = {
    "waiting": "waiting",
    "running": "being asked",
    "judged": "judged",
    "unparsed": "without a verdict in the reply",
    "failed": "failed",
    "cancelled": "cancelled",
}


@dataclass(frozen=True)
class AgainstPeople:
    """How a judge model matches people on the responses to one prompt (tables 4 and 5)."""

    prompt: str
    title: str
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


@dataclass(frozen=True)
class JudgeSection:
    """One judge model: how far it is, how it matches people, and what it says of everything (table 6)."""

    judge: str
    origin: str
    states: str
    spellings: str
    population: str
    prompts: tuple[AgainstPeople, ...]
    everything: tuple[PromptSection, ...]
    everything_population: str


def judge_sections(report: Report) -> list[JudgeSection]:
    """The report's judge models; none in a report frozen before there were any."""
    return [
        _section(report, judge, f"judge-{place}")
        for place, judge in enumerate(report.get("judge_models", []))
    ]


def _section(report: Report, judge: dict[str, Any], key: str) -> JudgeSection:
    states = [f"{count} {STATES[state]}" for state, count in judge["states"].items()]
    spelt = [f"{spelling} {count}" for spelling, count in judge["spellings"].items()]
    sha256 = judge["prompt_sha256"][:12]
    return JudgeSection(
        judge["judge"],
        "replies from a file" if judge["from_file"] else f"judge prompt with hash {sha256}",
        ", ".join(states),
        "; ".join(spelt),
        judge["population"],
        tuple(
            _against_people(report, judge, found, f"{key}-{place}")
            for place, found in enumerate(judge["prompts"])
        ),
        tuple(sections_of(report, judge["table"], f"{key}-all", judge=judge)),
        judge["table"]["population"],
    )


def _against_people(
    report: Report, judge: dict[str, Any], found: dict[str, Any], key: str
) -> AgainstPeople:
    (prompt,) = [one for one in report["prompts"] if one["label"] == found["prompt"]]
    shown = verdict_labels(report)
    keys = best_first(report)
    classes = {one["label"]: one for one in found["classes"]}
    rows = RowsOf(judge["id"], prompt["name"])
    accuracy = found["accuracy"]
    wrong = accuracy["n"] - accuracy["k"]
    return AgainstPeople(
        found["prompt"],
        prompt["title"],
        judge_sentence(judge["judge"], found),
        _share_figure(accuracy, rows.where(match=YES), rows.where()),
        Figure(str(wrong), query=rows.where(match=NO) if wrong else ""),
        _f_figure(found["macro_f"], rows.where()),
        tuple((shown[label], _class_figures(classes[label], rows)) for label in keys),
        tuple(shown[label] for label in (*keys, UNPARSED)),
        _matrix(report, rows, found),
        _chart(report, judge, found, key),
        tuple(_model_row(report, rows, one, keys) for one in found["models"]),
        found["without_final_verdict"],
    )


@dataclass(frozen=True)
class RowsOf:
    """The rows behind a judge model's scores on a prompt: responses with a final verdict and with its reply."""

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


def _share_figure(found: dict[str, Any], counted: str, whole: str) -> Figure:
    """k of n; `counted` and `whole` are the queries of the k and of the n rows."""
    k, n = found["k"], found["n"]
    if not n:
        return Figure("\N{EN DASH}", reason=found["reason"])
    return Figure(
        str(k),
        cell_ends(found),
        query=counted if k else "",
        share=share(k, n),
        of=str(n),
        whole=whole,
    )


def _f_figure(found: dict[str, Any], rows: str) -> Figure:
    """`rows` is the query of those that it is computed from."""
    if found["value"] is None:
        return Figure("\N{EN DASH}", reason=found["reason"])
    value = number(found["value"])
    if found["cluster_low"] is None:
        return Figure(value, reason=f"No interval. {found['cluster_reason']}", query=rows)
    ends = f"{number(found['cluster_low'])}\N{EN DASH}{number(found['cluster_high'])}"
    return Figure(value, ends, query=rows)


def _class_figures(one: dict[str, Any], rows: RowsOf) -> tuple[Figure, ...]:
    verdict = one["label"]
    right = rows.where(verdict=verdict, said=verdict)
    return (
        _share_figure(one["precision"], right, rows.where(said=verdict)),
        _share_figure(one["recall"], right, rows.where(verdict=verdict)),
        _f_figure(one["f"], rows.where(either=verdict)),
    )


def _places(report: Report, found: dict[str, Any]) -> list[tuple[str, int]]:
    """Each verdict, best first, with its row in the report's table (which runs worst first)."""
    order = [one["label"] for one in found["classes"]]
    return [(key, order.index(key)) for key in best_first(report)]


def _matrix(
    report: Report, rows: RowsOf, found: dict[str, Any]
) -> tuple[tuple[str, tuple[Figure, ...]], ...]:
    """People's verdicts (rows) by the judge model's (columns, the last without a verdict), linked to their rows."""
    shown, places = verdict_labels(report), _places(report, found)
    lines = []
    for people, i in places:
        counts = [(said, found["table"][i][j]) for said, j in places]
        counts.append((UNPARSED, found["unparsed_by_verdict"][i]))
        cells = [
            Figure(str(count), query=rows.where(verdict=people, said=said) if count else "")
            for said, count in counts
        ]
        lines.append((shown[people], tuple(cells)))
    return tuple(lines)


def _chart(report: Report, judge: dict[str, Any], found: dict[str, Any], key: str) -> str:
    shown, places = verdict_labels(report), _places(report, found)
    table = [[found["table"][i][j] for _, j in places] for _, i in places]
    right = sum(table[i][i] for i in range(len(table)))
    return charts.confusion_matrix(
        table,
        [shown[label] for label, _ in places],
        sides=("People", judge["judge"]),
        title=f"Final verdicts and those of {judge['judge']} on prompt {found['prompt']}",
        describe=f"{counted(found['n'], 'response')}, {right} on the diagonal, "
        f"{counted(found['unparsed'], 'reply', 'replies')} without a verdict.",
        key=key,
    )


def _model_row(
    report: Report, rows: RowsOf, one: dict[str, Any], keys: list[str]
) -> tuple[str, Figure, tuple[Figure, ...]]:
    """Table 5: a model's share of each verdict from people, then from the judge model."""
    model = model_id(report, one["model"])
    # A report frozen before these shares had intervals has the counts alone.
    ends = {(cell["whose"], cell["verdict"]): cell_ends(cell) for cell in one.get("shares", [])}

    def cell(whose: str, verdict: str, chosen: str) -> Figure:
        k = one[whose][verdict]
        link = rows.where(model=model, **{chosen: verdict}) if k else ""
        return Figure(str(k), ends.get((whose, verdict), ""), query=link, share=share(k, one["n"]))

    cells = [cell("people", key, "verdict") for key in keys]
    cells += [cell("judge", key, "said") for key in (*keys, UNPARSED)]
    return one["model"], Figure(str(one["n"]), query=rows.where(model=model)), tuple(cells)

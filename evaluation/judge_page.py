"""The judge models of a report, laid out for its page. Pure."""

from dataclasses import dataclass
from typing import Any

from evaluation import charts
from evaluation.figures import Figure, Report, query, verdict_labels
from evaluation.sentences import cell_ends, number, share
from evaluation.tables import UNPARSED
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
    return AgainstPeople(
        found["prompt"],
        prompt["title"],
        judge_sentence(judge["judge"], found),
        _share_figure(found["accuracy"]),
        _f_figure(found["macro_f"]),
        tuple((shown[label], _class_figures(classes[label])) for label in keys),
        tuple(shown[label] for label in (*keys, UNPARSED)),
        _matrix(report, judge, prompt, found),
        _chart(report, judge, found, key),
        tuple(_model_row(report, prompt, one, keys) for one in found["models"]),
        found["without_final_verdict"],
    )


def _share_figure(found: dict[str, Any]) -> Figure:
    k, n = found["k"], found["n"]
    if not n:
        return Figure("\N{EN DASH}", reason=found["reason"])
    return Figure(f"{k}/{n}", cell_ends(found), share=share(k, n))


def _f_figure(found: dict[str, Any]) -> Figure:
    if found["value"] is None:
        return Figure("\N{EN DASH}", reason=found["reason"])
    if found["cluster_low"] is None:
        return Figure(number(found["value"]), reason=f"No interval. {found['cluster_reason']}")
    ends = f"{number(found['cluster_low'])}\N{EN DASH}{number(found['cluster_high'])}"
    return Figure(number(found["value"]), ends)


def _class_figures(one: dict[str, Any]) -> tuple[Figure, ...]:
    return _share_figure(one["precision"]), _share_figure(one["recall"]), _f_figure(one["f"])


def _places(report: Report, found: dict[str, Any]) -> list[tuple[str, int]]:
    """Each verdict, best first, with its row in the report's table (which runs worst first)."""
    order = [one["label"] for one in found["classes"]]
    return [(key, order.index(key)) for key in best_first(report)]


def _matrix(
    report: Report, judge: dict[str, Any], prompt: dict[str, Any], found: dict[str, Any]
) -> tuple[tuple[str, tuple[Figure, ...]], ...]:
    """People's verdicts (rows) by the judge model's (columns, the last without a verdict), linked to their rows."""
    shown, places = verdict_labels(report), _places(report, found)
    rows = []
    for people, i in places:
        counts = [(said, found["table"][i][j]) for said, j in places]
        counts.append((UNPARSED, found["unparsed_by_verdict"][i]))
        cells = []
        for said, count in counts:
            link = query(
                of="final",
                prompt=prompt["name"],
                verdict=people,
                judge_model=judge["id"],
                said=said,
            )
            cells.append(Figure(str(count), query=link if count else ""))
        rows.append((shown[people], tuple(cells)))
    return tuple(rows)


def _chart(report: Report, judge: dict[str, Any], found: dict[str, Any], key: str) -> str:
    shown, places = verdict_labels(report), _places(report, found)
    table = [[found["table"][i][j] for _, j in places] for _, i in places]
    right = sum(table[i][i] for i in range(len(table)))
    return charts.confusion_matrix(
        table,
        [shown[label] for label, _ in places],
        sides=("People", judge["judge"]),
        title=f"Final verdicts and those of {judge['judge']} on prompt {found['prompt']}",
        describe=f"{found['n']} responses, {right} on the diagonal, {found['unparsed']} replies without a verdict.",
        key=key,
    )


def _model_row(
    report: Report, prompt: dict[str, Any], one: dict[str, Any], keys: list[str]
) -> tuple[str, Figure, tuple[Figure, ...]]:
    """Table 5: a model's share of each verdict from people, then from the judge model."""
    n = one["n"]
    link = query(of="final", prompt=prompt["name"], model=model_id(report, one["model"]))
    cells = [Figure(f"{one['people'][key]}", share=share(one["people"][key], n)) for key in keys]
    cells += [
        Figure(f"{one['judge'][key]}", share=share(one["judge"][key], n))
        for key in (*keys, UNPARSED)
    ]
    return one["model"], Figure(str(n), query=link), tuple(cells)

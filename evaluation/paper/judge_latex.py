"""Judge models as LaTeX: scores against people, verdicts model by model, and on everything. Pure."""

from collections.abc import Iterator

from evaluation.paper import verdict_latex
from evaluation.paper.parts import TableRows, bracketed, named, of_n, per_cent, table
from evaluation.paper.verdict_latex import intervals
from evaluation.paper.widths import breakable
from evaluation.report import sentences
from evaluation.report.display import Display, Named
from evaluation.report.figures import verdict_labels
from evaluation.report.judge_sections import HALVES, by_population
from evaluation.report.verdict_rows import offered
from evaluation.shapes.judge_models import (
    ClassScores,
    CountedScores,
    JudgeModel,
    ModelVerdicts,
    PromptScores,
    Score,
)
from evaluation.shapes.study_report import Report
from evaluation.statistics.tables import UNPARSED


def compact(report: Report, display: Display) -> list[str]:
    """One table of scores, then for each judge model its verdicts on everything."""
    if not display.judges:
        return []
    verdicts = offered(report)
    labels = verdict_labels(report)
    rows = [
        [
            breakable(judge.label),
            breakable(_over(prompt, part)),
            str(scores_of["n"]),
            per_cent(scores_of["accuracy"]),
            _f(scores_of["macro_f"]),
            *(_f(_class(scores_of, verdict)["f"]) for verdict in verdicts),
        ]
        for judge, prompt, whole in _against_people(report, display)
        for part, scores_of in by_population(whole)
    ]
    heads = ["Judge model", "Prompt", "$n$", "Accuracy", "Macro-F"]
    heads += [f"F, {breakable(labels[verdict].lower())}" for verdict in verdicts]
    caption = (
        f"Judge models against people's final verdicts, times 100, with {intervals(report)}; a reply without a verdict "
        "counts as wrong in accuracy and recall."
    )
    gaps = _gaps(report, display)
    name = named(report, "judge-models")
    scores = table(name, caption, heads, [TableRows(rows)], keys=3, gaps=gaps)
    for place, (judge, body) in enumerate(_judges(report, display), start=1):
        name = named(report, f"judge-{place}-verdicts")
        scores += ["", *verdict_latex.compact(report, display, body["table"], name, judge.label)]
    return scores


def full(report: Report, display: Display) -> list[str]:
    """Every score with its interval, the shares by model, and every verdict on everything."""
    if not display.judges:
        return []
    lines = [*_scores(report, display), "", *_by_model(report, display)]
    verdicts = [*offered(report), UNPARSED]
    for place, (judge, body) in enumerate(_judges(report, display), start=1):
        caption = (
            f"Verdicts of {breakable(judge.label)} on everything, after exclusions: k of n, replies without a verdict \
among them, the share in per cent, and {intervals(report)}."
        )
        name = named(report, f"judge-{place}-verdicts")
        table_of = body["table"]
        lines += [
            "",
            *verdict_latex.full(report, display, table_of, name, caption, verdicts, judge.label),
        ]
    return lines


def _gaps(report: Report, display: Display) -> Iterator[str]:
    """Why scores are missing: accuracy and macro-F, and those of a verdict."""
    for _, _, whole in _against_people(report, display):
        for _, counted in by_population(whole):
            of_classes = (
                one
                for scored in counted["classes"]
                for one in (scored["precision"], scored["recall"], scored["f"])
            )
            for score in (counted["accuracy"], counted["macro_f"], *of_classes):
                yield score["reason"]
                if score["cluster_low"] is None:
                    yield score["cluster_reason"]


def _scores(report: Report, display: Display) -> list[str]:
    """Table 4: a row of accuracy and macro-F for each prompt, then one for each verdict."""
    labels = verdict_labels(report)
    heads = ["Verdict", "Precision", "Recall", "F"]
    groups = []
    against_people = _against_people(report, display)
    parts = (
        (judge, _over(prompt, part), scores)
        for judge, prompt, whole in against_people
        for part, scores in by_population(whole)
    )
    for judge, over, scores in parts:
        rows = [["Accuracy, macro-F", of_n(scores["accuracy"]), "", _f(scores["macro_f"])]]
        for verdict in offered(report):
            scored = _class(scores, verdict)
            shares = [of_n(scored["precision"]), of_n(scored["recall"]), _f(scored["f"])]
            rows.append([breakable(labels[verdict]), *shares])
        groups.append(TableRows(rows, f"{judge.label}, {over}"))
    caption = (
        f"Judge models against people's final verdicts: k of n, the share in per cent, F times 100, and "
        f"{intervals(report)}. A reply without a verdict counts as wrong in accuracy and recall and is in no precision."
    )
    return table(named(report, "judge-models"), caption, heads, groups, gaps=_gaps(report, display))


def _by_model(report: Report, display: Display) -> list[str]:
    """Table 5: two rows a model, people's verdicts and the judge model's on the same responses."""
    verdicts = [*offered(report), UNPARSED]
    labels = verdict_labels(report)
    heads = ["Model", "Verdicts of", *(breakable(labels[verdict]) for verdict in verdicts)]
    groups = []
    bodies = {judge["judge"]: judge for judge in report["judge_models"]}
    against = list(_against_people(report, display))
    for judge, prompt, scores in against:
        rows: list[list[str]] = []
        counted = {entry["model"]: entry for entry in scores["models"]}
        for model in display.models:
            if model.name in counted:
                own = model.name in bodies[judge.name]["own_models"]
                rows += _both(model, judge, counted[model.name], verdicts, own=own)
        groups.append(TableRows(rows, f"{judge.label}, {prompt.label}"))
    caption = f"People and judge models, model by model: k of n, the share in per cent, and {intervals(report)}."
    every = (
        share for _, _, scores in against for entry in scores["models"] for share in entry["shares"]
    )
    gaps = ["people always give a verdict", *(share["reason"] for share in every)]
    return table(named(report, "judge-by-model"), caption, heads, groups, keys=2, gaps=gaps)


def _both(
    model: Named, judge: Named, entry: ModelVerdicts, verdicts: list[str], *, own: bool
) -> Iterator[list[str]]:
    label = f"{model.label} (itself)" if own else model.label
    whose = {"people": "people", "judge": breakable(judge.label)}
    shares = {(cell["whose"], cell["verdict"]): cell for cell in entry["shares"]}
    for place, (key, shown) in enumerate(whose.items()):
        cells = [
            of_n(shares[key, verdict]) if (key, verdict) in shares else "" for verdict in verdicts
        ]
        yield [breakable(label) if place == 0 else "", shown, *cells]


def _f(score: Score) -> str:
    if score["value"] is None:
        return "--"
    ends = bracketed(sentences.percent_ends(score["cluster_low"], score["cluster_high"]))
    return f"{100 * score['value']:.1f} {ends}".strip()


def _over(prompt: Named, part: str) -> str:
    return prompt.label if part == "all" else f"{prompt.label}, {HALVES[part].lower()}"


def _class(scores: CountedScores, verdict: str) -> ClassScores:
    (scored,) = [scored for scored in scores["classes"] if scored["label"] == verdict]
    return scored


def _judges(report: Report, display: Display) -> Iterator[tuple[Named, JudgeModel]]:
    bodies = {judge["judge"]: judge for judge in report["judge_models"]}
    for judge in display.judges:
        yield judge, bodies[judge.name]


def _against_people(
    report: Report, display: Display
) -> Iterator[tuple[Named, Named, PromptScores]]:
    """Each judge model with each prompt that it was asked about, in the order wanted."""
    for judge, body in _judges(report, display):
        by_prompt = {entry["prompt"]: entry for entry in body["prompts"]}
        for prompt in display.prompts:
            if prompt.name in by_prompt:
                yield judge, prompt, by_prompt[prompt.name]

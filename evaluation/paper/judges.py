"""Judge models as LaTeX: scores against people, verdicts model by model, and on everything. Pure."""

from collections.abc import Iterator

from evaluation.paper import verdicts as verdict_tables
from evaluation.paper.display import Display, Named
from evaluation.paper.escaping import escaped
from evaluation.paper.parts import heading, line, longtable, named, of_n, per_cent, tabular
from evaluation.report import shapes
from evaluation.report.figures import verdict_labels
from evaluation.report.judges import HALVES, by_population
from evaluation.report.sentences import number
from evaluation.report.verdicts import best_first
from evaluation.statistics.tables import UNPARSED

INTERVALS = "95\\,\\% intervals by resampling articles (W: Wilson's)"


def compact(report: shapes.Report, display: Display) -> list[str]:
    """One table of scores, then for each judge model its verdicts on everything."""
    if not display.judges:
        return []
    verdicts = best_first(report)
    labels = verdict_labels(report)
    rows = [
        [
            escaped(judge.label),
            escaped(_over(prompt, part)),
            str(scores_of["n"]),
            per_cent(scores_of["accuracy"]),
            _hundredfold(scores_of["macro_f"]["value"]),
            *(_hundredfold(_class(scores_of, verdict)["f"]["value"]) for verdict in verdicts),
        ]
        for judge, prompt, whole in _against_people(report, display)
        for part, scores_of in by_population(whole)
    ]
    heads = ["Judge model", "Prompt", "$n$", "Accuracy", "Macro-F"]
    heads += [f"F, {escaped(labels[verdict].lower())}" for verdict in verdicts]
    caption = (
        "Judge models against people's final verdicts, times 100; a reply without a verdict counts as wrong in "
        "accuracy and recall."
    )
    scores = tabular(named(report, "judge-models"), caption, heads, rows)
    for place, (judge, body) in enumerate(_judges(report, display), start=1):
        name = named(report, f"judge-{place}-verdicts")
        scores += ["", *verdict_tables.compact(report, display, body["table"], name, judge.label)]
    return scores


def full(report: shapes.Report, display: Display) -> list[str]:
    """Every score with its interval, the shares by model, and every verdict on everything."""
    if not display.judges:
        return []
    lines = [*_scores(report, display), "", *_by_model(report, display)]
    verdicts = [*best_first(report), UNPARSED]
    for place, (judge, body) in enumerate(_judges(report, display), start=1):
        caption = (
            f"Verdicts of {escaped(judge.label)} on everything, after exclusions: k of n, replies without a verdict \
among them, the share in per cent, and {INTERVALS}."
        )
        name = named(report, f"judge-{place}-verdicts")
        lines += ["", *verdict_tables.full(report, display, body["table"], name, caption, verdicts)]
    return lines


def _scores(report: shapes.Report, display: Display) -> list[str]:
    """Table 4: a row of accuracy and macro-F for each prompt, then one for each verdict."""
    labels = verdict_labels(report)
    heads = ["Verdict", "Precision", "Recall", "F"]
    groups = []
    found = _against_people(report, display)
    each = (
        (judge, _over(prompt, part), scores)
        for judge, prompt, whole in found
        for part, scores in by_population(whole)
    )
    for judge, over, scores in each:
        accuracy, macro = of_n(scores["accuracy"]), _f(scores["macro_f"])
        rows = [
            heading(len(heads), f"{judge.label}, {over}"),
            line(["Accuracy, macro-F", accuracy, "", macro]),
        ]
        for verdict in best_first(report):
            one = _class(scores, verdict)
            shares = [of_n(one["precision"]), of_n(one["recall"]), _f(one["f"])]
            rows.append(line([escaped(labels[verdict]), *shares]))
        groups.append(rows)
    caption = (
        f"Judge models against people's final verdicts: k of n, the share in per cent, F times 100, and {INTERVALS}. "
        "A reply without a verdict counts as wrong in accuracy and recall and is in no precision."
    )
    return longtable(named(report, "judge-models"), caption, "llll", heads, groups)


def _by_model(report: shapes.Report, display: Display) -> list[str]:
    """Table 5: two rows a model, people's verdicts and the judge model's on the same responses."""
    verdicts = [*best_first(report), UNPARSED]
    labels = verdict_labels(report)
    heads = ["Model", "Verdicts of", *(escaped(labels[verdict]) for verdict in verdicts)]
    groups = []
    bodies = {judge["judge"]: judge for judge in report["judge_models"]}
    for judge, prompt, scores in _against_people(report, display):
        rows = [heading(len(heads), f"{judge.label}, {prompt.label}")]
        counted = {one["model"]: one for one in scores["models"]}
        for model in display.models:
            if model.name in counted:
                own = model.name in bodies[judge.name]["own_models"]
                rows += _both(model, judge, counted[model.name], verdicts, own=own)
        groups.append(rows)
    caption = (
        f"People and judge models, model by model: k of n, the share in per cent, and {INTERVALS}."
    )
    columns = f"ll{'l' * len(verdicts)}"
    return longtable(named(report, "judge-by-model"), caption, columns, heads, groups)


def _both(
    model: Named, judge: Named, one: shapes.ModelVerdicts, verdicts: list[str], *, own: bool
) -> Iterator[str]:
    label = f"{model.label} (itself)" if own else model.label
    whose = {"people": "people", "judge": escaped(judge.label)}
    shares = {(cell["whose"], cell["verdict"]): cell for cell in one["shares"]}
    for place, (key, shown) in enumerate(whose.items()):
        cells = [
            of_n(shares[key, verdict]) if (key, verdict) in shares else "" for verdict in verdicts
        ]
        yield line([escaped(label) if place == 0 else "", shown, *cells])


def _f(score: shapes.Score) -> str:
    value = _hundredfold(score["value"])
    low, high = score["cluster_low"], score["cluster_high"]
    if score["value"] is None or low is None:
        return value
    return f"{value} [{_hundredfold(low)}--{_hundredfold(high)}]"


def _hundredfold(value: float | None) -> str:
    return escaped(number(None if value is None else 100 * value, 1))


def _over(prompt: Named, part: str) -> str:
    return prompt.label if part == "all" else f"{prompt.label}, {HALVES[part].lower()}"


def _class(scores: shapes.CountedScores, verdict: str) -> shapes.ClassScores:
    (one,) = [one for one in scores["classes"] if one["label"] == verdict]
    return one


def _judges(report: shapes.Report, display: Display) -> Iterator[tuple[Named, shapes.JudgeModel]]:
    bodies = {judge["judge"]: judge for judge in report["judge_models"]}
    for judge in display.judges:
        yield judge, bodies[judge.name]


def _against_people(
    report: shapes.Report, display: Display
) -> Iterator[tuple[Named, Named, shapes.PromptScores]]:
    """Each judge model with each prompt that it was asked about, in the order wanted."""
    for judge, body in _judges(report, display):
        by_prompt = {one["prompt"]: one for one in body["prompts"]}
        for prompt in display.prompts:
            if prompt.name in by_prompt:
                yield judge, prompt, by_prompt[prompt.name]

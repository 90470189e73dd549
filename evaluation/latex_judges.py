"""Judge models as LaTeX: their scores against people, beside people model by model, and on everything. Pure."""

from collections.abc import Iterator
from typing import Any

from evaluation import latex_verdicts
from evaluation.display import Display, Named
from evaluation.figures import Report, verdict_labels
from evaluation.latex import escaped
from evaluation.latex_parts import heading, line, longtable, named, of_n, per_cent, tabular
from evaluation.sentences import number
from evaluation.tables import UNPARSED
from evaluation.verdict_page import best_first

INTERVALS = "95\\,\\% intervals by resampling articles (W: Wilson's)"


def compact(report: Report, display: Display) -> list[str]:
    """One table of scores, then for each judge model its verdicts on everything."""
    if not display.judges:
        return []
    verdicts = best_first(report)
    labels = verdict_labels(report)
    rows = [
        [
            escaped(judge.label),
            escaped(prompt.label),
            str(found["n"]),
            per_cent(found["accuracy"]),
            _hundredfold(found["macro_f"]["value"]),
            *(_hundredfold(_class(found, verdict)["f"]["value"]) for verdict in verdicts),
        ]
        for judge, prompt, found in _against_people(report, display)
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
        scores += ["", *latex_verdicts.compact(report, display, body["table"], name, judge.label)]
    return scores


def full(report: Report, display: Display) -> list[str]:
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
        lines += [
            "",
            *latex_verdicts.full(report, display, body["table"], name, caption, verdicts),
        ]
    return lines


def _scores(report: Report, display: Display) -> list[str]:
    """Table 4: a row of accuracy and macro-F for each prompt, then one for each verdict."""
    labels = verdict_labels(report)
    heads = ["Verdict", "Precision", "Recall", "F"]
    groups = []
    for judge, prompt, found in _against_people(report, display):
        accuracy, macro = of_n(found["accuracy"]), _f(found["macro_f"])
        rows = [
            heading(len(heads), f"{judge.label}, {prompt.label}"),
            line(["Accuracy, macro-F", accuracy, "", macro]),
        ]
        for verdict in best_first(report):
            one = _class(found, verdict)
            shares = [of_n(one["precision"]), of_n(one["recall"]), _f(one["f"])]
            rows.append(line([escaped(labels[verdict]), *shares]))
        groups.append(rows)
    caption = (
        f"Judge models against people's final verdicts: k of n, the share in per cent, F times 100, and {INTERVALS}. "
        "A reply without a verdict counts as wrong in accuracy and recall and is in no precision."
    )
    return longtable(named(report, "judge-models"), caption, "llll", heads, groups)


def _by_model(report: Report, display: Display) -> list[str]:
    """Table 5: two rows a model, people's verdicts and the judge model's on the same responses."""
    verdicts = [*best_first(report), UNPARSED]
    labels = verdict_labels(report)
    heads = ["Model", "Verdicts of", *(escaped(labels[verdict]) for verdict in verdicts)]
    groups = []
    for judge, prompt, found in _against_people(report, display):
        rows = [heading(len(heads), f"{judge.label}, {prompt.label}")]
        counted = {one["model"]: one for one in found["models"]}
        for model in display.models:
            if model.name in counted:
                rows += _both(model, judge, counted[model.name], verdicts)
        groups.append(rows)
    caption = (
        f"People and judge models, model by model: k of n, the share in per cent, and {INTERVALS}."
    )
    columns = f"ll{'l' * len(verdicts)}"
    return longtable(named(report, "judge-by-model"), caption, columns, heads, groups)


def _both(model: Named, judge: Named, one: dict[str, Any], verdicts: list[str]) -> Iterator[str]:
    whose = {"people": "people", "judge": escaped(judge.label)}
    for place, (key, shown) in enumerate(whose.items()):
        cells = [
            of_n(_share(one, key, verdict)) if verdict in one[key] else "" for verdict in verdicts
        ]
        yield line([escaped(model.label) if place == 0 else "", shown, *cells])


def _share(one: dict[str, Any], whose: str, verdict: str) -> dict[str, Any]:
    """The cell of a share; in a report frozen before these had intervals, one without."""
    for cell in one.get("shares", []):
        if (cell["whose"], cell["verdict"]) == (whose, verdict):
            return dict(cell)
    return {"k": one[whose][verdict], "n": one["n"], "low": None, "high": None}


def _f(found: dict[str, Any]) -> str:
    value = _hundredfold(found["value"])
    low, high = found["cluster_low"], found["cluster_high"]
    if found["value"] is None or low is None:
        return value
    return f"{value} [{_hundredfold(low)}--{_hundredfold(high)}]"


def _hundredfold(value: float | None) -> str:
    return escaped(number(None if value is None else 100 * value, 1))


def _class(found: dict[str, Any], verdict: str) -> dict[str, Any]:
    (one,) = [one for one in found["classes"] if one["label"] == verdict]
    return dict(one)


def _judges(report: Report, display: Display) -> Iterator[tuple[Named, dict[str, Any]]]:
    bodies = {judge["judge"]: judge for judge in report["judge_models"]}
    for judge in display.judges:
        yield judge, bodies[judge.name]


def _against_people(
    report: Report, display: Display
) -> Iterator[tuple[Named, Named, dict[str, Any]]]:
    """Each judge model with each prompt that it was asked about, in the order wanted."""
    for judge, body in _judges(report, display):
        found = {one["prompt"]: one for one in body["prompts"]}
        for prompt in display.prompts:
            if prompt.name in found:
                yield judge, prompt, found[prompt.name]

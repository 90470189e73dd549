"""The judge models of a report in sentences. Pure."""

from evaluation.shapes.judge_agreement import PromptAgreement
from evaluation.shapes.judge_models import PromptScores, Score
from evaluation.shapes.study_report import Report
from evaluation.tables.report_words import cluster_word
from evaluation.tables.sentences import (
    cell_words,
    coefficient_of,
    counted,
    kappa_of,
    lowered,
    name_of,
    number,
    percent,
)


def judge_sentence(judge: str, prompt: PromptScores, cluster: str) -> str:
    """How far a judge model matches people on the responses to one prompt."""
    accuracy, macro = prompt["accuracy"], prompt["macro_f"]
    if not accuracy["n"]:
        return f"{judge} on prompt {prompt['prompt']}: {accuracy['reason']}"
    unparsed = prompt["unparsed"]
    some = "reply is without a verdict and counts", "replies are without a verdict and count"
    missed = f"; {counted(unparsed, *some)} as wrong" if unparsed else ""
    return (
        f"On prompt {prompt['prompt']}, {judge} gives people's final verdict on {cell_words(accuracy, cluster)}"
        f"{missed}. {_macro_words(macro, cluster)}"
    )


def held_out_sentence(judge: str, scores: PromptScores, cluster: str) -> str:
    """How far a judge model matches people on the half of the `cluster`s that no judge prompt was chosen on."""
    (held_out,) = [held_out for held_out in scores["halves"] if held_out["half"] == "held_out"]
    if not held_out["n"]:
        return f"On the held-out half of the {cluster}s, {judge} has no reply to compare yet."
    return (
        f"On the held-out half of the {cluster}s, {judge} gives people's final verdict on "
        f"{cell_words(held_out['accuracy'], cluster)}. {_macro_words(held_out['macro_f'], cluster)}"
    )


def _macro_words(macro: Score, cluster: str) -> str:
    if macro["value"] is None:
        return f"Macro-F is undefined: {lowered(macro['reason'])}"
    if macro["cluster_low"] is None:
        return f"Macro-F is {number(macro['value'])}."
    ends = f"{number(macro['cluster_low'])} to {number(macro['cluster_high'])}"
    return f"Macro-F is {number(macro['value'])} (95 % interval {ends}, resampling {macro['clusters']} {cluster}s)."


def halves_sentence(report: Report) -> str:
    """How the articles, or what the protocol names, are split; empty where no judge model judged."""
    if "halves" not in report:
        return ""
    halves, word = report["halves"], cluster_word(report)
    return (
        f"The study's seed ({halves['seed']}) splits its {word}s into two halves: {halves['development']} are the "
        "development half, on which a model and a judge prompt can be chosen, and "
        f"{halves['held_out']} the held-out half. "
        f"{counted(halves['tried'], 'variant has', 'variants have')} been compared with people "
        "on the held-out half."
    )


def ceiling_sentence(report: Report, prompt: str) -> str:
    """How far people agree on the responses to a prompt: more cannot be asked of a judge model."""
    mine = [entry for entry in report["agreement"]["prompts"] if entry["prompt"] == prompt]
    measured = [entry for entry in mine if entry["pairs"]]
    if not measured:
        return f"People’s own agreement, the ceiling of these scores, is not measured. {mine[0]['reason']}"
    return (
        f"The ceiling is people’s own agreement: {'; '.join(map(_own_agreement, measured))}, on first verdicts before "
        "resolution."
    )


def _own_agreement(entry: PromptAgreement) -> str:
    agreed, (kappa, beside) = coefficient_of(entry["all"], "percent_agreement"), kappa_of(entry)
    before = f"round {entry['round']}, " if entry["round"] is not None else ""
    shown = "undefined" if kappa["value"] is None else number(kappa["value"])
    return (
        f"{before}{percent(agreed['value'])} of {counted(agreed['n'], 'response')} "
        f"({name_of(kappa)} {shown}{beside and f', {beside}'})"
    )


def variants_sentence(report: Report) -> str:
    """How many judge models were tried: the best of many is better by chance."""
    tried = len(report["judge_models"])
    if tried == 1:
        return "One variant of a judge model was tried on this study."
    return (
        f"{tried} variants of judge models (models and judge prompts) were tried on this study. The best of them has "
        "higher scores by chance too: report how many there were."
    )

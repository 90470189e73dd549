"""The tables of final verdicts in a study's report, as data: k of n by prompt, model and slice."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluation import cells, counts, tables, verdict_counts
from evaluation.bootstrap import Plan, Resampled
from evaluation.families import Answered
from evaluation.tables import Cell, Line
from judging.models import Resolution, Study, Verdict

FINAL_VERDICTS = "final verdicts, after exclusions"


def verdict_table(
    study: Study,
    prompts: Sequence[dict[str, Any]],
    names: dict[int, str],
    answered: Iterable[Answered],
    plan: Plan,
) -> dict[str, Any]:
    """Verdicts by model, prompt and slice as k of n; "lines" says what each n leaves out.

    Beside Wilson's interval (low, high) each cell has the one by resampling articles (cluster_…).
    """
    one_passage = counts.one_passage_prompts()
    found = tables.lines(
        counts.verdict_groups(study, names),
        prompts=[prompt["name"] for prompt in prompts],
        models=[name for _, name in counts.in_name_order(names)],
        verdicts=Verdict.values,
        one_passage=one_passage,
    )
    places = [(line.prompt, line.model, line.slice) for line in found]
    clustered = cells.resampled(
        verdict_counts.tallies(answered), places, Verdict.values, one_passage, plan
    )
    return {
        **table_entry("verdicts", FINAL_VERDICTS, found, prompts, clustered),
        "seed": plan.seed,
        "resamples": plan.resamples,
    }


def table_entry(
    name: str,
    population: str,
    found: Iterable[Line],
    prompts: Iterable[dict[str, Any]],
    clustered: Mapping[tuple[str, str, str, str], Resampled] | None = None,
) -> dict[str, Any]:
    """A table's rows (its cells) and lines, prompts under their labels."""
    labels = {prompt["name"]: prompt["label"] for prompt in prompts}
    lines = list(found)
    return {
        "name": name,
        "population": population,
        "rows": [
            {
                **cell.as_data(),
                **_clustered(cell, clustered),
                "prompt": labels[cell.prompt],
            }
            for line in lines
            for cell in line.cells
        ],
        "lines": [
            {
                "prompt": labels[line.prompt],
                "model": line.model,
                "slice": line.slice,
                "total": line.total,
                "labelled": line.labelled,
                "unlabelled": line.unlabelled,
                "left_out": line.left_out,
            }
            for line in lines
        ],
    }


def _clustered(
    cell: Cell, clustered: Mapping[tuple[str, str, str, str], Resampled] | None
) -> dict[str, Any]:
    """The interval by resampling articles; none for a count that is no share of the verdicts."""
    found = (clustered or {}).get((cell.prompt, cell.model, cell.slice, cell.verdict))
    if found is None:
        return {"cluster_low": None, "cluster_high": None, "clusters": None, "cluster_reason": ""}
    return clustered_entry(found)


def clustered_entry(found: Resampled) -> dict[str, Any]:
    """The interval by resampling articles as a cell has it."""
    return {
        "cluster_low": found.low,
        "cluster_high": found.high,
        "clusters": found.clusters,
        "cluster_reason": found.reason,
    }


def resolution_entry(study: Study) -> list[dict[str, Any]]:
    """How the final verdicts came about, and how many responses have none."""
    found = counts.how_counts(study)
    ways = [
        {"how": how, "label": label, "count": found[how]}
        for how, label in Resolution.How.choices
        if how in found
    ]
    if None in found:
        ways.append({"how": "none", "label": "No final verdict yet", "count": found[None]})
    return ways

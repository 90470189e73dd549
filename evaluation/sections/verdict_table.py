"""The tables of final verdicts in a study's report, as data: k of n by prompt, model and slice."""

from collections.abc import Mapping, Sequence
from typing import cast

from evaluation.counts import final_verdicts, without_verdict
from evaluation.counts.judged import Judged
from evaluation.counts.naming import in_name_order, one_passage_prompts
from evaluation.shapes.study_report import ReportPrompt, ReportVerdict
from evaluation.shapes.verdict_tables import KINDS, ClusterEnds, ResolutionWay, VerdictTable
from evaluation.statistics import bootstrap, entries, tables, wilson
from evaluation.statistics.bootstrap import Resampled, ResamplePlan
from evaluation.statistics.cells import resampled
from evaluation.statistics.tables import Tallies
from judging.models import Resolution, Study
from pages.memory import FIGURES

FINAL_VERDICTS = "final verdicts, after exclusions"
UNJUDGED = "Not judged by people"
cell_intervals = FIGURES.remembers(resampled)


def verdict_table(
    judged: Judged, prompts: Sequence[ReportPrompt], names: Mapping[int, str], plan: ResamplePlan
) -> VerdictTable:
    """People's final verdicts."""
    asked = {name: column[judged.asked] for name, column in judged.items.items()}
    tallies = final_verdicts.tallies(asked, names)
    return table_of("verdicts", FINAL_VERDICTS, tallies, prompts, names, judged.scale, plan)


def table_of(
    name: str,
    population: str,
    tallies: Tallies,
    prompts: Sequence[ReportPrompt],
    names: Mapping[int, str],
    verdicts: Sequence[str],
    plan: ResamplePlan,
) -> VerdictTable:
    """Verdicts by model, prompt (under its label) and slice as k of n; "lines" says what each n leaves out.

    Next to Wilson's interval (low, high) each cell has the one by resampling articles (cluster_...).
    """
    one_passage = one_passage_prompts([prompt["name"] for prompt in prompts])
    lines = tables.lines(
        tallies,
        prompts=[prompt["name"] for prompt in prompts],
        models=[model for _, model in in_name_order(names)],
        verdicts=verdicts,
        one_passage=one_passage,
    )
    places = [(line["prompt"], line["model"], line["slice"]) for line, _ in lines]
    clustered = cell_intervals(tallies, places, verdicts, one_passage, plan)
    labels = {prompt["name"]: prompt["label"] for prompt in prompts}
    return {
        "name": name,
        "population": population,
        "rows": [
            {
                "prompt": labels[prompt],
                "model": model,
                "slice": part,
                **cell,
                **_ends(clustered.get((prompt, model, part, cell["verdict"]))),
            }
            for (prompt, model, part), (_, cells) in zip(places, lines, strict=True)
            for cell in cells
        ],
        "lines": [{**line, "prompt": labels[line["prompt"]]} for line, _ in lines],
        "seed": plan.seed,
        "resamples": plan.resamples,
        "method": wilson.METHOD,
        "cluster_method": bootstrap.METHOD,
    }


def _ends(interval: Resampled | None) -> ClusterEnds:
    return cast(ClusterEnds, entries.clustered_entry(interval))


def resolution_entry(judged: Judged) -> list[ResolutionWay]:
    """How the final verdicts came about, and why the other responses have none; excluded ones are not counted."""
    counts, without = final_verdicts.how_counts(judged.items), without_verdict.missing(judged)
    ways: list[ResolutionWay] = [
        {"how": how, "label": label, "count": counts[how], "final": True}
        for how, label in Resolution.How.choices
        if how in counts
    ]
    ways += [
        {
            "how": kind,
            "label": label if judged.study.is_judged else UNJUDGED,
            "count": without[kind],
            "final": False,
        }
        for kind, (label, *_) in KINDS.items()
        if kind in without
    ]
    return ways


def verdict_entries(study: Study) -> list[ReportVerdict]:
    """What its rubric declares of each verdict, and no more."""
    return [
        cast(
            ReportVerdict,
            {name: entry[name] for name in ReportVerdict.__annotations__ if name in entry},
        )
        for entry in (study.judged_by.body["verdicts"] if study.is_judged else ())
    ]

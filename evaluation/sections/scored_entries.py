"""The scores of a study's report, as data; and what a report of another protocol than WikiContradict leaves out."""

from typing import cast

from evaluation.counts.scored import Scored
from evaluation.scorers.counting import population_entries, table_entry
from evaluation.sections.validation_entries import validation_entries
from evaluation.shapes.score_tables import (
    ReportProtocol,
    ReportScores,
    ScoreMeasure,
    ScorePopulation,
    ScoreTable,
)
from evaluation.shapes.study_report import Report
from evaluation.statistics import bootstrap, score_tables, wilson
from evaluation.statistics.bootstrap import ResamplePlan
from evaluation.statistics.measures import asked
from evaluation.statistics.tables import ALL
from pages.memory import FIGURES
from protocols.declaration import Declaration

ends_of = FIGURES.remembers(score_tables.ends_of)


def protocol_entry(declaration: Declaration) -> ReportProtocol:
    return {
        "name": declaration.name,
        "version": declaration.version,
        "title": declaration.title,
        "source": declaration.source,
        "licence": declaration.licence,
        "notes": list(declaration.notes),
        "sha256": declaration.sha256,
        "cluster": declaration.cluster_word,
    }


def scores_entry(scores: Scored, plan: ResamplePlan, only: str) -> ReportScores:
    """Tables that have a response, and people next to scorers; nothing of the scorer `only`, which chose these."""
    declaration = scores.declaration
    measures = {name: entry.values for name, entry in declaration.named("measure").items()}
    tables = (
        table_entry(entry.values, scores.rows, plan, ends_of)
        for entry in declaration.entries("table")
        if all(asked(measures, cell).scorer != only for cell in entry.values["cells"])
    )
    return {
        "prompts": [
            {"key": key, "name": scores.prompts[key], "tags": dict(tags)}
            for key, tags in sorted(scores.tags.items())
        ],
        "scorers": [dict(entry.values) for entry in declaration.entries("scorer")],
        "populations": cast(list[ScorePopulation], population_entries(scores.rows)),
        "measures": [cast(ScoreMeasure, entry.values) for entry in declaration.entries("measure")],
        "tables": [cast(ScoreTable, table) for table in tables if table["figures"]],
        "validations": validation_entries(scores, plan, only),
        "seed": plan.seed,
        "resamples": plan.resamples,
        "method": wilson.METHOD,
        "cluster_method": bootstrap.METHOD,
    }


def without_parts_of_wikicontradict(report: Report) -> Report:
    """Without kinds of reasoning and families of comparisons, which are WikiContradict's.

    Its other parts are not there without its rubric, prompts and columns: table 2, questions of one passage.
    """
    for table in [*report["tables"], *(judge["table"] for judge in report["judge_models"])]:
        table["lines"] = [line for line in table["lines"] if line["slice"] == ALL]
        table["rows"] = [cell for cell in table["rows"] if cell["slice"] == ALL]
    report["comparisons"]["families"] = []
    return report

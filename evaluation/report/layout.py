"""What the page of a report shows, live or frozen. Pure."""

from collections.abc import Mapping
from typing import cast

from evaluation.report.agreement_sections import agreement_sections, interval_sentence
from evaluation.report.comparison_sentences import families
from evaluation.report.drawings import ReportChart, drawings
from evaluation.report.flow_steps import flow_rows
from evaluation.report.judge_sections import judge_sections
from evaluation.report.judge_sentences import halves_sentence, variants_sentence
from evaluation.report.methods import methods_paragraph
from evaluation.report.study_facts import resolution_in_words, rounds_in_words, study_facts
from evaluation.report.summary import summary
from evaluation.shapes.study_report import Report
from evaluation.tables.agreement import agreement_table, portion_tables
from evaluation.tables.annotators import overview
from evaluation.tables.published import next_to_paper
from evaluation.tables.report_words import (
    cluster_word,
    compared_word,
    in_its_words,
    is_judged,
    resampled_word,
)
from evaluation.tables.scores import population_table, score_tables
from evaluation.tables.validations import validation_tables
from evaluation.tables.verdicts import verdict_table

# What the choice of the page is resampled for; all else resamples the cluster of its records.
BY_CHOICE = ("agreement", "by_slice", "rounds")


def laid_out(body: Report, query: Mapping[str, str]) -> dict[str, object]:
    """The report as the templates in templates/evaluation/ read it; `order` of an address's query is the models'."""
    body = report_in_its_words(body)
    order = query.get("order", "")
    charts = drawings(body, order)
    shown: dict[str, object] = {
        "report": body,
        "facts": study_facts(body),
        "cluster": cluster_word(body),
        "resampled": resampled_word(body),
        "order": order,
        "query": query,
        "flow": charts.get("flow"),
        "flow_rows": flow_rows(body),
        "score_tables": [*score_tables(body), *validation_tables(body)],
        "populations": population_table(body),
        "methods": methods_paragraph(body),
        "annotators": [(campaign, overview(campaign)) for campaign in body["annotators"]],
    }
    return {**shown, **_of_verdicts(body, charts)} if is_judged(body) else shown


def report_in_its_words(body: Report) -> Report:
    """Scores name what they resample themselves."""
    words = {key: resampled_word(body) if key in BY_CHOICE else cluster_word(body) for key in body}
    parts = {key: in_its_words(part, words[key]) for key, part in body.items() if key != "scores"}
    return cast(Report, {**body, **parts})


def _of_verdicts(body: Report, charts: Mapping[str, ReportChart]) -> dict[str, object]:
    """What only a study has that people judge."""
    verdicts, agreement = verdict_table(body), agreement_table(body)
    return {
        "resolution": resolution_in_words(body),
        "rounds": body.get("rounds"),
        "round_rows": rounds_in_words(body),
        "summary": summary(body, charts),
        "agreement": agreement if agreement.groups[0].lines else None,
        "by_prompt": agreement_sections(body),
        "interval_sentence": interval_sentence(body),
        "over_time": charts.get("over-time"),
        "portions": portion_tables(body),
        "compared": compared_word(body),
        "verdict_table": verdicts,
        "verdict_groups": [
            (group, charts[f"verdicts-{n}"]) for n, group in enumerate(verdicts.groups)
        ],
        "families": families(body, compared_word(body)),
        "judge_sections": judge_sections(body),
        "judge_variants": variants_sentence(body) if body["judge_models"] else "",
        "judge_halves": halves_sentence(body),
        "days": charts.get("days"),
        "kappas": [chart for key, chart in charts.items() if key.startswith(("kappa", "pairs-"))],
        "paper": next_to_paper(body, verdicts),
    }

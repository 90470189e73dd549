"""What the page of a report shows, live or frozen. Pure."""

from collections.abc import Mapping
from typing import cast

from evaluation.report.agreement_rows import (
    COLUMNS,
    agreement_rows,
    agreement_sections,
    heads,
    interval_sentence,
)
from evaluation.report.annotator_rows import KAPPA_COLUMNS, glances
from evaluation.report.comparison_rows import family_sections
from evaluation.report.drawings import ReportChart, drawings
from evaluation.report.figures import (
    cluster_word,
    compared_word,
    in_its_words,
    is_judged,
    resampled_word,
    weights_of,
)
from evaluation.report.flow_steps import flow_rows
from evaluation.report.judge_sections import judge_sections
from evaluation.report.judge_sentences import halves_sentence, variants_sentence
from evaluation.report.methods import methods_paragraph
from evaluation.report.portion_tables import portion_tables
from evaluation.report.score_sections import populations, score_tables
from evaluation.report.study_facts import resolution_in_words, rounds_in_words, study_facts
from evaluation.report.summary import summary
from evaluation.report.validation_sections import validations
from evaluation.report.verdict_rows import prompt_sections
from evaluation.report.wikicontradict_rows import paper_table
from evaluation.shapes.study_report import Report

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
        "annotator_columns": KAPPA_COLUMNS,
        "flow": charts.get("flow"),
        "flow_rows": flow_rows(body),
        "score_tables": [table.side_by_side for table in score_tables(body)],
        "populations": populations(body),
        "validations": validations(body),
        "methods": methods_paragraph(body),
        "annotators": [(campaign, glances(campaign)) for campaign in body["annotators"]],
    }
    return {**shown, **_of_verdicts(body, charts)} if is_judged(body) else shown


def report_in_its_words(body: Report) -> Report:
    """Scores name what they resample themselves."""
    words = {key: resampled_word(body) if key in BY_CHOICE else cluster_word(body) for key in body}
    parts = {key: in_its_words(part, words[key]) for key, part in body.items() if key != "scores"}
    return cast(Report, {**body, **parts})


def _of_verdicts(body: Report, charts: Mapping[str, ReportChart]) -> dict[str, object]:
    """What only a study has that people judge."""
    rows = agreement_rows(body)
    return {
        "resolution": resolution_in_words(body),
        "rounds": body.get("rounds"),
        "round_rows": rounds_in_words(body),
        "summary": summary(body, charts),
        "agreement_columns": heads(COLUMNS, weights_of(body)),
        "agreement": [row for row in rows if not row.is_folded],
        "agreement_of_pairs": [row for row in rows if row.is_folded],
        "by_prompt": agreement_sections(body),
        "interval_sentence": interval_sentence(body),
        "over_time": charts.get("over-time"),
        "portions": portion_tables(body, charts.get("over-time")),
        "compared": compared_word(body),
        "sections": prompt_sections(body),
        "families": family_sections(body, compared_word(body)),
        "judge_sections": judge_sections(body),
        "judge_variants": variants_sentence(body) if body["judge_models"] else "",
        "judge_halves": halves_sentence(body),
        "days": charts.get("days"),
        "kappas": [chart for key, chart in charts.items() if key.startswith(("kappa", "pairs-"))],
        "paper": paper_table(body),
    }

"""What the page of a report shows, live or frozen. Pure."""

from typing import Any

from evaluation import agreement_page
from evaluation.agreement_page import COLUMNS, agreement_rows, agreement_sections
from evaluation.comparison_page import family_sections
from evaluation.drawings import Drawing, drawings
from evaluation.figures import Report
from evaluation.flow import flow_rows
from evaluation.formats import readable
from evaluation.judge_page import judge_sections
from evaluation.methods import methods_paragraph
from evaluation.verdict_page import prompt_sections


def laid_out(body: Report) -> dict[str, Any]:
    """The report as the templates in templates/evaluation/ read it."""
    found = drawings(readable(body))
    return {
        "report": body,
        "agreement_columns": COLUMNS,
        "agreement": agreement_rows(body),
        "by_prompt": agreement_sections(body),
        "interval_sentence": agreement_page.interval_sentence(body),
        "portions": {
            "columns": agreement_page.PORTION_COLUMNS,
            "rounds": agreement_page.by_round(body),
            "thirds": agreement_page.over_time(body),
            "chart": found.get("over-time"),
            "own_columns": agreement_page.OWN_COLUMNS,
            "own": agreement_page.own_agreement(body),
        },
        "sections": prompt_sections(body),
        "families": family_sections(body),
        "judge_sections": judge_sections(body),
        "flow": found.get("flow"),
        "flow_rows": flow_rows(body),
        "days": found.get("days"),
        "glances": _glances(found),
        "methods": methods_paragraph(body),
    }


def _glances(found: dict[str, Drawing]) -> list[Drawing]:
    """The charts that stand in a section of their own; the others stand beside their tables."""
    return [
        drawing for key, drawing in found.items() if key.startswith(("kappa", "pairs-", "shares-"))
    ]

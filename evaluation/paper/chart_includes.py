"""The charts of a report as LaTeX figures. Pure."""

from collections.abc import Iterable

from evaluation.charts.standalone import COLUMN, PAGE, WIDTHS
from evaluation.paper.parts import named
from evaluation.paper.widths import breakable
from evaluation.report.drawings import ReportChart
from evaluation.shapes.study_report import Report


def chart_name(stem: str, key: str, form: str, width: str) -> str:
    """The name of a chart's file; that of a column's width says so."""
    return f"{stem}-{key}{'' if width == PAGE or form == 'csv' else f'-{width}'}.{form}"


def includes(report: Report, charts: Iterable[ReportChart], stem: str) -> str:
    """A figure for each chart, of its file in a page's width."""
    lines = [
        r"% Needs \usepackage{graphicx} and the files, which are as wide as a page "
        f"({WIDTHS[PAGE]} pt); in a column take those of {WIDTHS[COLUMN]} pt (-{COLUMN}.pdf)."
    ]
    for chart in charts:
        lines += [
            "",
            r"\begin{figure}",
            r"\centering",
            rf"\includegraphics[width=\linewidth]{{{chart_name(stem, chart.key, 'pdf', PAGE)}}}",
            rf"\caption{{{breakable(chart.title)}}}\label{{fig:{named(report, chart.key)}}}",
            r"\end{figure}",
        ]
    return "\n".join(lines) + "\n"

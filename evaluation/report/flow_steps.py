"""The way from tags to the numbers of a report: what was left at each step, and why the rest was not. Pure."""

from collections.abc import Iterable

from evaluation.charts.flow_diagram import FlowBox, flow_diagram
from evaluation.shapes.study_report import FlowStep, Report
from evaluation.tables.sentences import counted


def changes_of(step: FlowStep, before: FlowStep) -> list[str]:
    """What happened on the way to a step, in sentences."""
    lines = [f"{change['n']:,} {change['reason']}" for change in step["lost"]]
    lines += [f"{change['n']:,} more: {change['reason']}" for change in step["gained"]]
    if before["unit"] != step["unit"]:
        lines.insert(0, f"from {counted(before['n'], before['unit'])}")
    return lines or ["none lost"]


def flow_rows(report: Report) -> list[FlowBox]:
    """The steps as the diagram and the page's table have them."""
    steps = report["flow"]["steps"]
    firsts: Iterable[FlowStep | None] = [None, *steps]
    return [
        FlowBox(
            step["label"],
            counted(step["n"], step["unit"]),
            tuple(changes_of(step, before)) if before else (),
        )
        for before, step in zip(firsts, steps, strict=False)
    ]


def flow_chart(report: Report, wide: int) -> str:
    """The diagram; empty where the report has no steps."""
    rows = flow_rows(report)
    if not rows:
        return ""
    return flow_diagram(
        rows,
        title="From what was seen to what is in the tables",
        describe="Boxes from top to bottom; next to each arrow what was lost, and why. The table below says the same.",
        key="flow",
        wide=wide,
    )

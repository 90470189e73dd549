"""The way from tags to the numbers of a report: what was left at each step, and why the rest was not. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from evaluation.charts import Stage, flow_diagram
from evaluation.figures import Report
from evaluation.sentences import counted


@dataclass(frozen=True)
class Change:
    """`n` lost on the way to a step, or gained, and the reason: "found invalid"."""

    n: int
    reason: str


@dataclass(frozen=True)
class Step:
    """`n` of `unit` (in the singular) are left; `lost` and `gained` happened on the way from the step before."""

    key: str
    label: str
    n: int
    unit: str
    lost: tuple[Change, ...] = ()
    gained: tuple[Change, ...] = ()

    def as_data(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "lost": [asdict(change) for change in self.lost],
            "gained": [asdict(change) for change in self.gained],
        }


def changes(*found: tuple[int, str]) -> tuple[Change, ...]:
    """Those that happened."""
    return tuple(Change(n, reason) for n, reason in found if n)


def unexplained(steps: Sequence[Step]) -> list[str]:
    """Keys of steps whose number does not follow from the one before: n = before - lost + gained.

    Where the unit changes nothing is to be explained: three questions may come from one contradiction.
    """
    return [
        step.key
        for before, step in pairwise(steps)
        if before.unit == step.unit
        and step.n != before.n - sum(c.n for c in step.lost) + sum(c.n for c in step.gained)
    ]


def told(step: dict[str, Any], before: dict[str, Any]) -> list[str]:
    """What happened on the way to a step, in sentences."""
    lines = [f"{change['n']:,} {change['reason']}" for change in step["lost"]]
    lines += [f"{change['n']:,} more: {change['reason']}" for change in step["gained"]]
    if before["unit"] != step["unit"]:
        lines.insert(0, f"from {counted(before['n'], before['unit'])}")
    return lines or ["none lost"]


@dataclass(frozen=True)
class FlowRow:
    """A row of the diagram's table."""

    label: str
    count: str
    before: tuple[str, ...]


def flow_rows(report: Report) -> list[FlowRow]:
    """The steps as the page's table has them; none in a report that was frozen before there was a flow."""
    steps = report.get("flow", {}).get("steps", [])
    firsts: Iterable[dict[str, Any] | None] = [None, *steps]
    return [
        FlowRow(
            step["label"],
            counted(step["n"], step["unit"]),
            tuple(told(step, before)) if before else (),
        )
        for before, step in zip(firsts, steps, strict=False)
    ]


def flow_chart(report: Report) -> str:
    """The diagram; empty where the report has no steps."""
    rows = flow_rows(report)
    if not rows:
        return ""
    return flow_diagram(
        [Stage(row.label, row.count, row.before) for row in rows],
        title="From what was seen to what is in the tables",
        describe="Boxes from top to bottom; beside each arrow what was lost, and why. The table below says the same.",
        key="flow",
    )

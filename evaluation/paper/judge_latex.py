"""Judge models as LaTeX: scores against people, verdicts model by model, and on everything. Pure."""

from collections.abc import Callable, Iterator

from evaluation.paper.parts import named
from evaluation.paper.table_latex import written
from evaluation.report.display import Display
from evaluation.shapes.judge_models import JudgeModel
from evaluation.shapes.study_report import Report
from evaluation.tables import judges
from evaluation.tables.table import Table, renamed
from evaluation.tables.verdicts import best_by_model, verdict_table

Made = Callable[[Report, JudgeModel, str], Table]


def compact(report: Report, display: Display) -> Iterator[list[str]]:
    """Of each judge model its scores by half, and the share of the best verdict on everything."""
    yield from _tables(report, display, {"scores": judges.halves_table}, counts=False)
    made = {"verdicts": lambda *of: best_by_model(report, verdict_table(*of), display.legend)}
    yield from _tables(report, display, made, counts=False)


def full(report: Report, display: Display) -> Iterator[list[str]]:
    """Every score with its interval, the shares by model, and every verdict on everything."""
    made: dict[str, Made] = {
        "scores": judges.halves_table,
        "classes": judges.classes_table,
        "by-model": judges.by_model_table,
        "verdicts": verdict_table,
    }
    yield from _tables(report, display, made, counts=True)


def _tables(
    report: Report, display: Display, made: dict[str, Made], *, counts: bool
) -> Iterator[list[str]]:
    bodies = {judge["judge"]: judge for judge in report["judge_models"]}
    for place, judge in enumerate(display.judges, start=1):
        for name, make in made.items():
            table = renamed(make(report, bodies[judge.name], judge.label), display.names)
            yield written(table, named(report, f"judge-{place}-{name}"), counts=counts)

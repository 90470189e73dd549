"""A report's tables as LaTeX with booktabs: which there are, and the comments above them. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from evaluation.paper import judge_latex
from evaluation.paper.parts import comment, named
from evaluation.paper.table_latex import written
from evaluation.paper.widths import TEXT
from evaluation.report.display import COMPACT, Display
from evaluation.report.layout import report_in_its_words
from evaluation.shapes.study_report import Report
from evaluation.tables.agreement import agreement_table, portion_tables, with_kappas
from evaluation.tables.differences import difference_tables
from evaluation.tables.report_words import compared_word, is_judged, scale_of_report
from evaluation.tables.scores import score_tables
from evaluation.tables.table import Table, renamed
from evaluation.tables.validations import validation_tables
from evaluation.tables.verdicts import best_by_model, verdict_table
from pages.latex import needs_unicode_engine


def latex(report: Report, display: Display) -> str:
    """The whole source: comments on what it needs and comes from, then the tables."""
    report = report_in_its_words(report)
    made = _compact if display.form == COMPACT else _full
    parts = [*made(report, display)] if is_judged(report) else []
    parts += [
        _written(report, display, _first(table, display))
        for table in (*score_tables(report), *validation_tables(report))
    ]
    body = [line for part in parts if part for line in ("", *part)]
    return "\n".join([*_head(report, body), *body]) + "\n"


def _first(table: Table, display: Display) -> Table:
    """In the compact form its first measure alone."""
    return replace(table, groups=table.groups[:1]) if display.form == COMPACT else table


def _compact(report: Report, display: Display) -> Iterator[list[str]]:
    """The share of the best verdict by model and prompt with kappa, differences, and judge models' scores."""
    if scale_of_report(report).is_ordered:
        best = best_by_model(report, verdict_table(report), display.legend)
        yield _written(report, display, with_kappas(best, report), counts=False)
    yield from _slices(report, display)
    for table in difference_tables(report, compared_word(report)):
        yield _difference(report, display, table.with_columns(_is_compact))
    yield from judge_latex.compact(report, display)


def _full(report: Report, display: Display) -> Iterator[list[str]]:
    """Every verdict, comparison and score, and the table of agreement."""
    yield _written(report, display, verdict_table(report))
    agreement = agreement_table(report)
    if agreement.groups[0].lines:
        yield _written(report, display, agreement)
    else:
        yield [f"% {comment(report['agreement']['reason'])}"]
    yield from _slices(report, display)
    for table in difference_tables(report, compared_word(report)):
        yield _difference(report, display, table)
    yield from judge_latex.full(report, display)


def _written(report: Report, display: Display, table: Table, *, counts: bool = True) -> list[str]:
    return written(renamed(table, display.names), named(report, table.key), counts=counts)


def _slices(report: Report, display: Display) -> Iterator[list[str]]:
    for table in portion_tables(report):
        if table.key == "by-slice":
            yield _written(report, display, table)


def _difference(report: Report, display: Display, table: Table) -> list[str]:
    """A family that was not computed is a comment with the reason."""
    if not table.groups[0].lines:
        return [f"% {comment(table.title)}: {comment(table.about)}"]
    return _written(report, display, table)


def _is_compact(column: str) -> bool:
    return not column.startswith(("p, exact", "Margin"))


def _head(report: Report, body: Sequence[str]) -> list[str]:
    made_of, study = report["snapshot"], report["study"]
    source = "\n".join(body)
    packages = "array,booktabs,longtable" if r"{longtable}" in source else "array,booktabs"
    frozen = f", frozen report {made_of['id']}" if made_of["id"] else ""
    lines = [
        f"% {comment(study['name'])}{frozen}",
        f"% Sic et Non {made_of['app_version']}, {made_of['rows']} rows, sha256 {made_of['sha256']}",
        f"% Needs \\usepackage{{{packages}}}",
        f"% No table is wider than {TEXT:g} pt, the text of the class article at 10 pt; two columns need table*.",
    ]
    if needs_unicode_engine(source):
        lines.append(
            "% Has letters beyond Latin: compile with LuaLaTeX or XeLaTeX, and a font that has them."
        )
    elif not source.isascii():
        lines.append(r"% Needs \usepackage[T1]{fontenc} for its letters with accents")
    if study["is_demonstration"]:
        invented = "records" if "protocol" in report else "articles"
        lines.append(f"% Demonstration: invented {invented}, and no finding.")
    return lines

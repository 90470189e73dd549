"""The tables of scores as LaTeX. Pure."""

from evaluation.paper import parts
from evaluation.paper.parts import TableRows, bracketed
from evaluation.paper.widths import breakable
from evaluation.report.display import COMPACT, Display
from evaluation.report.figures import Figure, cluster_word
from evaluation.report.score_sections import score_tables
from evaluation.report.validation_sections import validations as of_people
from evaluation.shapes.study_report import Report
from pages.latex import escaped


def tables(report: Report, display: Display) -> list[list[str]]:
    """Each declared table: in the full form every measure, else the first one."""
    models = {model.name: model for model in display.models}
    order = {name: place for place, name in enumerate(models)}
    made = []
    for table in score_tables(report):
        *above, last = ([breakable(words) for words in axis] for axis in table.axes)
        for section in table.sections[: 1 if display.form == COMPACT else None]:
            rows = [
                [
                    breakable(models[line.head].label if line.head in models else line.head),
                    *map(_cell, line.figures),
                ]
                for line in sorted(section.lines, key=lambda line: order.get(line.head, -1))
            ]
            caption = (
                f"{breakable(table.title)}: {breakable(section.title)} ({escaped(section.unit)}), with 95\\,\\% "
                f"intervals by resampling {escaped(cluster_word(report))}s (W: Wilson's). {breakable(table.origin)}."
            )
            name = parts.named(report, f"scores-{table.name}-{section.key}")
            heads = [breakable(table.head), *last]
            over = [["", *axis] for axis in above]
            figures = [figure for line in section.lines for figure in line.figures]
            gaps = [figure.reason for figure in figures if not figure.interval]
            made.append(parts.table(name, caption, heads, [TableRows(rows)], over=over, gaps=gaps))
    return made


def validations(report: Report, display: Display) -> list[list[str]]:
    """Of each validation its table of labels, and its models with their shares."""
    names = {model.name: model.label for model in display.models}
    made = []
    for shown in of_people(report):
        title, key = breakable(shown.title), f"validation-{shown.name}"
        agreed, kappa = (
            f"{escaped(figure.value)} {bracketed(figure.interval)}".strip()
            for figure in (shown.agreement, shown.kappa)
        )
        beside = "".join(f" {escaped(words)}." for words in shown.beside)
        caption = (
            f"{title}: people's verdicts in rows, the scorer's labels in columns ($n={shown.n}$). Agreement "
            f"{agreed}, unweighted Cohen's $\\kappa$ {kappa}, with 95\\,\\% intervals by resampling "
            f"{escaped(cluster_word(report))}s.{beside} {escaped(shown.correlation)} {breakable(shown.note)}"
        )
        rows = [[breakable(label), *map(str, counts)] for label, counts in shown.rows]
        heads = ["People", *map(breakable, shown.columns)]
        made.append(parts.table(parts.named(report, key), caption, heads, [TableRows(rows)]))
        lines = [
            [breakable(names.get(row.model, row.model)), str(row.n), *map(_cell, row.figures)]
            for row in shown.models
        ]
        about = (
            f"{title}: {breakable(shown.label)} by people and by the scorer, model by model; intervals take "
            "responses as independent."
        )
        heads = ["Model", "$n$", "People", "Scorer", "Agreement", r"Cohen's $\kappa$"]
        gaps = [figure.reason for row in shown.models for figure in row.figures]
        name = parts.named(report, f"{key}-models")
        made.append(parts.table(name, about, heads, [TableRows(lines)], gaps=gaps))
    return made


def _cell(figure: Figure) -> str:
    counts = f"{figure.value}/{figure.of}" if figure.of else figure.value
    ends = bracketed(figure.interval)
    parts = [escaped(figure.share), escaped(counts), ends, escaped(figure.beside)]
    return " ".join(filter(None, parts))

"""The tables of scores as LaTeX. Pure."""

from evaluation.paper import parts
from evaluation.paper.escaping import escaped
from evaluation.paper.parts import TableRows, bracketed
from evaluation.paper.widths import breakable
from evaluation.report.display import COMPACT, Display
from evaluation.report.figures import Figure, cluster_word
from evaluation.report.score_sections import score_tables
from evaluation.shapes.study_report import Report


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
            made.append(parts.table(name, caption, heads, [TableRows(rows)], over=over))
    return made


def _cell(figure: Figure) -> str:
    counts = f"{figure.value}/{figure.of}" if figure.of else figure.value
    ends = bracketed(figure.interval)
    parts = [escaped(figure.share), escaped(counts), ends, escaped(figure.beside)]
    return " ".join(filter(None, parts))

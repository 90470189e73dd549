"""The parts that all LaTeX tables of a report are made of. Pure."""

from collections.abc import Iterable, Sequence

from evaluation.paper.escaping import escaped
from evaluation.report import sentences
from evaluation.report.shapes import Report, Share

MIDRULE = r"\midrule"


def line(cells: Iterable[str]) -> str:
    """One row; the cells are LaTeX already."""
    return " & ".join(cells) + r" \\"


def heading(width: int, text: str) -> str:
    """A row that names the rows below it."""
    return rf"\multicolumn{{{width}}}{{l}}{{\emph{{{escaped(text)}}}}} \\"


def tabular(
    name: str,
    caption: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    below: Sequence[Sequence[str]] = (),
) -> list[str]:
    """A table of its own; the first column is set to the left, the others to the right."""
    return [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        rf"\label{{tab:{name}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
        r"\toprule",
        line(heads),
        MIDRULE,
        *map(line, rows),
        *([MIDRULE] if below else []),
        *map(line, below),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def longtable(
    name: str, caption: str, columns: str, heads: Sequence[str], groups: Sequence[Sequence[str]]
) -> list[str]:
    """A table over several pages, its head on each; `groups` are rows of LaTeX with a rule between."""
    head = [r"\toprule", line(heads), MIDRULE]
    body = [row for group in groups for row in (*group, MIDRULE)]
    return [
        rf"\begin{{longtable}}{{{columns}}}",
        rf"\caption{{{caption}}}\label{{tab:{name}}} \\",
        *head,
        r"\endfirsthead",
        *head,
        r"\endhead",
        *body[:-1],
        r"\bottomrule",
        r"\end{longtable}",
    ]


def named(report: Report, name: str) -> str:
    """A label of this report's table `name`: letters, digits and hyphens only."""
    slug = f"{report['study']['slug']}-{name}"
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in slug)


def comment(text: str) -> str:
    """On one line: a line break would end the comment and set the rest."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def of_n(cell: Share) -> str:
    """k/n, the share and its interval in per cent."""
    if not cell["n"]:
        return "--"
    ends = escaped(sentences.cell_ends(cell))
    share = f"{cell['k']}/{cell['n']} {100 * cell['k'] / cell['n']:.1f}"
    return f"{share} [{ends}]" if ends else share


def per_cent(cell: Share) -> str:
    return f"{100 * cell['k'] / cell['n']:.1f}" if cell["n"] else "--"

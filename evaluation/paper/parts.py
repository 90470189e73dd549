"""The parts that all LaTeX tables of a report are made of. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from evaluation.paper.widths import SEP, TablePart, breakable, laid_out, lines_of
from evaluation.shapes.study_report import Report
from evaluation.tables import sentences
from pages.latex import escaped

MIDRULE = r"\midrule"
# A table of more lines than this is set over several pages: a page of the class article at 10 pt holds about fifty.
MOST_LINES = 40
# What differs from cell to cell in the reason why a number is missing.
OWN_COUNTS = re.compile(r" \(\d+\)|(?<=Undefined in )[\d,]+(?= of)")


@dataclass(frozen=True)
class TableRows:
    """Rows of a table between two rules, below their common `title`; cells are LaTeX, the title is text."""

    rows: Sequence[Sequence[str]]
    title: str = ""


def table(
    name: str,
    caption: str,
    heads: Sequence[str],
    groups: Sequence[TableRows],
    keys: int = 1,
    over: Sequence[Sequence[str]] = (),
    gaps: Iterable[str] = (),
) -> list[str]:
    """A table that is no wider than the text, in parts by columns where these are too many.

    `gaps` are the reasons why numbers or intervals are missing, which the caption gives, each once.

    Each part has the first `keys` columns. Caption, heads and cells are LaTeX, with `breakable` names. Rows `over` the
    heads have a cell for each column; equal ones next to each other are set once, over all of them.
    """
    caption += _on_gaps(gaps)
    rows = [row for group in groups for row in group.rows]
    columns = [list(column) for column in zip(heads, *rows, strict=True)]
    parts = laid_out([list(column) for column in zip(*over, heads, *rows, strict=True)], keys)
    lines: list[str] = []
    for n, part in enumerate(parts, start=1):
        of = f" Part {n} of {len(parts)}." if len(parts) > 1 else ""
        label = rf"\label{{tab:{name}{f'-{n}' if n > 1 else ''}}}"
        above = [line for n in range(len(over)) for line in _over(over[: n + 1], part)]
        lines += ["", *_one(rf"\caption{{{caption}{of}}}{label}", columns, groups, part, above)]
    return lines[1:]


def _on_gaps(gaps: Iterable[str]) -> str:
    each = dict.fromkeys(
        sentences.lowered(OWN_COUNTS.sub("", reason)).removeprefix("no interval: ").rstrip(".")
        for reason in gaps
        if reason
    )
    told = escaped("; ".join(each))
    return f" Where a number (--) or an interval is missing: {told}." if told else ""


def _one(
    caption: str,
    columns: Sequence[Sequence[str]],
    groups: Sequence[TableRows],
    part: TablePart,
    above: Sequence[str],
) -> list[str]:
    heads = [column[0] for column in columns]
    head = [r"\toprule", *above, _line(heads, part), MIDRULE]
    body = [line for group in groups for line in (*_lines(group, part), MIDRULE)][:-1]
    kinds = [_column(columns[i], width) for i, width in zip(part.columns, part.widths, strict=True)]
    size = rf"\small\setlength{{\tabcolsep}}{{{SEP:g}pt}}"
    tall = sum(lines_of(row, part) for group in groups for row in group.rows)
    if tall + sum(1 for group in groups if group.title) <= MOST_LINES:
        begin = [r"\begin{table}", rf"\centering{size}", caption, r"\begin{tabular}{@{}"]
        end = [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
        return [*begin, *kinds, "@{}}", *head, *body, *end]
    begin = [f"{{{size}", r"\begin{longtable}{@{}", *kinds, "@{}}"]
    page_heads = [*head, r"\endfirsthead", *head, r"\endhead"]
    return [*begin, rf"{caption} \\", *page_heads, *body, r"\bottomrule", r"\end{longtable}", "}"]


def _column(cells: Sequence[str], width: float) -> str:
    """Numbers to the right, all else to the left; a line ends at spaces only."""
    plain = (cell.replace(",", "").replace(".", "", 1) for cell in cells[1:])
    numbers = all(cell.isdecimal() or cell == "--" for cell in plain)
    side = r"\raggedleft" if numbers else r"\raggedright"
    return rf">{{{side}\arraybackslash}}p{{{width:g}pt}}"


def _lines(group: TableRows, part: TablePart) -> Iterator[str]:
    if group.title:
        # The star keeps it on the page of the rows that it names.
        wide = rf"\multicolumn{{{len(part.columns)}}}{{@{{}}p{{{part.width:g}pt}}@{{}}}}"
        yield rf"{wide}{{\raggedright\emph{{{breakable(group.title)}}}}} \\*"
    for row in group.rows:
        yield _line(row, part)


def _over(rows: Sequence[Sequence[str]], part: TablePart) -> list[str]:
    """The last of these rows of heads, and its rules. A head is over columns whose heads above it are equal, too."""
    cells, rules, place = [], [], 0
    for heads, of in groupby([row[column] for row in rows] for column in part.columns):
        end = place + len(list(of))
        width = sum(part.widths[place:end]) + 2 * SEP * (end - place - 1)
        edge = "@{}" if end == len(part.columns) else ""
        kind = rf">{{\centering\arraybackslash}}p{{{width:g}pt}}{edge}"
        if heads[-1]:
            cells.append(rf"\multicolumn{{{end - place}}}{{{kind}}}{{{heads[-1]}}}")
            rules.append(rf"\cmidrule(lr){{{place + 1}-{end}}}")
        else:
            cells.append(" & " * (end - place - 1))
        place = end
    return [" & ".join(cells) + r" \\", "".join(rules)]


def _line(cells: Sequence[str], part: TablePart) -> str:
    return " & ".join(cells[column] for column in part.columns) + r" \\"


def named(report: Report, name: str) -> str:
    """A label of this report's table `name`: letters, digits and hyphens only."""
    slug = f"{report['study']['slug']}-{name}"
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in slug)


def comment(text: str) -> str:
    """On one line: a line break would end the comment and set the rest."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def bracketed(ends: str) -> str:
    """The ends of an interval, which stay on one line; "" for none."""
    return rf"\mbox{{[{escaped(ends)}]}}" if ends else ""

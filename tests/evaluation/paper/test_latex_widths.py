"""No table is wider than the text of the class article at 10 pt, whatever there is and however it is called."""

import re
import shutil
import subprocess

import pytest

from evaluation.charts.pictures import drawn
from evaluation.charts.standalone import room
from evaluation.paper import widths
from evaluation.paper.chart_includes import chart_name, includes
from evaluation.paper.latex import latex
from evaluation.report.display import read_display
from evaluation.report.drawings import drawings
from tests.evaluation.paper import large
from tests.evaluation.paper.test_paper import check, tables

TITLE = "Question with both passages, and the demand to name every contradiction that there is between them"
REPORTS = {
    "small": {"models": ["gpt-4", "llama"], "titles": ["Question alone"], "judges": ["judge-1"]},
    "large": {
        "models": [f"{name}{n}" for n in range(4) for name in large.HARD],
        "titles": [TITLE] * 7,
        "judges": large.HARD,
        "verdicts": 6,
    },
}


def source(name, form, **changes):
    report = large.report(**{**REPORTS[name], **changes})
    return latex(report, read_display({"form": form}, report))


@pytest.mark.long
@pytest.mark.parametrize("form", ["compact", "full"])
@pytest.mark.parametrize("models", [["m"], [*large.HARD, large.RIGHT_TO_LEFT] * 3], ids=len)
@pytest.mark.parametrize(("prompts", "verdicts"), [(1, 3), (4, 6), (12, 3)])
def test_no_table_is_wider_than_the_text(form, models, prompts, verdicts):
    models = list(dict.fromkeys(f"{name}{n}" for n, name in enumerate(models)))
    report = large.report(models, [TITLE] * prompts, models[:2], verdicts)
    text = latex(report, read_display({"form": form}, report))
    check(text)
    for rows, columns in tables(text):
        assert sum(columns) + 2 * widths.SEP * (len(columns) - 1) <= widths.TEXT + 0.1
        for row in rows:
            cells = re.split(r"(?<!\\)&", row.removesuffix(r"\\"))
            if len(cells) == len(columns) and r"\caption" not in row:
                for cell, width in zip(cells, columns, strict=True):
                    assert widths.narrowest(cell.strip()) <= width, cell


def test_every_share_of_the_compact_form_has_its_interval():
    text = source("large", "compact")
    part = text[: text.index("-comparisons-")]
    shares = re.findall(r"\d+\.\d (\\mbox\{\[[\d.]+--[\d.]+( W)?\]\})?", part)
    assert len(shares) > 7
    assert all(interval for interval, _ in shares)


def test_a_table_of_too_many_columns_comes_in_parts_that_repeat_the_models():
    text = source("large", "compact")
    found = re.findall(r"\\toprule\n(.*) \\\\", text[: text.index("-comparisons-")])
    heads = list(dict.fromkeys(found))
    assert len(heads) > 1
    assert all(head.startswith("Model & ") for head in heads)
    shown = [name for head in heads for name in re.findall(r"& (\d+)(?= |$)", head)]
    assert shown == ["1", "2", "3", "4", "5", "6", "7"]
    assert f"Prompts: 1: {TITLE}" in text


@pytest.mark.long
@pytest.mark.parametrize("form", ["compact", "full"])
@pytest.mark.parametrize("name", REPORTS)
def test_latex_sets_every_table_within_the_text(form, name, tmp_path):
    set_by_pdflatex(source(name, form), tmp_path)


def test_latex_includes_every_figure_in_both_widths(tmp_path):
    report = large.report(large.HARD, [TITLE, "Question alone"])
    for width in ("page", "column"):
        charts = drawings(report, wide=room(width)).values()
        for chart in charts:
            name = chart_name("report", chart.key, "pdf", width)
            (tmp_path / name).write_bytes(drawn(chart.svg, width, "pdf", chart.title))
    text = includes(report, charts, "report")
    assert text.count("\\includegraphics") == len(charts) > 5
    in_columns = text.replace(".pdf}", "-column.pdf}").replace(r"\linewidth", "240pt")
    set_by_pdflatex(f"{text}{in_columns.replace('fig:', 'fig:column-')}", tmp_path)


def set_by_pdflatex(text, folder):
    """Compile it within an article at 10 pt: no error, and nothing wider than the text by more than a point."""
    if not shutil.which("pdflatex"):
        pytest.skip(
            "No pdflatex. apt-get install texlive-latex-base texlive-latex-recommended has it."
        )
    packages = re.findall(r"% Needs (\\usepackage\S+)", text)
    # Each float on a page of its own: LaTeX holds only so many back.
    body = re.sub(r"(\\end\{(table|figure)\})", r"\1\n\\clearpage", text)
    lines = [
        r"\documentclass[10pt]{article}",
        *packages,
        r"\begin{document}",
        body,
        r"\end{document}",
    ]
    (folder / "paper.tex").write_text("\n".join(lines), encoding="utf-8")
    made = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    log = made.stdout.decode("utf-8", "replace").replace("\n", "")
    assert made.returncode == 0, log[-2000:]
    over = [float(by) for by in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide", log)]
    assert [by for by in over if by > 1] == []

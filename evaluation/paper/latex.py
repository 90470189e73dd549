"""A report's tables as LaTeX with booktabs: which there are, and the comments above them. Pure."""

from collections.abc import Callable, Sequence

from evaluation.paper import comparison_latex, judge_latex, score_latex, verdict_latex
from evaluation.paper.parts import (
    TableRows,
    bracketed,
    comment,
    gap_of,
    kappa_heads,
    named,
    table,
)
from evaluation.paper.widths import TEXT, breakable
from evaluation.report import sentences
from evaluation.report.agreement_rows import by_slice, in_round
from evaluation.report.display import COMPACT, Display
from evaluation.report.figures import Figure, cluster_word, is_judged, resampled_word
from evaluation.report.layout import report_in_its_words
from evaluation.report.portion_tables import of_slices
from evaluation.report.verdict_rows import offered
from evaluation.shapes.study_report import Report
from evaluation.statistics.coefficient import Coefficient
from pages.latex import escaped, needs_unicode_engine


def latex(report: Report, display: Display) -> str:
    """The whole source: comments on what it needs and comes from, then the tables."""
    report = report_in_its_words(report)
    made = _compact if display.form == COMPACT else _full
    parts = made(report, display) if is_judged(report) else []
    parts += [*score_latex.tables(report, display), *score_latex.validations(report, display)]
    body = [line for part in parts if part for line in ("", *part)]
    return "\n".join([*_head(report, body), *body]) + "\n"


def _compact(report: Report, display: Display) -> list[list[str]]:
    (table,) = report["tables"]
    return [
        verdict_latex.compact(report, display, table, named(report, "compact")),
        _by_slice(report),
        comparison_latex.compact(report, display),
        judge_latex.compact(report, display),
    ]


def _full(report: Report, display: Display) -> list[list[str]]:
    (table,) = report["tables"]
    name = named(report, "verdicts")
    caption = (
        "Final verdicts, after exclusions: k of n, the share and its 95\\,\\% interval in per cent, by resampling "
        f"{escaped(cluster_word(report))}s (W: Wilson's)."
    )
    return [
        verdict_latex.full(report, display, table, name, caption, offered(report)),
        _agreement(report, display),
        _by_slice(report),
        comparison_latex.full(report, display),
        judge_latex.full(report, display),
    ]


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


def _agreement(report: Report, display: Display) -> list[str]:
    rows, methods, gaps = [], [], []
    entries = report["agreement"]["prompts"]
    mine = [
        (prompt, e) for prompt in display.prompts for e in entries if e["prompt"] == prompt.name
    ]
    for prompt, entry in mine:
        for pair in entry["pairs"]:
            agreed, kappa = (
                sentences.coefficient_of(pair["coefficients"], name)
                for name in ("percent_agreement", "cohen_kappa")
            )
            plain = sentences.unweighted_of(pair["coefficients"], kappa)
            judges = breakable(", ".join(pair["judges"]))
            kappas = [_value(one, sentences.number) for one in (kappa, plain) if one]
            shown = [_value(agreed, sentences.percent), *kappas]
            label = breakable(prompt.label + in_round(entry))
            rows.append([label, judges, str(kappa["n"]), *shown])
            methods.append(sentences.method_of(kappa))
            gaps += [gap_of(one) for one in (agreed, kappa, plain) if one]
    if not rows:
        return [f"% {comment(report['agreement']['reason'])}"]
    how = ", ".join(dict.fromkeys(escaped(method) for method in methods if method))
    caption = (
        "Agreement on first verdicts, before resolution and exclusions, with 95\\,\\% intervals"
    )
    caption += f" ({how}; W: Wilson's)." if how else " (W: Wilson's)."
    heads = ["Prompt", "Judges", "$n$", "Agreement", *kappa_heads(report)]
    return table(named(report, "agreement"), caption, heads, [TableRows(rows)], keys=3, gaps=gaps)


def _by_slice(report: Report) -> list[str]:
    slices = by_slice(report)
    rows = [
        [
            breakable(row.prompt),
            breakable(row.name),
            str(row.n),
            *map(_shown, row.figures),
        ]
        for row in slices
    ]
    if not rows:
        return []
    caption = (
        f"Agreement on first verdicts by slices of the records, over all prompts. {of_slices(report)}. "
        f"The interval of alpha is by resampling {escaped(resampled_word(report))}s, the others take responses as "
        "independent."
    )
    kappa = kappa_heads(report)[0]
    heads = ["Slice", "Value, judges", "$n$", "Agreement", kappa, r"$\alpha$"]
    figures = [figure for row in slices for figure in row.figures]
    gaps = [figure.reason for figure in figures]
    if not all(figure.value for figure in figures):
        gaps.append("agreement and kappa are of two judges, alpha is of all who judged")
    name = named(report, "agreement-by-slice")
    return table(name, caption, heads, [TableRows(rows)], keys=3, gaps=gaps)


def _shown(figure: Figure) -> str:
    value = f"{escaped(figure.value)} {bracketed(figure.interval)}".strip()
    return f"{value}, {escaped(figure.beside)}" if figure.beside else value


def _value(coefficient: Coefficient, words: Callable[[float | None], str]) -> str:
    if coefficient["value"] is None:
        return "--"
    low, high = sentences.ends_of(coefficient)
    mark = " W" if sentences.method_of(coefficient) == sentences.WILSON else ""
    ends = "" if low is None or high is None else bracketed(f"{words(low)}, {words(high)}{mark}")
    return f"{escaped(words(coefficient['value']))} {ends}".strip()

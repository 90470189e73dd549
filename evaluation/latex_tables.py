"""A report's tables as LaTeX with booktabs. Pure."""

from collections.abc import Callable, Sequence
from typing import Any

from evaluation import sentences
from evaluation.display import COMPACT, Display, Named
from evaluation.figures import Report
from evaluation.latex import escaped, needs_unicode_engine
from evaluation.tables import ALL
from evaluation.verdict_page import SLICE_LABELS, best_first

Cells = dict[tuple[str, str, str, str], dict[str, Any]]


def latex(report: Report, display: Display) -> str:
    """The whole source: comments on what it needs and comes from, then the tables."""
    make = _compact if display.form == COMPACT else _full
    body = make(report, display)
    return "\n".join([*_head(report, body), "", *body]) + "\n"


def _head(report: Report, body: Sequence[str]) -> list[str]:
    made_of, study = report["snapshot"], report["study"]
    packages = "booktabs" if "longtable" not in "".join(body) else "booktabs,longtable"
    frozen = f", frozen report {made_of['id']}" if made_of["id"] else ""
    lines = [
        f"% {_comment(study['name'])}{frozen}",
        f"% Sic et Non {made_of['app_version']}, {made_of['rows']} rows, sha256 {made_of['sha256']}",
        f"% Needs \\usepackage{{{packages}}}",
    ]
    if needs_unicode_engine("\n".join(body)):
        lines.append(
            "% Has letters beyond Latin: compile with LuaLaTeX or XeLaTeX, and a font that has them."
        )
    if study["is_demonstration"]:
        lines.append("% Demonstration: invented articles, and no finding.")
    return lines


def _comment(text: str) -> str:
    """On one line: a line break would end the comment and set the rest."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


# ---------------------------------------------------------------- compact


def _compact(report: Report, display: Display) -> list[str]:
    """Models by prompts: the share of the best verdict in per cent, and kappa below."""
    best = best_first(report)[0]
    label = next(verdict["label"] for verdict in report["verdicts"] if verdict["key"] == best)
    cells = _cells(report)
    columns = [
        [cells[prompt.name, model.name, ALL, best] for model in display.models]
        for prompt in display.prompts
    ]
    ns = [{cell["n"] for cell in column} for column in columns]
    heads = [
        f"{escaped(prompt.label)}{f' ($n={next(iter(n))}$)' if len(n) == 1 else ''}"
        for prompt, n in zip(display.prompts, ns, strict=True)
    ]
    rows = [
        [
            escaped(model.label),
            *(_share(column[i], len(n) > 1) for column, n in zip(columns, ns, strict=True)),
        ]
        for i, model in enumerate(display.models)
    ]
    kappas = [_kappa(report, prompt) for prompt in display.prompts]
    below = [[r"Cohen's $\kappa$", *kappas]] if any(kappas) else []
    caption = (
        f"Share of responses judged {label.lower()} in per cent, by model and prompt; n counts the responses with "
        "a final verdict."
    )
    if below:
        caption += " Kappa is on the judges' first verdicts."
    return _tabular(report, "compact", caption, ["Model", *heads], rows, below)


def _share(cell: dict[str, Any], with_n: bool) -> str:
    if not cell["n"]:
        return "--"
    share = f"{100 * cell['k'] / cell['n']:.1f}"
    return f"{share} ({cell['n']})" if with_n else share


def _kappa(report: Report, prompt: Named) -> str:
    """The prompt's kappa where there is one: two people judged all of its responses."""
    for found in report["agreement"]["prompts"]:
        if found["prompt"] == prompt.name and len(found["pairs"]) == 1:
            kappa = sentences.of(found["pairs"][0]["coefficients"], "cohen_kappa")
            return escaped(sentences.number(kappa["value"], 2))
    return ""


# ---------------------------------------------------------------- full


def _full(report: Report, display: Display) -> list[str]:
    """Every verdict of every model, prompt and slice; then agreement."""
    verdicts = best_first(report)
    labels = {verdict["key"]: escaped(verdict["label"]) for verdict in report["verdicts"]}
    cells, lines = _cells(report), []
    slices = list(dict.fromkeys(cell["slice"] for cell in report["tables"][0]["rows"]))
    width = 3 + len(verdicts)
    for prompt in display.prompts:
        lines.append(rf"\multicolumn{{{width}}}{{l}}{{\emph{{{escaped(prompt.label)}}}}} \\")
        for model in display.models:
            for place, part in enumerate(slices):
                found = [cells[prompt.name, model.name, part, verdict] for verdict in verdicts]
                first = escaped(model.label) if place == 0 else ""
                line = [first, SLICE_LABELS[part], str(found[0]["n"]), *map(_of_n, found)]
                lines.append(" & ".join(line) + r" \\")
        lines.append(r"\midrule" if prompt is not display.prompts[-1] else r"\bottomrule")
    heads = ["Model", "Questions", "$n$", *(labels[verdict] for verdict in verdicts)]
    caption = (
        "Final verdicts, after exclusions: k of n, the share and its 95\\,\\% interval in per cent, by resampling "
        "articles (W: Wilson's)."
    )
    table = [
        rf"\begin{{longtable}}{{llr{'l' * len(verdicts)}}}",
        rf"\caption{{{caption}}}\label{{tab:{_key(report)}-verdicts}} \\",
        r"\toprule",
        " & ".join(heads) + r" \\",
        r"\midrule",
        r"\endfirsthead",
        r"\toprule",
        " & ".join(heads) + r" \\",
        r"\midrule",
        r"\endhead",
        *lines,
        r"\end{longtable}",
    ]
    return [*table, "", *_agreement(report, display)]


def _of_n(cell: dict[str, Any]) -> str:
    if not cell["n"]:
        return "--"
    ends = escaped(sentences.cell_ends(cell))
    return f"{cell['k']}/{cell['n']} {100 * cell['k'] / cell['n']:.1f} [{ends}]"


def _agreement(report: Report, display: Display) -> list[str]:
    rows, methods = [], []
    found = {prompt["prompt"]: prompt for prompt in report["agreement"]["prompts"]}
    for prompt in display.prompts:
        for pair in found[prompt.name]["pairs"]:
            agreed, kappa = (
                sentences.of(pair["coefficients"], name)
                for name in ("percent_agreement", "cohen_kappa")
            )
            judges = escaped(", ".join(pair["judges"]))
            shown = [_value(agreed, sentences.percent), _value(kappa, sentences.number)]
            rows.append([escaped(prompt.label), judges, str(kappa["n"]), *shown])
            methods.append(sentences.method_of(kappa))
    if not rows:
        return [f"% {_comment(report['agreement']['reason'])}"]
    how = ", ".join(dict.fromkeys(escaped(method) for method in methods if method))
    caption = (
        "Agreement on first verdicts, before resolution and exclusions, with 95\\,\\% intervals"
    )
    caption += f" (kappa: {how})." if how else "."
    heads = ["Prompt", "Judges", "$n$", "Agreement", r"Cohen's $\kappa$"]
    return _tabular(report, "agreement", caption, heads, rows, [])


def _value(coefficient: dict[str, Any], words: Callable[[float | None], str]) -> str:
    if coefficient["value"] is None:
        return "--"
    shown = escaped(words(coefficient["value"]))
    low, high = sentences.ends_of(coefficient)
    if low is None or high is None:
        return shown
    return f"{shown} [{escaped(words(low))}, {escaped(words(high))}]"


# ---------------------------------------------------------------- parts


def _tabular(
    report: Report,
    name: str,
    caption: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    below: Sequence[Sequence[str]],
) -> list[str]:
    """A table of its own; the first column is set to the left, the others to the right."""
    return [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        rf"\label{{tab:{_key(report)}-{name}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
        r"\toprule",
        " & ".join(heads) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        *([r"\midrule"] if below else []),
        *(" & ".join(row) + r" \\" for row in below),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def _key(report: Report) -> str:
    """A label's name: letters, digits and hyphens only."""
    slug = str(report["study"]["slug"])
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in slug)


def _cells(report: Report) -> Cells:
    return {
        (cell["prompt"], cell["model"], cell["slice"], cell["verdict"]): cell
        for cell in report["tables"][0]["rows"]
    }

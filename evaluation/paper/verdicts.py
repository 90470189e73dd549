"""Tables of verdicts as LaTeX: people's final ones, and a judge model's. Pure."""

from collections.abc import Sequence

from evaluation.paper.display import Display, Named
from evaluation.paper.escaping import escaped
from evaluation.paper.parts import heading, line, longtable, of_n, per_cent, tabular
from evaluation.report import sentences
from evaluation.report.figures import verdict_labels
from evaluation.report.shapes import Cell, Report, Table
from evaluation.report.verdicts import SLICE_LABELS, best_first
from evaluation.statistics.tables import ALL

Cells = dict[tuple[str, str, str, str], Cell]


def compact(
    report: Report, display: Display, table: Table, name: str, judge: str = ""
) -> list[str]:
    """Models by prompts: the share of the best verdict in per cent; of people with kappa below.

    `judge` is the name of the judge model whose verdicts these are, "" for people's.
    """
    best = best_first(report)[0]
    cells, prompts = _cells(table), _prompts(display, table)
    columns = [
        [cells[prompt.name, model.name, ALL, best] for model in display.models]
        for prompt in prompts
    ]
    ns = [{cell["n"] for cell in column} for column in columns]
    heads = [
        f"{escaped(prompt.label)}{f' ($n={next(iter(n))}$)' if len(n) == 1 else ''}"
        for prompt, n in zip(prompts, ns, strict=True)
    ]
    rows = [
        [
            escaped(model.label),
            *(_share(column[i], len(n) > 1) for column, n in zip(columns, ns, strict=True)),
        ]
        for i, model in enumerate(display.models)
    ]
    label = verdict_labels(report)[best].lower()
    if judge:
        caption = (
            f"Share of responses that {escaped(judge)} judged {label} in per cent, by model and prompt; n counts its "
            "replies, those without a verdict among them."
        )
        return tabular(name, caption, ["Model", *heads], rows)
    kappas = [_kappa(report, prompt) for prompt in prompts]
    below = [[r"Cohen's $\kappa$", *kappas]] if any(kappas) else []
    caption = (
        f"Share of responses judged {label} in per cent, by model and prompt; n counts the responses with a final "
        "verdict."
    )
    if below:
        caption += " Kappa is on the judges' first verdicts."
    return tabular(name, caption, ["Model", *heads], rows, below)


def _share(cell: Cell, with_n: bool) -> str:
    return f"{per_cent(cell)} ({cell['n']})" if with_n and cell["n"] else per_cent(cell)


def _kappa(report: Report, prompt: Named) -> str:
    """The prompt's kappa where there is one: two people judged all of its responses."""
    for agreement in report["agreement"]["prompts"]:
        if agreement["prompt"] == prompt.name and len(agreement["pairs"]) == 1:
            kappa = sentences.of(agreement["pairs"][0]["coefficients"], "cohen_kappa")
            return escaped(sentences.number(kappa["value"], 2))
    return ""


def full(
    report: Report, display: Display, table: Table, name: str, caption: str, verdicts: Sequence[str]
) -> list[str]:
    """Every verdict of every model, prompt and slice as k of n with its interval."""
    labels, cells = verdict_labels(report), _cells(table)
    slices = list(dict.fromkeys(cell["slice"] for cell in table["rows"]))
    heads = ["Model", "Questions", "$n$", *(escaped(labels[verdict]) for verdict in verdicts)]
    groups = []
    for prompt in _prompts(display, table):
        rows = [heading(len(heads), prompt.label)]
        for model in display.models:
            for place, part in enumerate(slices):
                line_cells = [cells[prompt.name, model.name, part, verdict] for verdict in verdicts]
                first = escaped(model.label) if place == 0 else ""
                rows.append(
                    line(
                        [first, SLICE_LABELS[part], str(line_cells[0]["n"]), *map(of_n, line_cells)]
                    )
                )
        groups.append(rows)
    return longtable(name, caption, f"llr{'l' * len(verdicts)}", heads, groups)


def _prompts(display: Display, table: Table) -> list[Named]:
    """Those that the table has; a judge model need not have been asked about all."""
    in_table = {cell["prompt"] for cell in table["rows"]}
    return [prompt for prompt in display.prompts if prompt.name in in_table]


def _cells(table: Table) -> Cells:
    return {
        (cell["prompt"], cell["model"], cell["slice"], cell["verdict"]): cell
        for cell in table["rows"]
    }

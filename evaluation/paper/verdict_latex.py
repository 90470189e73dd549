"""Tables of verdicts as LaTeX: people's final ones, and a judge model's. Pure."""

from collections.abc import Iterable, Iterator, Sequence

from evaluation.paper import parts
from evaluation.paper.parts import TableRows, kappa_heads, of_n, per_cent
from evaluation.paper.widths import LONGEST, ROMAN, breakable
from evaluation.report import sentences
from evaluation.report.display import Display, Named
from evaluation.report.figures import (
    cluster_word,
    resampled_word,
    scale_of_report,
    verdict_labels,
)
from evaluation.shapes.judge_agreement import PromptAgreement
from evaluation.shapes.study_report import Report
from evaluation.shapes.verdict_tables import SLICE_LABELS, VerdictCell, VerdictTable
from evaluation.statistics.coefficient import Coefficient
from evaluation.statistics.tables import ALL
from pages.latex import escaped

Cells = dict[tuple[str, str, str, str], VerdictCell]


def intervals(report: Report) -> str:
    """How intervals of shares and scores are made, as captions say it."""
    return f"95\\,\\% intervals by resampling {escaped(cluster_word(report))}s (W: Wilson's)"


def compact(
    report: Report, display: Display, table: VerdictTable, name: str, judge: str = ""
) -> list[str]:
    """Models by prompts: the share of the best verdict in per cent; of people with kappa below.

    `judge` is the name of the judge model whose verdicts these are, "" for people's.
    """
    best = scale_of_report(report).best
    cells, prompts = _cells(table), _prompts(display, table)
    columns = [
        [cells[prompt.name, model.name, ALL, best] for model in display.models]
        for prompt in prompts
    ]
    ns = [{cell["n"] for cell in column} for column in columns]
    heads, legend = _heads(prompts)
    heads = [
        f"{head}{f' ($n={next(iter(n))}$)' if len(n) == 1 else ''}"
        for head, n in zip(heads, ns, strict=True)
    ]
    rows = [
        [
            breakable(model.label),
            *(_share(column[i], len(n) > 1) for column, n in zip(columns, ns, strict=True)),
        ]
        for i, model in enumerate(display.models)
    ]
    kappas = [] if judge else _kappas(report, prompts)
    groups = [TableRows(rows), *([TableRows(kappas)] if kappas else [])]
    caption = _caption(report, judge, len(kappas) // len(kappa_heads(report)))
    gaps = _gaps((cell for column in columns for cell in column), judge)
    if kappas:
        gaps += _kappa_gaps(report, kappas)
    return parts.table(name, f"{caption}{legend}", ["Model", *heads], groups, gaps=gaps)


def _gaps(cells: Iterable[VerdictCell], judge: str) -> list[str]:
    if all(cell["n"] for cell in cells):
        return []
    return [
        f"{judge} replied to none of these responses"
        if judge
        else "no response has a final verdict"
    ]


def _caption(report: Report, judge: str, kappas: int) -> str:
    verdict = verdict_labels(report)[scale_of_report(report).best].lower()
    judged = f"that {breakable(judge)} judged" if judge else "judged"
    n = (
        "its replies, those without a verdict among them."
        if judge
        else "the responses with a final verdict."
    )
    by_round = ", in each round that gives final verdicts" if kappas > 1 else ""
    kappa = (
        f" Kappa is on the judges' first verdicts (n){by_round}{_how(report)}." if kappas else ""
    )
    return (
        f"Share of responses {judged} {breakable(verdict)} in per cent, by model and prompt, with "
        f"{intervals(report)}; n counts {n}{kappa}"
    )


def _how(report: Report) -> str:
    """How the intervals of kappa were made, where it is told otherwise than for shares."""
    made = resampled_word(report)
    return "" if made == cluster_word(report) else f", its interval by resampling {escaped(made)}s"


def _heads(prompts: Sequence[Named]) -> tuple[list[str], str]:
    """Short names of prompts, and a sentence on what they stand for."""
    heads = [
        prompt.short if ROMAN.width(prompt.short) <= LONGEST else f"P{place}"
        for place, prompt in enumerate(prompts, start=1)
    ]
    told = [
        prompt.label if prompt.label.startswith(f"{head}: ") else f"{head}: {prompt.label}"
        for head, prompt in zip(heads, prompts, strict=True)
        if head != prompt.label
    ]
    return [*map(breakable, heads)], f" Prompts: {breakable('; '.join(told))}." if told else ""


def _share(cell: VerdictCell, with_n: bool) -> str:
    return f"{per_cent(cell)} ({cell['n']})" if with_n and cell["n"] else per_cent(cell)


def _kappas(report: Report, prompts: Sequence[Named]) -> list[list[str]]:
    """A row of kappas for each round that gives final verdicts; a cell where two people judged all its responses."""
    entries = report["agreement"]["prompts"]
    cells = {
        (e["round"], e["prompt"]): [*map(_with_ends, kappas)]
        for e in entries
        if (kappas := _of_two(e))
    }
    rounds = sorted({n for n, _ in cells}, key=lambda n: n or 0)
    return [
        [
            head + ("" if n is None else f", round {n}"),
            *("".join(cells.get((n, prompt.name), ())[at : at + 1]) for prompt in prompts),
        ]
        for n in rounds
        for at, head in enumerate(kappa_heads(report))
    ]


def _of_two(entry: PromptAgreement) -> list[Coefficient]:
    """The kappa of two people, then the unweighted one where it is weighted; empty where there is none."""
    if len(entry["pairs"]) != 1:
        return []
    (pair,) = entry["pairs"]
    kappa = sentences.coefficient_of(pair["coefficients"], "cohen_kappa")
    both = [kappa, sentences.unweighted_of(pair["coefficients"], kappa)]
    return [one for one in both if one]


def _with_ends(kappa: Coefficient) -> str:
    """With its interval, as shares have theirs, and its n."""
    ends = parts.bracketed(sentences.interval(*sentences.ends_of(kappa), 2).replace(" to ", ", "))
    value = escaped(sentences.number(kappa["value"], 2))
    return " ".join(filter(None, [value, ends, f"({kappa['n']})"]))


def _kappa_gaps(report: Report, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Why a cell of kappa is empty, or lacks its value or interval."""
    if not all(map(all, rows)):
        yield "kappa is of two people who judged all these responses"
    for entry in report["agreement"]["prompts"]:
        yield from map(parts.gap_of, _of_two(entry))


def full(
    report: Report,
    display: Display,
    table: VerdictTable,
    name: str,
    caption: str,
    verdicts: Sequence[str],
    judge: str = "",
) -> list[str]:
    """Every verdict of every model, prompt and slice as k of n with its interval."""
    labels, cells = verdict_labels(report), _cells(table)
    slices = list(dict.fromkeys(cell["slice"] for cell in table["rows"]))
    heads = ["Model", "Questions", "$n$", *(breakable(labels[verdict]) for verdict in verdicts)]
    groups = []
    for prompt in _prompts(display, table):
        rows = []
        for model in display.models:
            for place, part in enumerate(slices):
                mine = [cells[prompt.name, model.name, part, verdict] for verdict in verdicts]
                first = breakable(model.label) if place == 0 else ""
                rows.append([first, SLICE_LABELS[part], str(mine[0]["n"]), *map(of_n, mine)])
        groups.append(TableRows(rows, prompt.label))
    gaps = _gaps(cells.values(), judge)
    return parts.table(name, caption, heads, groups, keys=3, gaps=gaps)


def _prompts(display: Display, table: VerdictTable) -> list[Named]:
    """Those that the table has; a judge model need not have been asked about all."""
    in_table = {cell["prompt"] for cell in table["rows"]}
    return [prompt for prompt in display.prompts if prompt.name in in_table]


def _cells(table: VerdictTable) -> Cells:
    return {(c["prompt"], c["model"], c["slice"], c["verdict"]): c for c in table["rows"]}

"""Tables of verdicts: of people's final ones, and of a judge model's. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from evaluation.shapes.judge_models import JudgeModel
from evaluation.shapes.study_report import Report, ReportPrompt, ReportSubject
from evaluation.shapes.verdict_tables import SLICE_LABELS, Ends, Share, VerdictCell, VerdictTable
from evaluation.statistics import bootstrap, wilson
from evaluation.statistics.tables import ALL, LABELLED, REPLIED, UNPARSED, VerdictLine
from evaluation.tables.report_words import cluster_word, query, scale_of_report, verdict_labels
from evaluation.tables.sentences import cell_words
from evaluation.tables.table import Cell, Group, Interval, Line, Table, count
from evaluation.tables.words import Unit
from evaluation.tables.words import counted as with_unit

# Lines of fewer responses say little and are folded.
FEWEST = 5
INTERVALS = "95 % intervals by resampling {}s (W: Wilson's)"
NOTHING = "No response has a final verdict here."


def share_cell(share: Share, rows: str = "", whole: str = "") -> Cell:
    """A share with its interval."""
    k, n = share["k"], share["n"]
    intervals = intervals_of(share)
    return Cell(
        Unit.SHARE, k / n if n else None, k, n, intervals, rows=rows if k else "", whole=whole
    )


def intervals_of(share: Ends) -> tuple[Interval, ...]:
    """The one by resampling where there is one, else Wilson's."""
    if share["cluster_low"] is not None and share["cluster_high"] is not None:
        ends = share["cluster_low"], share["cluster_high"]
        return (Interval(*ends, bootstrap.METHOD, share["clusters"]),)
    if share["low"] is not None and share["high"] is not None:
        return (Interval(share["low"], share["high"], wilson.METHOD),)
    return ()


def offered(report: Report) -> list[str]:
    """The verdicts in the order of the judges' buttons."""
    return [verdict.key for verdict in scale_of_report(report).offered]


def model_id(report: ReportSubject, name: str) -> int:
    """The number of the model that is shown under this name."""
    (model,) = [model for model in report["models"] if model["name"] == name]
    return model["id"]


def verdict_table(report: Report, judge: JudgeModel | None = None, called: str = "") -> Table:
    """A group for each prompt, a line for each model and slice: people's verdicts, or those of a judge model.

    `called` is the judge model's name in a paper, by default its own.
    """
    table = judge["table"] if judge else report["tables"][0]
    keys = [*offered(report), UNPARSED] if judge else offered(report)
    shown = verdict_labels(report)
    if judge:
        whose = f"Verdicts of {called or judge['judge']} on everything, after exclusions"
        of = "replies, those without a verdict among them"
    else:
        whose, of = "Final verdicts, after exclusions", "responses with a final verdict"
    about = f"The share of each verdict in n {of}; {INTERVALS.format(cluster_word(report))}."
    groups = (
        _group(report, table, prompt, keys, judge)
        for prompt in report["prompts"]
        if any(line["prompt"] == prompt["label"] for line in table["lines"])
    )
    return Table(
        f"judge-{judge['id']}-verdicts" if judge else "verdicts",
        whose,
        ("Model", "Questions"),
        (("n",), *((shown[verdict],) for verdict in keys)),
        tuple(groups),
        about,
        f"of fewer than {FEWEST} responses with a verdict",
        groups_of="Prompt",
    )


def best_by_model(report: Report, table: Table, legend: str = "") -> Table:
    """The share of the best verdict alone: a line for each model, a column for each prompt of the table.

    `legend` says what the short names of prompts stand for.
    """
    best = verdict_labels(report)[scale_of_report(report).best]
    at = table.column_words.index(best)
    over_all = {
        (line.keys[0], group.key): line.cells[at]
        for group in table.groups
        for line in group.lines
        if line.keys[1] == SLICE_LABELS[ALL]
    }
    prompts = [group.key for group in table.groups]
    lines = tuple(
        Line((model,), tuple(over_all[model, prompt] for prompt in prompts))
        for model in dict.fromkeys(model for model, _ in over_all)
    )
    return replace(
        table,
        key="compact" if table.key == "verdicts" else f"{table.key}-compact",
        heads=("Model",),
        columns=tuple((prompt,) for prompt in prompts),
        groups=(Group("", "", lines),),
        about=table.about.replace("The share of each verdict", f"The share that is {best.lower()}")
        + legend,
        of="Prompt",
        groups_of="",
    )


def _group(
    report: Report,
    table: VerdictTable,
    prompt: ReportPrompt,
    keys: Sequence[str],
    judge: JudgeModel | None,
) -> Group:
    lines = [line for line in table["lines"] if line["prompt"] == prompt["label"]]
    cells = [cell for cell in table["rows"] if cell["prompt"] == prompt["label"]]
    by_place = {(cell["model"], cell["slice"], cell["verdict"]): cell for cell in cells}
    return Group(
        prompt["label"],
        f"{prompt['label']}: {prompt['title']}",
        tuple(_line(report, table, prompt, line, by_place, keys, judge) for line in lines),
        _sentence(report, prompt, cells),
        _left_out(lines),
    )


def _line(
    report: Report,
    table: VerdictTable,
    prompt: ReportPrompt,
    line: VerdictLine,
    cells: Mapping[tuple[str, str, str], VerdictCell],
    keys: Sequence[str],
    judge: JudgeModel | None,
) -> Line:
    model, part = line["model"], line["slice"]
    chosen = {
        "of": "final",
        "prompt": prompt["name"],
        "model": model_id(report, model),
        "slice": part,
        "judge_model": judge and judge["id"],
    }
    by, any_of = ("said", REPLIED) if judge else ("verdict", LABELLED)
    rows = query(**chosen, **{by: any_of}) if line["labelled"] else ""
    n = count(line["labelled"], line["total"], rows, query(**chosen))
    return Line(
        (model, SLICE_LABELS[part]),
        (n, *(_cell(table, cells[model, part, key], query(**chosen, **{by: key})) for key in keys)),
        folded=line["labelled"] < FEWEST,
    )


def _cell(table: VerdictTable, cell: VerdictCell, rows: str) -> Cell:
    made = share_cell(cell, rows)
    why = "" if cell["n"] else "no response has a verdict"
    return replace(made, lowest=cell["lowest"], highest=cell["highest"], reason=why)


def _left_out(lines: Iterable[VerdictLine]) -> str:
    left_out = sum(line["left_out"] for line in lines if line["slice"] == ALL)
    if not left_out:
        return ""
    return (
        f"Not counted here: {with_unit(left_out, 'response')} to questions whose two passages are the same, "
        "since this prompt gives one of two."
    )


def _sentence(report: Report, prompt: ReportPrompt, cells: Iterable[VerdictCell]) -> str:
    scale = scale_of_report(report)
    if not scale.is_ordered:
        return ""
    mine = [cell for cell in cells if (cell["slice"], cell["verdict"]) == (ALL, scale.best)]
    best = scale[scale.best].label.lower()
    return prompt_sentence(prompt["label"], best, mine, cluster_word(report))


def prompt_sentence(label: str, verdict: str, cells: Iterable[VerdictCell], cluster: str) -> str:
    """How often each model's responses to a prompt got a verdict: the lowest and the highest share.

    `cells` are one a model, of that verdict, over all questions; `verdict` is its label in lower case,
    `cluster` what was resampled.
    """
    ranked = sorted((c for c in cells if c["n"]), key=lambda cell: cell["k"] / cell["n"])
    if not ranked:
        return NOTHING
    first, last = ranked[0], ranked[-1]
    if first is last:
        return f"On prompt {label}, {last['model']} is {verdict} on {cell_words(last, cluster)}."
    return (
        f"On prompt {label}, the share of {verdict} responses lies between {cell_words(first, cluster)} for "
        f"{first['model']} and {cell_words(last, cluster)} for {last['model']}. Which models differ is asked "
        "under Comparisons, not here."
    )

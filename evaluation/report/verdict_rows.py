"""The tables of final verdicts, laid out for a report's page. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.charts.bars import BarPart, StackedBar, stacked_bars
from evaluation.charts.svg import MISSING, NARROWEST, OTHER
from evaluation.report import sentences
from evaluation.report.figures import Figure, cluster_word, query, scale_of_report, verdict_labels
from evaluation.shapes.judge_models import JudgeModel
from evaluation.shapes.study_report import Report, ReportPrompt, ReportSubject
from evaluation.shapes.verdict_tables import SLICE_LABELS, VerdictCell, VerdictTable
from evaluation.statistics.tables import ALL, UNLABELLED, UNPARSED, VerdictLine

# Rows of fewer responses say little and are put together.
FEWEST = 5


@dataclass(frozen=True)
class VerdictRow:
    """One row: a model in a slice. The rows of a model follow each other."""

    model: str
    slice: str
    n: Figure
    cells: tuple[Figure, ...]


@dataclass(frozen=True)
class PromptSection:
    """All final verdicts on the responses to one prompt; `few` are the rows of fewer than FEWEST responses."""

    prompt: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[VerdictRow, ...]
    few: tuple[VerdictRow, ...]
    svg: str
    note: str
    sentence: str = ""


def offered(report: Report) -> list[str]:
    """The verdicts in the order of the judges' buttons."""
    return [verdict.key for verdict in scale_of_report(report).offered]


def prompt_sections(report: Report, wide: int = NARROWEST) -> list[PromptSection]:
    """The table of final verdicts, one section a prompt."""
    (table,) = report["tables"]
    return sections_of(report, table, "verdicts", wide=wide)


def sections_of(
    report: Report,
    table: VerdictTable,
    key: str,
    *,
    judge: JudgeModel | None = None,
    wide: int = NARROWEST,
) -> list[PromptSection]:
    """A table of verdicts, one section a prompt: people's final ones, or those of a judge model.

    `key` begins the ids of its charts.
    """
    keys = [*offered(report), UNPARSED] if judge else offered(report)
    shown = verdict_labels(report)
    sections = []
    for place, prompt in enumerate(report["prompts"]):
        lines = [line for line in table["lines"] if line["prompt"] == prompt["label"]]
        cells = [cell for cell in table["rows"] if cell["prompt"] == prompt["label"]]
        if not lines:
            continue
        rows, few = (
            tuple(_row(report, prompt, line, cells, keys, judge) for line in part)
            for part in _by_size(lines)
        )
        sections.append(
            PromptSection(
                prompt["label"],
                prompt["title"],
                tuple(shown[verdict] for verdict in keys),
                rows,
                few,
                _chart(report, prompt, cells, f"{key}-{place}", keys, judge, wide),
                _left_out_note(lines),
                _sentence(report, prompt, cells),
            )
        )
    return sections


def _by_size(lines: Sequence[VerdictLine]) -> tuple[list[VerdictLine], list[VerdictLine]]:
    """The lines of enough responses, and those of fewer."""
    enough = [line for line in lines if line["labelled"] >= FEWEST]
    return enough, [line for line in lines if line["labelled"] < FEWEST]


def _sentence(report: Report, prompt: ReportPrompt, cells: list[VerdictCell]) -> str:
    scale = scale_of_report(report)
    if not scale.is_ordered:
        return ""
    mine = [cell for cell in cells if (cell["slice"], cell["verdict"]) == (ALL, scale.best)]
    word, best = cluster_word(report), scale[scale.best].label.lower()
    return prompt_sentence(prompt["label"], best, mine, word)


def _row(
    report: Report,
    prompt: ReportPrompt,
    line: VerdictLine,
    cells: list[VerdictCell],
    keys: list[str],
    judge: JudgeModel | None,
) -> VerdictRow:
    place = {
        "of": "final",
        "prompt": prompt["name"],
        "model": model_id(report, line["model"]),
        "slice": line["slice"],
        "judge_model": judge and judge["id"],
    }
    where = line["model"], line["slice"]
    mine = {cell["verdict"]: cell for cell in cells if (cell["model"], cell["slice"]) == where}
    return VerdictRow(
        line["model"],
        SLICE_LABELS[line["slice"]],
        _n_figure(line, place),
        tuple(_cell_figure(mine[key], place, "said" if judge else "verdict") for key in keys),
    )


def model_id(report: ReportSubject, name: str) -> int:
    """The number of the model that is shown under this name."""
    (model,) = [model for model in report["models"] if model["name"] == name]
    return model["id"]


def _cell_figure(cell: VerdictCell, place: Mapping[str, object], parameter: str) -> Figure:
    k, n = cell["k"], cell["n"]
    return Figure(
        f"{k}/{n}",
        sentences.cell_ends(cell),
        query=query(**place, **{parameter: cell["verdict"]}) if k else "",
        share=sentences.share(k, n),
    )


def _n_figure(line: VerdictLine, place: Mapping[str, object]) -> Figure:
    labelled, total = line["labelled"], line["total"]
    text = str(total) if labelled == total else f"{labelled} of {total}"
    return Figure(text, query=query(**place) if total else "")


def _left_out_note(lines: list[VerdictLine]) -> str:
    left_out = sum(line["left_out"] for line in lines if line["slice"] == ALL)
    if not left_out:
        return ""
    return (
        f"Not counted here: {sentences.counted(left_out, 'response')} to questions whose two passages are the same, "
        "since this prompt gives one of two."
    )


def _chart(
    report: Report,
    prompt: ReportPrompt,
    cells: list[VerdictCell],
    key: str,
    verdicts: list[str],
    judge: JudgeModel | None,
    wide: int,
) -> str:
    """The verdicts on the responses to one prompt as a stacked bar a model."""
    counts = {(cell["model"], cell["verdict"]): cell["k"] for cell in cells if cell["slice"] == ALL}
    keys = list(verdicts)
    if any(verdict == UNLABELLED for _, verdict in counts):
        keys.append(UNLABELLED)
    whose = f"Verdicts of {judge['judge']}" if judge else "Final verdicts"
    return stacked_bars(
        [
            StackedBar(model["name"], tuple(counts.get((model["name"], key), 0) for key in keys))
            for model in report["models"]
        ],
        bar_parts(report, keys),
        title=f"{whose} on prompt {prompt['label']} by model",
        describe="Each bar holds all counted responses of a model. The table next to it has every number.",
        key=key,
        wide=wide,
    )


def bar_parts(report: Report, keys: Sequence[str]) -> list[BarPart]:
    """These verdicts, and what stands in place of one, as bars are made of them."""
    tones = {verdict.key: verdict.tone for verdict in scale_of_report(report).verdicts}
    tones |= {UNLABELLED: MISSING, UNPARSED: OTHER}
    labels, before = verdict_labels(report), Counter[str]()
    parts = []
    for key in keys:
        tone = tones[key]
        parts.append(BarPart(key, labels[key], tone, before[tone]))
        before[tone] += 1
    return parts


NOTHING = "No response has a final verdict here."


def prompt_sentence(label: str, verdict: str, cells: Sequence[VerdictCell], cluster: str) -> str:
    """How often each model's responses to a prompt got a verdict: the lowest and the highest share.

    `cells` are one a model, of that verdict, over all questions; `verdict` is its label in lower case,
    `cluster` what was resampled.
    """
    counted = [cell for cell in cells if cell["n"]]
    if not counted:
        return NOTHING
    ranked = sorted(counted, key=lambda cell: cell["k"] / cell["n"])
    last = ranked[-1]
    if len(ranked) == 1:
        return f"On prompt {label}, {last['model']} is {verdict} on {sentences.cell_words(last, cluster)}."
    first = ranked[0]
    return (
        f"On prompt {label}, the share of {verdict} responses lies between {sentences.cell_words(first, cluster)} for "
        f"{first['model']} and {sentences.cell_words(last, cluster)} for {last['model']}. Which models differ is asked "
        "under Comparisons, not here."
    )

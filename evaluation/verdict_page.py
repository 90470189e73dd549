"""The tables of final verdicts, laid out for a report's page. Pure."""

from dataclasses import dataclass
from typing import Any

from evaluation import charts, sentences
from evaluation.charts import Bar
from evaluation.figures import Figure, Report, query, verdict_labels
from evaluation.tables import ALL, UNLABELLED

SLICE_LABELS = {"all": "All", "explicit": "Explicit", "implicit": "Implicit", "untyped": "No type"}


@dataclass(frozen=True)
class VerdictRow:
    """One row: a model in a slice.

    `opens` is how many rows its model has where this is the first, else 0; `closes` whether it is the last.
    """

    model: str
    opens: int
    closes: bool
    slice: str
    n: Figure
    cells: tuple[Figure, ...]


@dataclass(frozen=True)
class PromptSection:
    """All final verdicts on the responses to one prompt."""

    prompt: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[VerdictRow, ...]
    svg: str
    note: str


def best_first(report: Report) -> list[str]:
    """The verdicts in the order of the judges' buttons; the report holds them worst first."""
    return [verdict["key"] for verdict in reversed(report["verdicts"])]


def prompt_sections(report: Report) -> list[PromptSection]:
    """The table of final verdicts, one section a prompt."""
    (table,) = report["tables"]
    shown = verdict_labels(report)
    columns = tuple(shown[key] for key in best_first(report))
    sections = []
    for place, prompt in enumerate(report["prompts"]):
        lines = [line for line in table["lines"] if line["prompt"] == prompt["label"]]
        cells = [cell for cell in table["rows"] if cell["prompt"] == prompt["label"]]
        slices = list(dict.fromkeys(line["slice"] for line in lines))
        rows = tuple(_row(report, prompt, line, cells, slices) for line in lines)
        chart = _chart(report, prompt, cells, f"verdicts-{place}")
        sections.append(
            PromptSection(
                prompt["label"], prompt["title"], columns, rows, chart, _left_out_note(lines)
            )
        )
    return sections


def _row(
    report: Report,
    prompt: dict[str, Any],
    line: dict[str, Any],
    cells: list[dict[str, Any]],
    slices: list[str],
) -> VerdictRow:
    (model,) = [model for model in report["models"] if model["name"] == line["model"]]
    place = {"of": "final", "prompt": prompt["name"], "model": model["id"], "slice": line["slice"]}
    mine = {
        cell["verdict"]: cell
        for cell in cells
        if (cell["model"], cell["slice"]) == (line["model"], line["slice"])
    }
    return VerdictRow(
        line["model"],
        len(slices) if line["slice"] == ALL else 0,
        line["slice"] == slices[-1],
        SLICE_LABELS[line["slice"]],
        _n_figure(line, place),
        tuple(_cell_figure(mine[key], place) for key in best_first(report)),
    )


def _cell_figure(cell: dict[str, Any], place: dict[str, Any]) -> Figure:
    k, n = cell["k"], cell["n"]
    return Figure(
        f"{k}/{n}",
        sentences.percent_ends(cell["low"], cell["high"]),
        query=query(**place, verdict=cell["verdict"]) if k else "",
        share=sentences.share(k, n),
    )


def _n_figure(line: dict[str, Any], place: dict[str, Any]) -> Figure:
    labelled, total = line["labelled"], line["total"]
    text = str(total) if labelled == total else f"{labelled} of {total}"
    return Figure(text, query=query(**place) if total else "")


def _left_out_note(lines: list[dict[str, Any]]) -> str:
    left_out = sum(line["left_out"] for line in lines if line["slice"] == ALL)
    if not left_out:
        return ""
    return (
        f"Not counted here: {left_out} responses to questions whose two passages are the same, since this prompt "
        "gives one of two."
    )


def _chart(report: Report, prompt: dict[str, Any], cells: list[dict[str, Any]], key: str) -> str:
    """The verdicts on the responses to one prompt as a stacked bar a model."""
    shown = verdict_labels(report)
    counts = {(cell["model"], cell["verdict"]): cell["k"] for cell in cells if cell["slice"] == ALL}
    keys = best_first(report)
    if any(verdict == UNLABELLED for _, verdict in counts):
        keys.append(UNLABELLED)
    return charts.stacked_bars(
        [
            Bar(model["name"], tuple(counts.get((model["name"], key), 0) for key in keys))
            for model in report["models"]
        ],
        [(key, shown[key]) for key in keys],
        title=f"Final verdicts on prompt {prompt['label']} by model",
        describe="Each bar holds all counted responses of a model. The table beside it has every number.",
        key=key,
    )

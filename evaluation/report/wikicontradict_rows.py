"""WikiContradict's table 2 next to a study's cells, laid out for the page of a report. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from evaluation.compare.wikicontradict_table import (
    ABSENT,
    DIFFERS,
    DOES_NOT_FIT,
    EQUAL,
    FITS,
    Match,
    applies,
    matches,
)
from evaluation.report.figures import verdict_labels
from evaluation.report.sentences import counted, share
from evaluation.shapes.study_report import Report
from evaluation.shapes.verdict_tables import SLICE_LABELS

MARKS = {DIFFERS: "differs", DOES_NOT_FIT: "does not fit"}
OUTCOMES = {
    EQUAL: "equal",
    DIFFERS: "with another count",
    FITS: "of fewer questions, which fit the paper’s count",
    DOES_NOT_FIT: "of other questions, which do not fit it",
    ABSENT: "not in this study",
}


@dataclass(frozen=True)
class PaperTableCell:
    """A cell: ours as k/n with its share ("" where the study has none), the paper's per cent, and a mark if at odds."""

    ours: str
    share: str
    paper: str
    mark: str


@dataclass(frozen=True)
class PaperPrompt:
    """The cells of one prompt; each row is a model, a slice, and a cell for each verdict of `columns`."""

    prompt: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, str, tuple[PaperTableCell, ...]], ...]


@dataclass(frozen=True)
class PaperTable:
    """The paper's table next to ours, and how many cells came to what in one sentence."""

    sentence: str
    prompts: tuple[PaperPrompt, ...]


def paper_table(report: Report) -> PaperTable | None:
    """None for a study of another rubric, or without a model of the paper under a prompt of the paper."""
    if not applies(report):
        return None
    cells = matches(report["tables"][0]["rows"])
    present = [match for match in cells if match.comes_to != ABSENT]
    if not present:
        return None
    tally = Counter(match.comes_to for match in cells)
    prompts = groupby(present, key=lambda match: match.paper.prompt)
    labels = verdict_labels(report)
    return PaperTable(
        _sentence(tally), tuple(_prompt(prompt, list(part), labels) for prompt, part in prompts)
    )


def _sentence(tally: Counter[str]) -> str:
    parts = [f"{tally[what]} {words}" for what, words in OUTCOMES.items() if tally[what]]
    return f"Of {counted(tally.total(), 'cell')} of the paper: {', '.join(parts)}."


def _prompt(prompt: str, cells: list[Match], labels: dict[str, str]) -> PaperPrompt:
    verdicts = list(dict.fromkeys(match.paper.verdict for match in cells))
    places = dict.fromkeys((match.model, match.paper.slice) for match in cells)
    rows = tuple(
        (model, SLICE_LABELS[part], tuple(_row(cells, model, part, verdicts)))
        for model, part in places
    )
    return PaperPrompt(prompt, tuple(labels.get(verdict, verdict) for verdict in verdicts), rows)


def _row(
    cells: list[Match], model: str, part: str, verdicts: list[str]
) -> Iterable[PaperTableCell]:
    mine = {m.paper.verdict: m for m in cells if (m.model, m.paper.slice) == (model, part)}
    return [_cell(mine[verdict]) for verdict in verdicts]


def _cell(match: Match) -> PaperTableCell:
    paper = f"{match.paper.percent:.1f} %"
    if match.k is None or not match.n:
        return PaperTableCell("", "", paper, "")
    return PaperTableCell(
        f"{match.k}/{match.n}", share(match.k, match.n), paper, MARKS.get(match.comes_to, "")
    )

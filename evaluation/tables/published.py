"""A study's table of verdicts next to one that a paper published: WikiContradict's table 2. Pure."""

from collections import Counter
from dataclasses import replace
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
from evaluation.shapes.study_report import Report
from evaluation.shapes.verdict_tables import SLICE_LABELS
from evaluation.tables.report_words import verdict_labels
from evaluation.tables.sentences import counted
from evaluation.tables.table import NOTHING, Cell, Group, Line, Table

MARKS = {DIFFERS: "differs", DOES_NOT_FIT: "does not fit"}
OUTCOMES = {
    EQUAL: "equal",
    DIFFERS: "with another count",
    FITS: "of fewer questions, which fit the paper’s count",
    DOES_NOT_FIT: "of other questions, which do not fit it",
    ABSENT: "not in this study",
}


def next_to_paper(report: Report, verdicts: Table) -> Table | None:
    """The cells of the study's table that the paper has too, each with its share there, and a reason if at odds.

    None for a study of another rubric, or without a model of the paper under a prompt of the paper.
    """
    if not applies(report):
        return None
    every = matches(report["tables"][0]["rows"])
    present = [match for match in every if match.comes_to != ABSENT]
    if not present:
        return None
    labels, tally = verdict_labels(report), Counter(match.comes_to for match in every)
    shown = dict.fromkeys(match.paper.verdict for match in present)
    ours = {(group.key, *line.keys, column): cell for group, line, column, cell in verdicts.cells}
    outcomes = (f"{tally[what]} {words}" for what, words in OUTCOMES.items() if tally[what])
    groups = []
    for prompt, of_prompt in groupby(present, key=lambda match: match.paper.prompt):
        places: dict[tuple[str, str], dict[str, Cell]] = {}
        for match in of_prompt:
            place = match.model, SLICE_LABELS[match.paper.slice]
            mine = ours[prompt, *place, labels[match.paper.verdict]]
            places.setdefault(place, {})[match.paper.verdict] = _cell(mine, match)
        lines = (
            Line(place, tuple(cells.get(verdict, NOTHING) for verdict in shown))
            for place, cells in places.items()
        )
        groups.append(Group(prompt, f"Prompt {prompt}", tuple(lines)))
    return replace(
        verdicts,
        key="next-to-paper",
        title="Next to WikiContradict’s table 2",
        columns=tuple((labels[verdict],) for verdict in shown),
        groups=tuple(groups),
        about=f"Of {counted(len(every), 'cell')} of the paper: {', '.join(outcomes)}.",
    )


def _cell(ours: Cell, match: Match) -> Cell:
    """Without an interval: the paper has the same or a part of these questions."""
    paper = (("paper", match.paper.percent / 100),)
    return replace(
        ours,
        intervals=(),
        beside=paper,
        reason=MARKS.get(match.comes_to, ""),
        lowest=None,
        highest=None,
    )

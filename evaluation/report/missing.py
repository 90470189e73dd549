"""Responses without a final verdict: how many of each kind, and which shares they leave possible. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evaluation.shapes.study_report import Report
from evaluation.shapes.verdict_tables import KINDS, VerdictCell
from evaluation.statistics.tables import ALL
from evaluation.tables.report_words import compared_word
from evaluation.tables.sentences import counted, percent_interval


class ShareRange(NamedTuple):
    """What a model's share can be, once the `missing` of all its `total` responses have a verdict."""

    model: str
    missing: int
    total: int
    ends: str


def all_of(report: Report) -> int:
    """The responses that are not excluded: those with a final verdict, and those without."""
    return sum(way["count"] for way in report["resolution"])


def missing(report: Report) -> int:
    return sum(way["count"] for way in report["resolution"] if not way["final"])


def kinds_in_words(report: Report) -> str:
    """ "10 open disagreements, 3 still being judged"."""
    ways = [way for way in report["resolution"] if not way["final"]]
    return ", ".join(counted(way["count"], *KINDS[way["how"]][1:]) for way in ways)


def sentence(report: Report) -> str:
    """How many of which kinds, for the first screen; empty where there are none."""
    n = missing(report)
    if not n:
        return ""
    kept = " to the questions that were kept" if report["study"]["excluded_instances"] else ""
    have = "has" if n == 1 else "have"
    return f"{n:,} of {counted(all_of(report), 'response')}{kept} {have} no final verdict: {kinds_in_words(report)}."


def ranges(report: Report, prompt: str, models: Sequence[str]) -> list[ShareRange]:
    """The lowest and highest share of the reported verdict, for each of `models` with such responses to a prompt."""
    verdict = report["comparisons"]["verdict"]
    found = {
        cell["model"]: ShareRange(cell["model"], gone, gone + cell["n"], _ends(cell))
        for cell, gone in _short(report)
        if (cell["prompt"], cell["verdict"]) == (prompt, verdict)
    }
    return [found[model] for model in models if model in found]


def widest(report: Report) -> str:
    """The share that such responses leave open most, in words; empty where there are none."""
    verdict = report["comparisons"]["verdict"]
    short = [(cell, gone) for cell, gone in _short(report) if cell["verdict"] == verdict]
    if not short:
        return ""
    word = compared_word(report)
    cell, _ = max(short, key=lambda lacking: lacking[1] / (lacking[1] + lacking[0]["n"]))
    return (
        f"If all of these were counted as not {word}, or all as {word}, the share of {word} responses of "
        f"{cell['model']} under prompt {cell['prompt']} would vary most, from {_ends(cell)}."
    )


def _short(report: Report) -> Iterator[tuple[VerdictCell, int]]:
    """The cells over all questions of lines that lack verdicts, and how many they lack."""
    (table,) = report["tables"]
    lines = {
        (line["prompt"], line["model"]): line for line in table["lines"] if line["slice"] == ALL
    }
    for cell in table["rows"]:
        gone = lines[cell["prompt"], cell["model"]]["unlabelled"]
        if gone and cell["slice"] == ALL:
            yield cell, gone


def _ends(cell: VerdictCell) -> str:
    return percent_interval(cell["lowest"], cell["highest"])

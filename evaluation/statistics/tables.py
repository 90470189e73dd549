"""Verdicts by model, prompt and kind of reasoning, from grouped counts. Pure.

Denominators (they reproduce WikiContradict, table 2, see docs/researchers.md): a prompt that gives one passage is
counted only over questions whose two passages differ. A response without a final verdict and a question
without a type are states of their own: they are given next to the shares, never in them.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Self, TypedDict

from .columns import Column, Mask, columns, counted
from .wilson import wilson

ALL, EXPLICIT, IMPLICIT, UNTYPED = "all", "explicit", "implicit", "untyped"
SLICES = (ALL, EXPLICIT, IMPLICIT)
UNLABELLED = "unlabelled"
# Without a final verdict because the study closed before all its judges came to the response.
INCOMPLETE = "incomplete"
# A judge model's reply without a verdict.
UNPARSED = "unparsed"
# In queries of rows: any final verdict, any reply of a judge model, and yes or no.
LABELLED, REPLIED = "labelled", "replied"
YES, NO = "yes", "no"


@dataclass(frozen=True)
class Tally:
    """`count` responses that share all this; `verdict` None where there is none.

    `reasoning` is explicit, implicit or untyped; `same_passage` whether both answers come from one passage.
    """

    model: str
    prompt: str
    article: str
    reasoning: str
    same_passage: bool
    verdict: str | None
    count: int


@dataclass(frozen=True, eq=False)
class Tallies:
    """Many of them, column by column."""

    model: Column
    prompt: Column
    article: Column
    reasoning: Column
    same_passage: Column
    verdict: Column
    count: Column

    @classmethod
    def of_rows(cls, rows: Iterable[Tally]) -> Self:
        names = [field.name for field in fields(cls)]
        return cls(**columns(names, map(attrgetter(*names), rows)))

    def where(self, rows: Mask) -> Self:
        return replace(self, **{name: column[rows] for name, column in vars(self).items()})


class VerdictCount(TypedDict):
    """`k` of `n` responses have this verdict; `low` and `high` the Wilson interval, None where n is 0.

    `n` counts the responses with a final verdict, but for the verdict "unlabelled" all of them. `lowest` and `highest`
    are the shares of all responses if none of those without a verdict had this one, or all had.
    """

    verdict: str
    k: int
    n: int
    low: float | None
    high: float | None
    lowest: float | None
    highest: float | None


class VerdictLine(TypedDict):
    """One row of the table: a model under a prompt in a slice.

    `total` responses belong here, `labelled` of them have a final verdict, and `left_out` more were not
    counted, because the prompt gives one passage of two that are the same.
    """

    prompt: str
    model: str
    slice: str
    total: int
    labelled: int
    unlabelled: int
    left_out: int


def lines(
    tallies: Tallies,
    *,
    prompts: Sequence[str],
    models: Sequence[str],
    verdicts: Sequence[str],
    one_passage: Collection[str],
) -> list[tuple[VerdictLine, list[VerdictCount]]]:
    """The table's rows with their cells: prompts, models and slices in the given order.

    There is a slice "untyped" where any question is. `one_passage` names the prompts that give a single passage.
    Raises ValueError for a tally that none of these names cover, since it would be lost from the numbers.
    """
    kept = _whatever_article(tallies)
    _check(kept, prompts, models, verdicts)
    slices = SLICES + ((UNTYPED,) if any(tally.reasoning == UNTYPED for tally in kept) else ())
    of_cell: dict[tuple[str, str], list[Tally]] = defaultdict(list)
    for tally in kept:
        of_cell[tally.prompt, tally.model].append(tally)
    return [
        _line(of_cell[prompt, model], (prompt, model, part), verdicts, prompt in one_passage)
        for prompt in prompts
        for model in models
        for part in slices
    ]


def _whatever_article(of: Tallies) -> list[Tally]:
    kinds = (of.model, of.prompt, of.reasoning, of.same_passage, of.verdict)
    return [
        Tally(model, prompt, "", part, same, verdict, count)
        for model, prompt, part, same, verdict, count in counted(*kinds, times=of.count.numbers())
    ]


def _line(
    tallies: list[Tally], place: tuple[str, str, str], verdicts: Sequence[str], one_passage: bool
) -> tuple[VerdictLine, list[VerdictCount]]:
    prompt, model, part = place
    inside = [tally for tally in tallies if part in (ALL, tally.reasoning)]
    left_out = sum(tally.count for tally in inside if one_passage and tally.same_passage)
    counts: Counter[str | None] = Counter()
    for tally in inside:
        if not (one_passage and tally.same_passage):
            counts[tally.verdict] += tally.count
    total, unlabelled = counts.total(), counts[None]
    labelled = total - unlabelled
    cells = [_cell(verdict, counts[verdict], labelled, unlabelled) for verdict in verdicts]
    if unlabelled:
        cells.append(_cell(UNLABELLED, unlabelled, total))
    line: VerdictLine = {
        "prompt": prompt,
        "model": model,
        "slice": part,
        "total": total,
        "labelled": labelled,
        "unlabelled": unlabelled,
        "left_out": left_out,
    }
    return line, cells


def _cell(verdict: str, k: int, n: int, missing: int = 0) -> VerdictCount:
    low, high = wilson(k, n) or (None, None)
    every = n + missing
    return {
        "verdict": verdict,
        "k": k,
        "n": n,
        "low": low,
        "high": high,
        "lowest": k / every if every else None,
        "highest": (k + missing) / every if every else None,
    }


def _check(
    tallies: list[Tally], prompts: Sequence[str], models: Sequence[str], verdicts: Sequence[str]
) -> None:
    for tally in tallies:
        known = tally.prompt in prompts and tally.model in models
        if not known or tally.verdict not in (None, *verdicts):
            raise ValueError(f"{tally} lies outside the table's prompts, models and verdicts.")
        if tally.reasoning not in (EXPLICIT, IMPLICIT, UNTYPED):
            raise ValueError(f"{tally.reasoning!r} is no kind of reasoning.")

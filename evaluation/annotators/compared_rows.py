"""The comparisons that a number counts: a choice read from an address, the list, and all of them as a table. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from datasets.taxonomy import DIMENSIONS
from evaluation.annotators.measures import (
    AND,
    MEASURES,
    OVERLAPS,
    Entered,
    TagComparison,
    by_tag,
    comparisons,
)
from evaluation.annotators.stage_agreement import AFTER, BEFORE, BLIND
from leases.refusal import Refusal

YES, NO = "yes", "no"
STAGES = (BEFORE, BLIND, AFTER)
Populations = Mapping[int, Mapping[str, Sequence[Entered]]]


@dataclass(frozen=True)
class ComparisonChoice:
    """Which comparisons; an empty part chooses all, an empty `stage` those before review.

    `measure` keeps those that a measure counts; `differ` "yes" those with two different labels, "no" those with two
    equal ones.
    """

    round: str = ""
    stage: str = ""
    measure: str = ""
    annotator_1: str = ""
    annotator_2: str = ""
    differ: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "ComparisonChoice":
        """From a request's query; raises Refusal for a value that no number links to."""
        given = {field.name: query.get(field.name, "") for field in fields(cls)}
        allowed = {"stage": STAGES, "measure": [*MEASURES, *OVERLAPS], "differ": (YES, NO)}
        for name, values in allowed.items():
            if given[name] and given[name] not in values:
                raise Refusal(
                    f"{name}={given[name][:80]} is not known. Follow the links of the page."
                )
        if given["round"] and not (given["round"].isascii() and given["round"].isdecimal()):
            raise Refusal("A round is chosen by its number. Follow the links of the page.")
        return cls(**given)


@dataclass(frozen=True)
class ComparedTag:
    """One comparison on the page of rows: what the two entered on the chosen measure, and their overlap on it."""

    comparison: TagComparison
    first: str
    second: str
    overlap: float | None
    differs: bool


def chosen(rounds: Populations, choice: ComparisonChoice) -> list[ComparedTag]:
    """The comparisons that the choice keeps, in the order of the draw."""
    return [
        row
        for n in sorted(rounds)
        if choice.round in ("", str(n))
        for comparison in comparisons(rounds[n].get(choice.stage or BEFORE, ()))
        if _is_of(comparison, choice)
        for row in _row(comparison, choice.measure or "validity")
        if choice.differ in ("", YES if row.differs else NO)
    ]


def _is_of(comparison: TagComparison, choice: ComparisonChoice) -> bool:
    names = {comparison.first.annotator, comparison.second.annotator}
    return {choice.annotator_1, choice.annotator_2} - {""} <= names


def _row(comparison: TagComparison, key: str) -> Iterator[ComparedTag]:
    """The row of a comparison that the measure counts; none if it does not."""
    if key in OVERLAPS:
        value = comparison.overlaps[OVERLAPS.index(key)]
        if value is not None:
            yield ComparedTag(comparison, "", "", value, value < 1)
        return
    first, second = map(MEASURES[key].label_of, (comparison.first, comparison.second))
    if first is not None and second is not None:
        yield ComparedTag(comparison, first, second, None, first != second)


COLUMNS = [
    "round", "stage", "tag", "article", "title", "annotator_1", "annotator_2", "after_seeing",
    "validity_1", "validity_2",
    *(f"type {dimension.short} {n}" for dimension in DIMENSIONS for n in (1, 2)),
    *OVERLAPS,
]  # fmt: skip


def compared_tags(rounds: Populations) -> set[int]:
    """The tags, by their rows, of all comparisons of every stage."""
    populations = (annotations for stages in rounds.values() for annotations in stages.values())
    return {item[0].tag_id for annotations in populations for item in by_tag(annotations)}


def table(rounds: Populations) -> Iterator[list[object]]:
    """Every comparison of every stage as a row of COLUMNS; several options of a dimension are joined by " + "."""
    for n in sorted(rounds):
        for stage in STAGES:
            yield from _lines(stage, comparisons(rounds[n].get(stage, ())))


def _lines(stage: str, pairs: Iterable[TagComparison]) -> Iterator[list[object]]:
    for pair in pairs:
        first, second = pair.first, pair.second
        types = [
            AND.join(entered.types[place]) if entered.is_valid else None
            for place in range(4)
            for entered in (first, second)
        ]
        yield [
            first.round,
            stage,
            first.tag,
            first.article,
            first.title,
            first.annotator,
            second.annotator,
            pair.after_seeing,
            first.validity,
            second.validity,
            *types,
            *pair.overlaps,
        ]

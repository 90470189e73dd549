"""Tables of the agreement of a campaign's annotators. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from datasets.taxonomy import DIMENSIONS, option
from evaluation.annotators.measures import DIMENSION, OPTION, OVERLAP, OVERLAPS, VALIDITY
from evaluation.annotators.stage_agreement import AFTER, BEFORE, BLIND
from evaluation.shapes.annotator_agreement import (
    AnnotatorAgreement,
    MeasureAgreement,
    StageAgreement,
)
from evaluation.statistics.two_raters import paradox_warning
from evaluation.tables.agreement import COLUMNS, OVERALL, PAIRED, coefficient_cell, put_forward
from evaluation.tables.report_words import query
from evaluation.tables.table import NOTHING, Cell, Group, Line, Table, count
from evaluation.tables.words import counted

STAGES = {BEFORE: "before review", BLIND: "before review, blind only", AFTER: "after review"}
ABOUT = {
    BEFORE: "The entries that each annotator submitted first, before any review.",
    BLIND: "The same without annotations made after their author saw other annotations of the tag.",
    AFTER: "The entries as they are after review, of annotations that were reviewed; ambiguous tags are left out.",
}
OVERLAP_LABELS = dict(
    zip(OVERLAPS, ("Passage 1", "Passage 2", "Span of passage 1", "Span of passage 2"), strict=True)
)


@dataclass(frozen=True)
class ShownPopulation:
    """One population of a round in full. `two` names its annotators where they are two.

    `misleading` are the measures with a low kappa although most agree, `unused` the options that nobody chose. Options
    that nobody chose are counted, not listed.
    """

    round: int
    stage_label: str
    about: str
    sentence: str
    two: str
    measures: Table
    misleading: list[str]
    unused: int
    overlaps: Table
    pairs: Table | None


def label_of(key: str) -> str:
    """A measure as the page calls it."""
    if key == VALIDITY:
        return "Valid or invalid"
    known = option(key)
    if known:
        return f"{known.group}: {known.label}" if known.group else known.label
    if key in OVERLAP_LABELS:
        return OVERLAP_LABELS[key]
    return next(f"{d.short}. {d.title}" for d in DIMENSIONS if key == f"type {d.short}")


def overview(report: AnnotatorAgreement) -> Table:
    """Agreement on validity of every population with two annotations of a tag; its tags lead to it."""
    lines = (
        Line(
            (f"Round {entry['round']}", STAGES[stage["stage"]]),
            (
                count(stage["tags"], rows=_address(entry["round"], stage["stage"])),
                count(stage["comparisons"]),
                count(stage["after_seeing"]),
                *_figures(stage["measures"][0]),
            ),
        )
        for entry in report["rounds"]
        for stage in entry["stages"]
        if stage["tags"]
    )
    columns = ("Tags", "Comparisons", "Made after seeing others’", *COLUMNS)
    return _table("annotators", report["campaign"], ("Round", "Stage"), columns, lines)


def _address(n: int, stage: str) -> str:
    """The query of the campaign's page with this population, and where it stands there."""
    return f"{query(round=n, stage=stage)}#chosen"


def _table(
    key: str, title: str, heads: tuple[str, ...], columns: Sequence[str], lines: Iterator[Line]
) -> Table:
    shown = tuple((words,) for words in columns)
    return Table(key, title, heads, shown, (Group("", "", tuple(lines)),))


def chosen(
    report: AnnotatorAgreement, wanted_round: str, wanted_stage: str
) -> tuple[int, StageAgreement] | None:
    """The population that an address names, else the last round's first; None where nothing was measured."""
    there = [
        (entry["round"], stage)
        for entry in reversed(report["rounds"])
        for stage in entry["stages"]
        if stage["tags"]
    ]
    named = [
        population
        for population in there
        if str(population[0]) == wanted_round and population[1]["stage"] == wanted_stage
    ]
    return next(iter([*named, *there]), None)


def population(n: int, stage: StageAgreement) -> ShownPopulation:
    """One population as the page shows it."""
    labelled = [measure for measure in stage["measures"] if measure["kind"] != OVERLAP]
    used = [measure for measure in labelled if measure["kind"] != OPTION or measure["counts"][0]]
    overlaps = [measure for measure in stage["measures"] if measure["kind"] == OVERLAP]
    met = stage["measures"][0]["pairs"]
    title, lines = f"Round {n}, {STAGES[stage['stage']]}", (_line(n, stage, one) for one in used)
    of_texts = (
        Line((label_of(one["key"]),), (_n(n, stage, one), coefficient_cell(one["all"][0])))
        for one in overlaps
    )
    return ShownPopulation(
        n,
        STAGES[stage["stage"]],
        ABOUT[stage["stage"]],
        sentence(stage),
        " and ".join(stage["annotators"]) if len(met) == 1 else "",
        _table("measures", title, ("Measure",), ("n", *COLUMNS), lines),
        [label_of(measure["key"]) for measure in used if _misleads(measure)],
        len(labelled) - len(used),
        _table("texts", "Passages and spans", ("Text",), ("n", "Mean overlap"), of_texts),
        _pairs(n, stage) if len(met) > 1 else None,
    )


def _misleads(entry: MeasureAgreement) -> bool:
    pairs = [two["coefficients"] for two in entry["pairs"]]
    return any(paradox_warning(agreed, kappa) for agreed, kappa, *_ in pairs or [entry["all"]])


def sentence(stage: StageAgreement) -> str:
    """What was compared, in words."""
    words = (
        f"{counted(stage['tags'], 'tag')} with annotations of two people or more, "
        f"{counted(stage['comparisons'], 'comparison')} of two annotations, by "
        f"{counted(len(stage['annotators']), 'annotator')}."
    )
    if seen := stage["after_seeing"]:
        words += (
            f" Of these, {seen} with an annotation made after its author saw others of the tag."
        )
    return words


def _figures(measure: MeasureAgreement) -> tuple[Cell, ...]:
    """Agreement, kappa, AC1, alpha: Cohen's kappa where two people annotated all tags, else Fleiss'."""
    every = put_forward(measure["all"], OVERALL)
    if len(measure["pairs"]) == 1:
        return (*put_forward(measure["pairs"][0]["coefficients"], PAIRED[:3]), every[-1])
    return every


def _n(n: int, stage: StageAgreement, measure: MeasureAgreement) -> Cell:
    tags = measure["all"][0]["n"]
    rows = query(round=n, stage=stage["stage"], measure=measure["key"])
    return count(tags, rows=rows if tags else "")


def _line(n: int, stage: StageAgreement, measure: MeasureAgreement) -> Line:
    return Line((label_of(measure["key"]),), (_n(n, stage, measure), *_figures(measure)))


def _pairs(n: int, stage: StageAgreement) -> Table:
    """Cohen's kappa of each two annotators on validity and on each dimension."""
    shown = [one for one in stage["measures"] if one["kind"] in (VALIDITY, DIMENSION)]

    def line(place: int) -> Line:
        of_two = [measure["pairs"][place] for measure in shown]
        first, second = of_two[0]["annotators"]
        both = {"annotator_1": first, "annotator_2": second}
        rows = query(round=n, stage=stage["stage"], measure=VALIDITY, **both)
        kappas = (put_forward(one["coefficients"], ["cohen_kappa"])[0] for one in of_two)
        tags = count(of_two[0]["coefficients"][0]["n"], rows=rows)
        return Line((f"{first}, {second}",), (tags, *kappas))

    columns = ("Tags", *(label_of(one["key"]) for one in shown))
    lines = (line(place) for place in range(len(stage["measures"][0]["pairs"])))
    title = "Each two annotators: Cohen’s kappa"
    return _table("pairs", title, ("Annotators",), columns, lines)


def every_measure(report: AnnotatorAgreement) -> Table:
    """All coefficients of each measure in each population: over all annotators ("all"), and of each two."""
    found = [
        (
            (str(entry["round"]), stage["stage"], measure["key"], annotators),
            {one["name"]: one for one in coefficients},
        )
        for entry in report["rounds"]
        for stage in entry["stages"]
        for measure in stage["measures"]
        for annotators, coefficients in (
            ("all", measure["all"]),
            *((", ".join(two["annotators"]), two["coefficients"]) for two in measure["pairs"]),
        )
    ]
    names = list(dict.fromkeys(name for _, by_name in found for name in by_name))
    lines = (
        Line(
            keys,
            tuple(coefficient_cell(by_name[n]) if n in by_name else NOTHING for n in names),
        )
        for keys, by_name in found
    )
    heads = ("Round", "Stage", "Measure", "Annotators")
    return _table("annotators", report["campaign"], heads, names, lines)

"""The agreement of a campaign's annotators, laid out for its page and as a table. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from datasets.taxonomy import DIMENSIONS, option
from evaluation.annotators.measures import DIMENSION, OPTION, OVERLAP, OVERLAPS, VALIDITY
from evaluation.annotators.stage_agreement import AFTER, BEFORE, BLIND
from evaluation.report import sentences
from evaluation.report.agreement_rows import figure_of
from evaluation.report.figures import Figure, query
from evaluation.report.sentences import counted
from evaluation.report.sheets import CLUSTERED, COEFFICIENT, Sheet, values
from evaluation.shapes.annotator_agreement import (
    AnnotatorAgreement,
    MeasureAgreement,
    StageAgreement,
)
from evaluation.shapes.study_report import Report
from evaluation.statistics.coefficient import Coefficient
from evaluation.statistics.two_raters import paradox_warning

STAGES = {BEFORE: "before review", BLIND: "before review, blind only", AFTER: "after review"}
ABOUT = {
    BEFORE: "The entries that each annotator submitted first, before any review.",
    BLIND: "The same without annotations made after their author saw other annotations of the tag.",
    AFTER: "The entries as they are after review, of annotations that were reviewed; ambiguous tags are left out.",
}
OVERLAP_LABELS = dict(
    zip(OVERLAPS, ("Passage 1", "Passage 2", "Span of passage 1", "Span of passage 2"), strict=True)
)
KAPPA_COLUMNS = ("Agreement", "Kappa", "Gwet's AC1", "Krippendorff's alpha")
OF_ALL = ("percent_agreement", "fleiss_kappa", "gwet_ac1", "krippendorff_alpha_nominal")
OF_TWO = ("percent_agreement", "cohen_kappa", "gwet_ac1")


@dataclass(frozen=True)
class MeasureLine:
    """One measure: its n with the query of its tags, and its figures; `is_part` of the line above."""

    label: str
    n: int
    query: str
    figures: tuple[Figure, ...]
    is_part: bool = False


@dataclass(frozen=True)
class PopulationGlance:
    """One population of a round in the overview; its `query` opens it on the page."""

    round: int
    stage: str
    query: str
    is_shown: bool
    tags: int
    comparisons: int
    after_seeing: int
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class ShownPopulation:
    """One population of a round in full. `two` names its annotators where they are two.

    `misleading` are the measures with a low kappa although most agree.
    """

    round: int
    stage_label: str
    about: str
    sentence: str
    two: str
    lines: list[MeasureLine]
    misleading: list[str]
    unused: int
    overlaps: list[MeasureLine]
    pair_columns: list[str]
    pairs: list[MeasureLine]


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


def glances(
    report: AnnotatorAgreement, n: int = 0, shown: StageAgreement | None = None
) -> list[PopulationGlance]:
    """Every population with two annotations of a tag, the shown one marked."""
    return [
        PopulationGlance(
            entry["round"],
            STAGES[stage["stage"]],
            query(round=entry["round"], stage=stage["stage"]),
            entry["round"] == n and stage == shown,
            stage["tags"],
            stage["comparisons"],
            stage["after_seeing"],
            _figures(stage, stage["measures"][0]),
        )
        for entry in report["rounds"]
        for stage in entry["stages"]
        if stage["tags"]
    ]


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


def laid_out(n: int, stage: StageAgreement) -> ShownPopulation:
    """One population as the page shows it. Options that nobody chose are counted, not listed."""
    labelled = [measure for measure in stage["measures"] if measure["kind"] != OVERLAP]
    used = [measure for measure in labelled if measure["kind"] != OPTION or measure["counts"][0]]
    met = stage["measures"][0]["pairs"]
    return ShownPopulation(
        n,
        STAGES[stage["stage"]],
        ABOUT[stage["stage"]],
        sentence(stage),
        " and ".join(stage["annotators"]) if len(met) == 1 else "",
        [_line(n, stage, measure, _figures(stage, measure)) for measure in used],
        [label_of(measure["key"]) for measure in used if _misleads(measure)],
        len(labelled) - len(used),
        [
            _line(n, stage, measure, (figure_of(measure["all"][0]),))
            for measure in stage["measures"]
            if measure["kind"] == OVERLAP
        ],
        [label_of(measure["key"]) for measure in _in_pairs(stage)],
        [_pair_line(n, stage, place) for place in range(len(met))] if len(met) > 1 else [],
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


def _figures(stage: StageAgreement, measure: MeasureAgreement) -> tuple[Figure, ...]:
    """Agreement, kappa, AC1, alpha: Cohen's kappa where two people annotated all tags, else Fleiss'."""
    every = {name: figure_of(sentences.coefficient_of(measure["all"], name)) for name in OF_ALL}
    if len(measure["pairs"]) == 1:
        of_two = measure["pairs"][0]["coefficients"]
        shown = [figure_of(sentences.coefficient_of(of_two, name)) for name in OF_TWO]
        return (*shown, every["krippendorff_alpha_nominal"])
    return tuple(every.values())


def _line(
    n: int, stage: StageAgreement, measure: MeasureAgreement, figures: tuple[Figure, ...]
) -> MeasureLine:
    return MeasureLine(
        label_of(measure["key"]),
        measure["all"][0]["n"],
        query(round=n, stage=stage["stage"], measure=measure["key"]),
        figures,
        measure["kind"] == OPTION,
    )


def _in_pairs(stage: StageAgreement) -> list[MeasureAgreement]:
    return [measure for measure in stage["measures"] if measure["kind"] in (VALIDITY, DIMENSION)]


def _pair_line(n: int, stage: StageAgreement, place: int) -> MeasureLine:
    """Kappa of two annotators on validity and on each dimension."""
    first, second = stage["measures"][0]["pairs"][place]["annotators"]
    kappas = [
        figure_of(sentences.coefficient_of(measure["pairs"][place]["coefficients"], "cohen_kappa"))
        for measure in _in_pairs(stage)
    ]
    of_two = stage["measures"][0]["pairs"][place]["coefficients"]
    to_rows = query(
        round=n, stage=stage["stage"], measure=VALIDITY, annotator_1=first, annotator_2=second
    )
    return MeasureLine(f"{first}, {second}", of_two[0]["n"], to_rows, tuple(kappas))


HEADER = [
    "round", "stage", "measure", "kind", "annotator_1", "annotator_2", "coefficient", *COEFFICIENT,
    *(f"clustered_{name}" for name in CLUSTERED),
]  # fmt: skip


def sheet(report: AnnotatorAgreement) -> Sheet:
    """One row a coefficient, over all annotators ("all") and of each two."""
    return Sheet(HEADER, list(_sheet_rows(report)))


def study_sheet(report: Report) -> Sheet:
    """The same of every campaign that made a study's questions."""
    rows = [[made["campaign"], *row] for made in report["annotators"] for row in _sheet_rows(made)]
    return Sheet(["campaign", *HEADER], rows)


def _sheet_rows(report: AnnotatorAgreement) -> Iterator[list[object]]:
    for entry in report["rounds"]:
        for stage in entry["stages"]:
            for measure in stage["measures"]:
                for line in _sheet_lines(measure):
                    yield [
                        entry["round"], stage["stage"], measure["key"], measure["kind"], *line,
                    ]  # fmt: skip


def _sheet_lines(measure: MeasureAgreement) -> Iterator[list[object]]:
    yield from (_cells(["all", "all"], coefficient) for coefficient in measure["all"])
    for two in measure["pairs"]:
        yield from (_cells(two["annotators"], coefficient) for coefficient in two["coefficients"])


def _cells(annotators: Sequence[str], coefficient: Coefficient) -> list[object]:
    return [
        *annotators,
        coefficient["name"],
        *values(coefficient, COEFFICIENT),
        *values(coefficient["clustered"], CLUSTERED),
    ]

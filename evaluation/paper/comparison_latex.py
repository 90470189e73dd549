"""The comparisons of a report as LaTeX. Pure."""

from collections.abc import Iterator, Sequence

from evaluation.paper.parts import TableRows, bracketed, comment, named, table
from evaluation.paper.widths import breakable
from evaluation.report.comparison_rows import SIDES, WITHIN
from evaluation.report.display import Display, Named
from evaluation.report.figures import cluster_word
from evaluation.report.sentences import p_value, points
from evaluation.shapes.share_differences import Comparison, ComparisonFamily
from evaluation.shapes.study_report import Report
from pages.latex import escaped


def compact(report: Report, display: Display) -> list[str]:
    """Each difference with its interval, and p by article (or what the protocol names), as it is and as corrected."""
    return _table(report, display, whole=False)


def full(report: Report, display: Display) -> list[str]:
    """Both sides as k of n, the difference with its interval, p by both tests, and what the margin says."""
    return _table(report, display, whole=True)


def _table(report: Report, display: Display, *, whole: bool) -> list[str]:
    comparisons = report["comparisons"]
    families = [family for family in comparisons["families"] if family["rows"]]
    lines = [
        f"% {comment(family['title'])}: {comment(family['reason'])}"
        for family in comparisons["families"]
        if family["reason"]
    ]
    if not families:
        return lines
    groups = [
        TableRows(
            [_row(family, row, display, whole) for row in _in_order(family, display)],
            _title(family),
        )
        for family in families
    ]
    correction = escaped(comparisons["correction"])
    word = escaped(cluster_word(report))
    by_cluster = [f"$p$, by {word}", f"$p$, by {word}, {correction}"]
    heads = ["Model", "Prompts", "$n$", "Difference", *by_cluster]
    if whole:
        heads = ["Model", "Prompts", "First", "Second", "Difference"]
        heads += ["$p$, McNemar", f"$p$, McNemar, {correction}", *by_cluster, "Margin"]
    caption = (
        f"Differences in the share of {breakable(comparisons['verdict'])} responses, in percentage points, with "
        f"95\\,\\% intervals from {comparisons['resamples']:,} resamples of whole {word}s (seed "
        f"{comparisons['seed']}). Columns marked {correction} have $p$ as corrected within its family by "
        f"{correction}'s method; intervals and the other $p$ are not corrected."
    )
    gaps = _gaps(families, whole)
    return [*lines, *table(named(report, "comparisons"), caption, heads, groups, keys=2, gaps=gaps)]


def _gaps(families: Sequence[ComparisonFamily], whole: bool) -> Iterator[str]:
    for family in families:
        for row in family["rows"]:
            yield row["reason"]
            if row["low"] is None:
                yield row["interval_reason"]
    if whole and any("p_exact" not in row for family in families for row in family["rows"]):
        yield "only pairs of verdicts on the same questions have McNemar's p"
    if whole and any(family["margin"] is None for family in families):
        yield "only some families have a margin"


def _title(family: ComparisonFamily) -> str:
    """The family's title with which side is subtracted: kinds of families differ in it."""
    first, second = (side.lower() for side in SIDES[family["kind"]])
    less = f"{first} less {second}" if family["kind"] == "gains" else f"{second} less {first}"
    margin = f"; margin {100 * family['margin']:.0f} points" if family["margin"] is not None else ""
    return f"{family['title']} ({less}{margin})"


def _parts(family: ComparisonFamily, row: Comparison) -> tuple[list[str], list[str]]:
    """The model or models, and the prompt or prompts, that a comparison is about."""
    both = [row["first"], row["second"]]
    if family["kind"] == "models":
        return both, [row["prompt"]]
    return [row["model"]], [row["prompt"]] if family["kind"] == "reasoning" else both


def _in_order(family: ComparisonFamily, display: Display) -> list[Comparison]:
    """The rows by model and prompt as the researcher orders these; which side is first does not change."""
    models = [model.name for model in display.models]
    prompts = [prompt.name for prompt in display.prompts]

    def place(row: Comparison) -> tuple[list[int], list[int]]:
        mine, on = _parts(family, row)
        return [models.index(name) for name in mine], [prompts.index(name) for name in on]

    return sorted(family["rows"], key=place)


def _row(family: ComparisonFamily, row: Comparison, display: Display, whole: bool) -> list[str]:
    models, prompts = _parts(family, row)
    what = [_called(models, display.models), _called(prompts, display.prompts)]
    difference = escaped(points(row["value"]))
    if row["low"] is not None:
        difference += f" {bracketed(points(row['low']) + ', ' + points(row['high']))}"
    clustered = _both(row["p_clustered"], row["p_clustered_corrected"])
    if not whole:
        return [*what, _n(family, row), difference, *clustered]
    exact = _both(row.get("p_exact"), row.get("p_exact_corrected"))
    within = WITHIN[row["within"]] if family["margin"] is not None else ""
    return [*what, *_sides(family, row), difference, *exact, *clustered, within]


def _both(p: float | None, corrected: float | None) -> list[str]:
    return [escaped(p_value(p)), escaped(p_value(corrected))]


def _called(names: Sequence[str], things: Sequence[Named]) -> str:
    shown = {thing.name: thing.short for thing in things}
    return breakable(", ".join(shown[name] for name in names))


def _n(family: ComparisonFamily, row: Comparison) -> str:
    """How many questions: one number for pairs, two for two groups."""
    if family["kind"] == "gains":
        both = row["explicit"]["n_1"], row["implicit"]["n_1"]
    elif row["n_1"] == row["n_2"]:
        return str(row["n_1"])
    else:
        both = row["n_1"], row["n_2"]
    return rf"\mbox{{{both[0]}, {both[1]}}}"


def _sides(family: ComparisonFamily, row: Comparison) -> list[str]:
    if family["kind"] == "gains":
        return [
            f"{escaped(points(gain['value']))} ($n={gain['n_1']}$)"
            for gain in (row["explicit"], row["implicit"])
        ]
    return [
        f"{k}/{n} {100 * k / n:.1f}" if n else "--"
        for k, n in ((row["k_1"], row["n_1"]), (row["k_2"], row["n_2"]))
    ]

"""The comparisons of a report, laid out for its page. Pure."""

from dataclasses import dataclass
from typing import Any

from evaluation.figures import Figure, Report, query
from evaluation.sentences import share
from evaluation.verdict_page import model_id
from evaluation.verdict_sentences import comparison_sentence, p_value, point_ends, points

SIDES = {
    "prompts": ("First prompt", "Second prompt"),
    "models": ("First model", "Second model"),
    "reasoning": ("Implicit", "Explicit"),
    "gains": ("Gain on explicit", "Gain on implicit"),
}
WITHIN = {
    "equivalent": "Within the margin",
    "different": "Beyond the margin",
    "undecided": "Not decided",
    "": "No interval",
}


@dataclass(frozen=True)
class ComparisonRow:
    """One comparison: what is compared, both sides, the difference, its p-values, and all of it in words."""

    what: str
    sides: tuple[Figure, Figure]
    difference: Figure
    p_exact: str
    p_clustered: str
    within: str
    sentence: str


@dataclass(frozen=True)
class FamilySection:
    """A family with its columns; `exact` whether it has McNemar's p, `margin` in words where it has one."""

    key: str
    title: str
    sides: tuple[str, str]
    exact: bool
    margin: str
    reason: str
    rows: tuple[ComparisonRow, ...]


def family_sections(report: Report) -> list[FamilySection]:
    """The report's families; none in a report frozen before there were any."""
    whole = report.get("comparisons") or {"families": []}
    return [_section(report, family, whole["verdict"]) for family in whole["families"]]


def _section(report: Report, family: dict[str, Any], verdict: str) -> FamilySection:
    margin = family["margin"]
    return FamilySection(
        family["key"],
        family["title"],
        SIDES[family["kind"]],
        family["kind"] in ("prompts", "models"),
        f"{100 * margin:.0f} points" if margin is not None else "",
        family["reason"],
        tuple(_row(report, family, row, verdict) for row in family["rows"]),
    )


def _row(
    report: Report, family: dict[str, Any], row: dict[str, Any], verdict: str
) -> ComparisonRow:
    sides = _gains(row) if family["kind"] == "gains" else _sides(report, family, row, verdict)
    ends = point_ends(row["low"], row["high"])
    why = row["reason"] or row["interval_reason"]
    return ComparisonRow(
        _what(family, row),
        sides,
        Figure(points(row["value"]), ends, "" if ends else why),
        p_value(row.get("p_exact_corrected")),
        p_value(row["p_clustered_corrected"]),
        WITHIN[row["within"]] if family["margin"] is not None else "",
        comparison_sentence(family, row, verdict),
    )


def _what(family: dict[str, Any], row: dict[str, Any]) -> str:
    if family["kind"] == "models":
        return f"{row['first']}, {row['second']} (prompt {row['prompt']})"
    if family["kind"] == "reasoning":
        return f"{row['model']}, prompt {row['prompt']}"
    return f"{row['model']}, prompts {row['first']} and {row['second']}"


def _gains(row: dict[str, Any]) -> tuple[Figure, Figure]:
    explicit, implicit = (
        Figure(
            points(row[part]["value"]),
            point_ends(row[part]["low"], row[part]["high"]),
            share=f"n = {row[part]['n_1']}",
        )
        for part in ("explicit", "implicit")
    )
    return explicit, implicit


def _sides(
    report: Report, family: dict[str, Any], row: dict[str, Any], verdict: str
) -> tuple[Figure, Figure]:
    """Each side as k/n, with a link to the responses with that verdict that have one on the other side too."""
    names = {prompt["label"]: prompt["name"] for prompt in report["prompts"]}

    def side(which: str, number: int) -> Figure:
        kind, place = family["kind"], row[which]
        k, n = row[f"k_{number}"], row[f"n_{number}"]
        chosen = {
            "model": model_id(report, place if kind == "models" else row["model"]),
            "prompt": names[place] if kind == "prompts" else names[row["prompt"]],
            "slice": place if kind == "reasoning" else "",
        }
        other = row["second" if which == "first" else "first"]
        paired = {
            "with_model": model_id(report, other) if kind == "models" else "",
            "with_prompt": names[other] if kind == "prompts" else "",
        }
        link = query(of="final", **chosen, verdict=verdict, **paired) if k else ""
        return Figure(f"{k}/{n}", query=link, share=share(k, n))

    return side("first", 1), side("second", 2)

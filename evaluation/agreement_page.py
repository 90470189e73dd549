"""The agreement part of a report, laid out for its page. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evaluation import charts, sentences
from evaluation.figures import Figure, Report, query, verdict_labels
from evaluation.sentences import interval, number, percent, percent_interval


@dataclass(frozen=True)
class AgreementRow:
    """One row of the agreement table: two judges under a prompt, or all of them."""

    prompt: str
    title: str
    judges: str
    n: int
    query: str
    figures: tuple[Figure, ...]
    warning: str


@dataclass(frozen=True)
class Matrix:
    """A confusion matrix: chart and table twin, and the agreement on each verdict."""

    judges: tuple[str, str]
    labels: tuple[str, ...]
    svg: str
    rows: tuple[tuple[str, tuple[Figure, ...]], ...]
    classes: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class AgreementSection:
    """What a page says of the agreement on one prompt."""

    prompt: str
    title: str
    sentence: str
    matrices: tuple[Matrix, ...]


COLUMNS = ("Agreement", "Kappa", "Gwet's AC1", "Krippendorff's alpha")


def agreement_rows(report: Report) -> list[AgreementRow]:
    """A row for each two judges under each prompt, and one over all where the pairs change."""
    rows = []
    for prompt, found in _with_prompts(report):
        for pair in found["pairs"]:
            rows.append(_pair_row(prompt, pair))
        if len(found["pairs"]) > 1:
            rows.append(_overall_row(prompt, found))
    return rows


def _with_prompts(report: Report) -> Iterable[tuple[dict[str, Any], dict[str, Any]]]:
    return zip(report["prompts"], report["agreement"]["prompts"], strict=True)


def _pair_row(prompt: dict[str, Any], pair: dict[str, Any]) -> AgreementRow:
    first, second = pair["judges"]
    found = [
        sentences.of(pair["coefficients"], name)
        for name in ("percent_agreement", "cohen_kappa", "gwet_ac1", "krippendorff_alpha_nominal")
    ]
    return AgreementRow(
        prompt["label"],
        prompt["title"],
        f"{first}, {second}",
        found[0]["n"],
        query(of="first", prompt=prompt["name"], judge_1=first, judge_2=second),
        (_share_figure(found[0]), *map(_figure, found[1:])),
        pair["warning"],
    )


def _overall_row(prompt: dict[str, Any], found: dict[str, Any]) -> AgreementRow:
    agreed, fleiss, alpha = (
        sentences.of(found["all"], name)
        for name in ("percent_agreement", "fleiss_kappa", "krippendorff_alpha_nominal")
    )
    none = Figure("", reason="Only for each pair.")
    shown = _figure(fleiss)
    labelled = Figure(f"Fleiss {shown.value}", shown.interval, shown.reason)
    return AgreementRow(
        prompt["label"],
        prompt["title"],
        "all",
        found["n"],
        query(of="first", prompt=prompt["name"]),
        (_share_figure(agreed), labelled, none, _figure(alpha)),
        "",
    )


def _figure(coefficient: dict[str, Any]) -> Figure:
    ends, why = interval(coefficient["low"], coefficient["high"]), coefficient["reason"]
    if why and coefficient["value"] is not None:
        why = f"No interval: {sentences.lowered(why)}"
    return Figure(number(coefficient["value"]), ends, why)


def _share_figure(coefficient: dict[str, Any]) -> Figure:
    ends = percent_interval(coefficient["low"], coefficient["high"])
    return Figure(percent(coefficient["value"]), ends, coefficient["reason"])


def agreement_sections(report: Report) -> list[AgreementSection]:
    """Each prompt's sentence and confusion matrices."""
    return [
        AgreementSection(
            prompt["label"],
            prompt["title"],
            sentences.agreement_sentence(found),
            tuple(
                _matrix(report, prompt, pair, f"matrix-{place}-{number}")
                for number, pair in enumerate(found["pairs"])
            ),
        )
        for place, (prompt, found) in enumerate(_with_prompts(report))
    ]


def _matrix(report: Report, prompt: dict[str, Any], pair: dict[str, Any], key: str) -> Matrix:
    shown = verdict_labels(report)
    labels = tuple(shown[label] for label in pair["labels"])
    first, second = pair["judges"]
    n = sum(map(sum, pair["table"]))
    same = sum(pair["table"][i][i] for i in range(len(labels)))
    svg = charts.confusion_matrix(
        pair["table"],
        labels,
        sides=(first, second),
        title=f"First verdicts on prompt {prompt['label']}: {first} and {second}",
        describe=f"{n} responses; the two agree on the {same} on the diagonal. The table below has every number.",
        key=key,
    )
    return Matrix(
        (first, second),
        labels,
        svg,
        tuple(_matrix_row(prompt, pair, labels, i) for i in range(len(labels))),
        tuple((shown[row["label"]], _class_figures(row)) for row in pair["per_class"]),
    )


def _matrix_row(
    prompt: dict[str, Any], pair: dict[str, Any], labels: tuple[str, ...], i: int
) -> tuple[str, tuple[Figure, ...]]:
    first, second = pair["judges"]
    cells = []
    for j, count in enumerate(pair["table"][i]):
        to_rows = query(
            of="first",
            prompt=prompt["name"],
            judge_1=first,
            judge_2=second,
            first_1=pair["labels"][i],
            first_2=pair["labels"][j],
        )
        cells.append(Figure(str(count), query=to_rows if count else ""))
    return labels[i], tuple(cells)


def _class_figures(row: dict[str, Any]) -> tuple[str, ...]:
    shares = (row["kappa"], row["specific_agreement"], row["prevalence"], row["bias"])
    return tuple(number(value, 2) for value in shares)

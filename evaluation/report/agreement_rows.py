"""The agreement part of a report, laid out for its page. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

from evaluation.charts.confusion import confusion_matrix
from evaluation.charts.svg import NARROWEST
from evaluation.report import sentences
from evaluation.report.figures import Figure, query, resampled_word, verdict_labels
from evaluation.report.sentences import counted, interval, number
from evaluation.shapes.judge_agreement import (
    AgreementPortion,
    JudgePair,
    JudgeRepeats,
    PromptAgreement,
)
from evaluation.shapes.study_report import Report, ReportPrompt
from evaluation.shapes.study_rounds import ChangedVerdicts
from evaluation.statistics.bootstrap import FEWEST_CLUSTERS, Resampled
from evaluation.statistics.chance import UNWEIGHTED
from evaluation.statistics.coefficient import ClassAgreement, Coefficient
from evaluation.statistics.two_raters import paradox_warning


@dataclass(frozen=True)
class AgreementRow:
    """One row of the agreement table: two judges under a prompt, all pairs, or all judges.

    One of many pairs is folded: the row over all pairs stands for it.
    """

    prompt: str
    title: str
    judges: str
    n: int
    query: str
    figures: tuple[Figure, ...]
    warning: str = ""
    is_folded: bool = False


@dataclass(frozen=True)
class Matrix:
    """A confusion matrix: chart with its `key` and table twin, and the agreement on each verdict."""

    key: str
    judges: tuple[str, str]
    labels: tuple[str, ...]
    svg: str
    rows: tuple[tuple[str, tuple[Figure, ...]], ...]
    classes: tuple[tuple[str, tuple[Figure, ...]], ...]


@dataclass(frozen=True)
class AgreementSection:
    """What a page says of the agreement on one prompt in one round; `where` is its label with that round."""

    prompt: str
    where: str
    title: str
    sentence: str
    matrices: tuple[Matrix, ...]


@dataclass(frozen=True)
class Portion:
    """Agreement on a part of the responses: a round, a third of the work, or a judge's repeats.

    `note` is the reason that several of its figures share.
    """

    prompt: str
    name: str
    days: str
    n: int
    figures: tuple[Figure, ...]
    note: str = ""


ROUND_COLUMNS = ("Agreement", "Kappa", "Krippendorff's alpha")
PORTION_COLUMNS = ("Agreement", "Fleiss' kappa", "Krippendorff's alpha")
SLICE_COLUMNS = ("Agreement", "Kappa", "Krippendorff's alpha")
OWN_COLUMNS = ("Agreement", "Kappa", "Gwet's AC1")
THIRDS = {1: "first third", 2: "second third", 3: "last third"}
COLUMNS = ("Agreement", "Kappa", "Gwet's AC1", "Krippendorff's alpha")
# The coefficients of these columns, in their order.
OF_PORTION = ("percent_agreement", "fleiss_kappa", "krippendorff_alpha")
OF_ONESELF = ("percent_agreement", "cohen_kappa", "gwet_ac1")
PAIRED = (*OF_ONESELF, "krippendorff_alpha")
# So many pairs of judges of a prompt stand in the table itself.
MOST_PAIRS = 3
OVERALL = ("percent_agreement", "fleiss_kappa", "gwet_ac1", "krippendorff_alpha")


def heads(columns: Sequence[str], weights: str) -> tuple[str, ...]:
    """The heads of these columns, with the weights of the figures below them; the unweighted ones stand beside."""
    if weights == UNWEIGHTED:
        return tuple(columns)
    return tuple(
        f"{column}, {weights} weights"
        if column.lower().endswith("kappa")
        else column.replace("alpha", "alpha, ordinal")
        for column in columns
    )


def agreement_rows(report: Report) -> list[AgreementRow]:
    """A row for each two judges under each prompt, one over all of many pairs, and one over all judges."""
    rows = []
    for prompt, agreement in _with_prompts(report):
        is_folded = len(agreement["pairs"]) > MOST_PAIRS
        for pair in agreement["pairs"]:
            first, second = pair["judges"]
            chosen = {"judge_1": first, "judge_2": second}
            figures, n = figures_of(pair["coefficients"], PAIRED), pair["coefficients"][0]["n"]
            judges = f"{first}, {second}"
            row = _row(prompt, agreement, judges, n, chosen, figures, pair["warning"])
            rows.append(replace(row, is_folded=is_folded))
        if is_folded:
            pairs = tuple(_over_pairs(agreement["pairs"], name) for name in PAIRED)
            judges = f"{len(agreement['pairs'])} pairs"
            rows.append(_row(prompt, agreement, judges, agreement["n"], {}, pairs))
        if len(agreement["pairs"]) > 1:
            agreed, fleiss, *others = figures_of(agreement["all"], OVERALL)
            figures = (agreed, replace(fleiss, value=f"Fleiss {fleiss.value}"), *others)
            warning = paradox_warning(*agreement["all"][:2])
            rows.append(_row(prompt, agreement, "all", agreement["n"], {}, figures, warning))
    return rows


def _over_pairs(pairs: Sequence[JudgePair], name: str) -> Figure:
    """The mean of a coefficient over pairs, all with the same weight, and its range."""
    found = [sentences.coefficient_of(pair["coefficients"], name) for pair in pairs]
    values = [one["value"] for one in found if one["value"] is not None]
    if not values:
        return figure_of(found[0])
    means = [_mean(same) for same in zip(*(pair["coefficients"] for pair in pairs), strict=True)]
    shown = sentences.coefficient_of(means, name)
    mean, ends = sentences.in_its_unit(shown)
    among = f"{ends(min(values), max(values))} in {counted(len(values), 'pair')}"
    return Figure(f"mean {mean}", reason=among, beside=sentences.beside_of(means, shown))


def _mean(of_pairs: Sequence[Coefficient]) -> Coefficient:
    """Over the pairs for which it is defined."""
    values = [one["value"] for one in of_pairs if one["value"] is not None]
    mean: Coefficient = {**of_pairs[0], "value": fsum(values) / len(values) if values else None}
    return mean


def _row(
    prompt: ReportPrompt,
    agreement: PromptAgreement,
    judges: str,
    n: int,
    chosen: Mapping[str, str],
    figures: tuple[Figure, ...],
    warning: str = "",
) -> AgreementRow:
    title, place = prompt["title"] + in_round(agreement), {"of": "first", "prompt": prompt["name"]}
    link = query(**place, **chosen, round=agreement["round"])
    return AgreementRow(prompt["label"], title, judges, n, link, figures, warning)


def _with_prompts(report: Report) -> Iterable[tuple[ReportPrompt, PromptAgreement]]:
    """Each entry put forward, with its prompt: one for each round that gives final verdicts."""
    prompts = {prompt["label"]: prompt for prompt in report["prompts"]}
    return ((prompts[entry["prompt"]], entry) for entry in report["agreement"]["prompts"])


def in_round(agreement: PromptAgreement) -> str:
    """The round of an entry, for its title; empty where the study has one round."""
    return f", round {agreement['round']}" if agreement["round"] is not None else ""


def figures_of(coefficients: Sequence[Coefficient], names: Sequence[str]) -> tuple[Figure, ...]:
    """Those that are put forward, of those whose names begin so; a weighted one has the unweighted beside it."""
    shown = [sentences.coefficient_of(coefficients, name) for name in names]
    return tuple(
        replace(figure_of(one), beside=sentences.beside_of(coefficients, one)) for one in shown
    )


def figure_of(coefficient: Coefficient) -> Figure:
    """The interval by resampling first, then the one that takes responses as independent."""
    value, ends = sentences.in_its_unit(coefficient)
    plain = ends(coefficient["low"], coefficient["high"])
    clustered = coefficient["clustered"]
    assert clustered is not None, "Every coefficient of a report is resampled."
    shown = ends(clustered["low"], clustered["high"])
    method, _, _ = coefficient["method"].partition(" (")
    why = "" if shown else sentences.why_empty(coefficient, clustered["reason"])
    return Figure(value, shown, why, second=f"{method} {plain}" if plain else "")


def agreement_sections(report: Report, wide: int = NARROWEST) -> list[AgreementSection]:
    """Each prompt's sentence and confusion matrices."""
    return [
        AgreementSection(
            prompt["label"],
            prompt["label"] + in_round(agreement),
            prompt["title"] + in_round(agreement),
            sentences.agreement_sentence(agreement),
            tuple(
                _matrix(report, prompt, pair, f"matrix-{place}-{number}", agreement["round"], wide)
                for number, pair in enumerate(agreement["pairs"])
            ),
        )
        for place, (prompt, agreement) in enumerate(_with_prompts(report))
    ]


def _matrix(
    report: Report, prompt: ReportPrompt, pair: JudgePair, key: str, n_round: int | None, wide: int
) -> Matrix:
    shown = verdict_labels(report)
    labels = tuple(shown[label] for label in pair["labels"])
    first, second = pair["judges"]
    n = sum(map(sum, pair["table"]))
    same = sum(pair["table"][i][i] for i in range(len(labels)))
    of_round = f", round {n_round}" if n_round is not None else ""
    svg = confusion_matrix(
        pair["table"],
        labels,
        sides=(first, second),
        title=f"First verdicts on prompt {prompt['label']}{of_round}: {first} and {second}",
        describe=f"{counted(n, 'response')}; the two agree on the {same} on the diagonal. The table below has every "
        "number.",
        key=key,
        wide=wide,
    )
    return Matrix(
        key,
        (first, second),
        labels,
        svg,
        tuple(_matrix_row(prompt, pair, labels, i, n_round) for i in range(len(labels))),
        tuple((shown[row["label"]], _class_figures(row)) for row in pair["per_class"]),
    )


def _matrix_row(
    prompt: ReportPrompt, pair: JudgePair, labels: tuple[str, ...], i: int, n_round: int | None
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
            round=n_round,
        )
        cells.append(Figure(str(count), query=to_rows if count else ""))
    return labels[i], tuple(cells)


def _class_figures(row: ClassAgreement) -> tuple[Figure, ...]:
    """Kappa and specific agreement with their interval by resampling; the two indices have none."""
    clustered = row["clustered"]
    return (
        Figure(number(row["kappa"], 2), _class_ends(clustered["kappa"])),
        Figure(number(row["specific_agreement"], 2), _class_ends(clustered["specific_agreement"])),
        Figure(number(row["prevalence"], 2)),
        Figure(number(row["bias"], 2)),
    )


def _class_ends(resampled: Resampled | None) -> str:
    return interval(resampled["low"], resampled["high"], 2) if resampled else ""


def over_time(report: Report) -> list[Portion]:
    """Each third of the work under each prompt, by when a response got its last first verdict."""
    return [
        _portion(prompt["label"], f"{THIRDS[third['part']]}{in_round(agreement)}", third)
        for prompt, agreement in _with_prompts(report)
        for third in agreement["over_time"]
    ]


def other_rounds(report: Report) -> list[Portion]:
    """Each round that gives no final verdict, under each prompt; Fleiss' kappa where it has several pairs."""
    return [_round_row(entry) for entry in report["agreement"]["other_rounds"]]


def _round_row(entry: PromptAgreement) -> Portion:
    agreed, kappa, _, alpha = figures_of(entry["all"], OVERALL)
    if len(entry["pairs"]) == 1:
        (kappa,) = figures_of(entry["pairs"][0]["coefficients"], ["cohen_kappa"])
    figures = [replace(figure, second="") for figure in (agreed, kappa, alpha)]
    days = _days(entry["since"], entry["until"])
    return Portion(entry["prompt"], f"round {entry['round']}", days, entry["n"], *once(figures))


def by_slice(report: Report) -> list[Portion]:
    """A row for each two judges on each value of a slice, and one over all where there are several pairs."""
    rows = []
    for entry in report.get("by_slice", ()):
        of_round = f", round {entry['round']}" if entry["round"] is not None else ""
        alpha, pairs = replace(figure_of(entry["alpha"]), second=""), entry["pairs"]
        for pair in pairs:
            agreed, kappa, *_ = pair["coefficients"]
            beside = sentences.beside_of(pair["coefficients"], kappa)
            figures = [independent(agreed), replace(independent(kappa), beside=beside)]
            figures.append(alpha if len(pairs) == 1 else Figure(""))
            name = f"{entry['value']}: {', '.join(pair['judges'])}{of_round}"
            n = pair["coefficients"][0]["n"]
            rows.append(Portion(entry["title"], name, "", n, tuple(figures)))
        if len(pairs) > 1:
            name = f"{entry['value']}: all{of_round}"
            rows.append(
                Portion(entry["title"], name, "", entry["n"], (Figure(""), Figure(""), alpha))
            )
    return rows


def independent(coefficient: Coefficient) -> Figure:
    """With the interval that takes responses as independent."""
    value, ends = sentences.in_its_unit(coefficient)
    shown = ends(coefficient["low"], coefficient["high"])
    why = "" if coefficient["value"] is not None else coefficient["reason"]
    return Figure(value, shown, why)


def changed(report: Report) -> list[Portion]:
    """How far the verdicts of each two rounds on the same responses agree."""
    entries = report["rounds"]["changed"] if "rounds" in report else []
    return [_of_two("rounds {} and {}".format(*entry["rounds"]), entry) for entry in entries]


def own_agreement(report: Report) -> list[Portion]:
    """Each judge's agreement with themself."""
    return [_of_two(own["judge"], own) for own in report["agreement"]["self"]["judges"]]


def _of_two(name: str, made: ChangedVerdicts | JudgeRepeats) -> Portion:
    return Portion("all", name, "", made["n"], *once(figures_of(made["coefficients"], OF_ONESELF)))


def _portion(prompt: str, name: str, portion: AgreementPortion) -> Portion:
    # One interval each: a table of parts is read down its columns.
    figures = [replace(f, second="") for f in figures_of(portion["coefficients"], OF_PORTION)]
    days = _days(portion["since"], portion["until"])
    return Portion(prompt, name, days, portion["n"], *once(figures))


def _days(since: str | None, until: str | None) -> str:
    return "" if since is None else since if since == until else f"{since} to {until}"


def once(figures: Sequence[Figure]) -> tuple[tuple[Figure, ...], str]:
    """The figures, without the reason that the first shares with others, and that reason."""
    shared = figures[0].reason
    if [figure.reason for figure in figures].count(shared) < 2:
        return tuple(figures), ""
    return tuple(
        replace(figure, reason="") if figure.reason == shared else figure for figure in figures
    ), shared


def interval_sentence(report: Report) -> str:
    """How the intervals of agreement were computed."""
    made, word = report["agreement"]["interval"], resampled_word(report)
    return (
        f"Below a number: its 95 % interval by {made['method']}, whole {word}s drawn "
        f"{made['resamples']:,} times from seed {made['seed']} ({made['generator']}). Under it, in brackets, "
        "Wilson's or the closed form (Fleiss, Cohen and Everitt 1969), which take responses as independent. From fewer "
        f"than {FEWEST_CLUSTERS} {word}s a share has Wilson's alone, and any other number no interval."
    )

"""Tables of agreement: of judges with each other and with themselves, their matrices, and agreement on parts. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import fsum

from evaluation.shapes.judge_agreement import (
    AgreementPortion,
    JudgePair,
    JudgeRepeats,
    PromptAgreement,
)
from evaluation.shapes.study_report import Report, ReportPrompt
from evaluation.shapes.study_rounds import ChangedVerdicts
from evaluation.statistics import bootstrap
from evaluation.statistics.bootstrap import Resampled
from evaluation.statistics.chance import UNWEIGHTED
from evaluation.statistics.coefficient import ClassAgreement, Coefficient
from evaluation.statistics.two_raters import paradox_warning
from evaluation.tables import sentences
from evaluation.tables.report_words import query, resampled_word, verdict_labels, weights_of
from evaluation.tables.table import NOTHING, Cell, Group, Interval, Line, Table, count
from evaluation.tables.words import Unit, counted

COLUMNS = ("Agreement", "Kappa", "Gwet's AC1", "Krippendorff's alpha")
# The coefficients of these columns, in their order.
PAIRED = ("percent_agreement", "cohen_kappa", "gwet_ac1", "krippendorff_alpha")
OVERALL = ("percent_agreement", "fleiss_kappa", "gwet_ac1", "krippendorff_alpha")
OF_ONESELF = PAIRED[:3]
OF_PORTION = ("percent_agreement", "fleiss_kappa", "krippendorff_alpha")
# So many pairs of judges of a prompt stand in the table itself.
MOST_PAIRS = 3
THIRDS = {1: "first third", 2: "second third", 3: "last third"}
POPULATION = "On first verdicts, before resolution and exclusions"


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


# ---------------------------------------------------------------- cells


def coefficient_cell(
    coefficient: Coefficient, every: Sequence[Coefficient] = (), *, independent: bool = False
) -> Cell:
    """A coefficient with the interval by resampling, then the one that takes responses as independent.

    Of `every` coefficient the unweighted one stands beside a weighted one. `independent` leaves resampling out.
    """
    by = None if independent else coefficient["clustered"]
    found = [*resampled(by)]
    if coefficient["low"] is not None and coefficient["high"] is not None:
        found.append(Interval(coefficient["low"], coefficient["high"], coefficient["method"]))
    return Cell(
        Unit.SHARE if coefficient["name"] == "percent_agreement" else Unit.COEFFICIENT,
        coefficient["value"],
        n=coefficient["n"],
        intervals=tuple(found),
        reason=_reason(coefficient, by),
        beside=_beside(coefficient, every),
    )


def resampled(by: Resampled | None) -> Iterator[Interval]:
    """The interval by resampling, where there is one."""
    if by and by["low"] is not None and by["high"] is not None:
        yield Interval(by["low"], by["high"], bootstrap.METHOD, by["clusters"])


def _reason(coefficient: Coefficient, by: Resampled | None) -> str:
    """Why there is no value, or no interval by resampling where it was done."""
    if coefficient["value"] is None:
        return coefficient["reason"]
    if by and by["low"] is None:
        return sentences.why_empty(coefficient, by["reason"])
    return ""


def _beside(
    coefficient: Coefficient, every: Sequence[Coefficient]
) -> tuple[tuple[str, float | None], ...]:
    plain = sentences.unweighted_of(every, coefficient) if every else None
    if plain is None:
        return ()
    word = "unweighted" if plain["name"] == coefficient["name"] else "nominal"
    return ((word, plain["value"]),)


def put_forward(coefficients: Sequence[Coefficient], names: Iterable[str]) -> tuple[Cell, ...]:
    """Those that are put forward, of those whose names begin so."""
    shown = (sentences.coefficient_of(coefficients, name) for name in names)
    return tuple(coefficient_cell(one, coefficients) for one in shown)


def first_intervals(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """With one interval each: a table of parts is read down its columns."""
    return tuple(
        replace(cell, intervals=_but_independent(cell)) if cell.intervals else cell
        for cell in cells
    )


def _but_independent(cell: Cell) -> tuple[Interval, ...]:
    first = cell.intervals[0]
    is_shown = first.clusters is not None or first.method == sentences.WILSON
    return (first,) if is_shown else ()


# ---------------------------------------------------------------- judges with each other


def in_round(agreement: PromptAgreement) -> str:
    """The round of an entry, for its title; empty where the study has one round."""
    return f", round {agreement['round']}" if agreement["round"] is not None else ""


def with_prompts(
    report: Report, *, every: bool = False
) -> Iterator[tuple[ReportPrompt, PromptAgreement]]:
    """Each entry with its prompt: one for each round that gives final verdicts; of `every` round, the others last."""
    prompts, agreement = {one["label"]: one for one in report["prompts"]}, report["agreement"]
    entries = [*agreement["prompts"], *(agreement["other_rounds"] if every else ())]
    return ((prompts[entry["prompt"]], entry) for entry in entries)


def agreement_table(report: Report) -> Table:
    """A line for each two judges under each prompt, one over all of many pairs, and one over all judges."""
    lines = (
        line
        for prompt, entry in with_prompts(report)
        for line in _lines(prompt, entry, len(entry["pairs"]) > MOST_PAIRS)
    )
    columns = ("n", *heads(COLUMNS, weights_of(report)))
    return Table(
        "agreement",
        "Agreement between judges",
        ("Prompt", "Judges"),
        tuple((words,) for words in columns),
        (Group("", "", tuple(lines)),),
        f"{POPULATION}, with 95 % intervals by resampling {resampled_word(report)}s (W: Wilson's).",
        "of two judges each",
    )


def _lines(prompt: ReportPrompt, entry: PromptAgreement, is_folded: bool) -> Iterator[Line]:
    pairs = entry["pairs"]
    for pair in pairs:
        first, second = pair["judges"]
        cells, n = put_forward(pair["coefficients"], PAIRED), pair["coefficients"][0]["n"]
        of = {"judge_1": first, "judge_2": second}
        yield _line(prompt, entry, f"{first}, {second}", n, cells, pair["warning"], is_folded, **of)
    if is_folded:
        means = tuple(_over_pairs(pairs, name) for name in PAIRED)
        yield _line(prompt, entry, f"mean of {len(pairs)} pairs", entry["n"], means)
    if len(pairs) > 1:
        cells = put_forward(entry["all"], OVERALL)
        warning = paradox_warning(*entry["all"][:2])
        yield _line(prompt, entry, "all (Fleiss' kappa)", entry["n"], cells, warning)


def _line(
    prompt: ReportPrompt,
    entry: PromptAgreement,
    judges: str,
    n: int,
    cells: Iterable[Cell],
    note: str = "",
    folded: bool = False,
    **chosen: str,
) -> Line:
    rows = query(of="first", prompt=prompt["name"], **chosen, round=entry["round"])
    keys = f"{prompt['label']}: {prompt['title']}", judges + in_round(entry)
    return Line(keys, (count(n, rows=rows), *cells), note, folded)


def _over_pairs(pairs: Sequence[JudgePair], name: str) -> Cell:
    """The mean of a coefficient over pairs, all with the same weight, and its range."""
    found = [sentences.coefficient_of(pair["coefficients"], name) for pair in pairs]
    values = [one["value"] for one in found if one["value"] is not None]
    if not values:
        return coefficient_cell(found[0])
    means = [_mean(same) for same in zip(*(pair["coefficients"] for pair in pairs), strict=True)]
    shown = coefficient_cell(sentences.coefficient_of(means, name), means)
    among = ("lowest", min(values)), ("highest", max(values))
    why = f"No interval: the mean of {counted(len(values), 'pair')}."
    return replace(shown, intervals=(), reason=why, beside=(*shown.beside, *among))


def _mean(of_pairs: Sequence[Coefficient]) -> Coefficient:
    """Over the pairs for which it is defined."""
    values = [one["value"] for one in of_pairs if one["value"] is not None]
    mean: Coefficient = {**of_pairs[0], "value": fsum(values) / len(values) if values else None}
    return mean


def matrix_table(
    report: Report, prompt: ReportPrompt, entry: PromptAgreement, pair: JudgePair
) -> Table:
    """The first verdicts of two judges on the same responses: lines by the first, columns by the second."""
    shown, (first, second) = verdict_labels(report), pair["judges"]

    def cell(i: int, j: int) -> Cell:
        both = {"first_1": pair["labels"][i], "first_2": pair["labels"][j]}
        of = {"prompt": prompt["name"], "judge_1": first, "judge_2": second, **both}
        n = pair["table"][i][j]
        return count(n, rows=query(of="first", **of, round=entry["round"]) if n else "")

    places = range(len(pair["labels"]))
    lines = (Line((shown[pair["labels"][i]],), tuple(cell(i, j) for j in places)) for i in places)
    return Table(
        "matrix",
        f"Prompt {prompt['label']}{in_round(entry)}: first verdicts of {first} (lines) and {second} (columns)",
        ("Verdict",),
        tuple((shown[label],) for label in pair["labels"]),
        (Group("", "", tuple(lines)),),
    )


def classes_table(
    report: Report, prompt: ReportPrompt, entry: PromptAgreement, pair: JudgePair
) -> Table:
    """The agreement of two judges on each verdict, all others taken together."""
    shown = verdict_labels(report)
    lines = (Line((shown[row["label"]],), _class_cells(row)) for row in pair["per_class"])
    return Table(
        "classes",
        f"Prompt {prompt['label']}{in_round(entry)}: agreement of {' and '.join(pair['judges'])} on each verdict",
        ("Verdict",),
        (("Kappa",), ("Specific",), ("Prevalence",), ("Bias",)),
        (Group("", "", tuple(lines)),),
    )


def _class_cells(row: ClassAgreement) -> tuple[Cell, ...]:
    """Kappa and specific agreement with their interval by resampling; the two indices have none."""
    by = row["clustered"]
    cells = (
        (row["kappa"], by["kappa"], row["reason"]),
        (row["specific_agreement"], by["specific_agreement"], ""),
        (row["prevalence"], None, ""),
        (row["bias"], None, ""),
    )
    return tuple(
        Cell(Unit.COEFFICIENT, value, intervals=tuple(resampled(ends)), reason=why)
        for value, ends, why in cells
    )


def every_coefficient(report: Report) -> Table:
    """All coefficients of each two judges and of all, by prompt and round; rounds without a final verdict come last."""
    found = [
        (entry, judges, {_name(one): one for one in coefficients})
        for _, entry in with_prompts(report, every=True)
        for judges, coefficients in (
            *((", ".join(pair["judges"]), pair["coefficients"]) for pair in entry["pairs"]),
            ("all", entry["all"]),
        )
    ]
    names = list(dict.fromkeys(name for _, _, by_name in found for name in by_name))
    lines = (
        Line(
            (f"{entry['prompt']}{in_round(entry)}", judges),
            tuple(
                coefficient_cell(by_name[name]) if name in by_name else NOTHING for name in names
            ),
        )
        for entry, judges, by_name in found
    )
    columns = tuple((name,) for name in names)
    group = Group("", "", tuple(lines))
    return Table("coefficients", "Agreement", ("Prompt", "Judges"), columns, (group,))


def _name(coefficient: Coefficient) -> str:
    weights = coefficient["weights"]
    return coefficient["name"] + ("" if weights == UNWEIGHTED else f" {weights}")


def with_kappas(table: Table, report: Report) -> Table:
    """A table of models by prompts with lines below: kappa of two people on each prompt, in each round."""
    entries = {(e["round"], e["prompt"]): e for e in report["agreement"]["prompts"]}
    rounds = sorted({n for n, _ in entries}, key=lambda n: n or 0)
    prompts = [words for (words,) in table.columns]
    name = heads(("Cohen's kappa",), weights_of(report))[0]
    lines = [
        Line(
            (name if n is None else f"{name}, round {n}",),
            tuple(_kappa(entries.get((n, prompt))) for prompt in prompts),
        )
        for n in rounds
    ]
    if not any(entry["pairs"] for entry in entries.values()):
        return table
    made = f"Kappa is on the judges' first verdicts, its interval by resampling {resampled_word(report)}s."
    group = Group("kappa", "", tuple(lines))
    return replace(table, groups=(*table.groups, group), about=f"{table.about} {made}")


def _kappa(entry: PromptAgreement | None) -> Cell:
    """A dash with its reason where not two people judged all these responses."""
    if entry is None or len(entry["pairs"]) != 1:
        why = "kappa is of two people who judged all these responses"
        return Cell(Unit.COEFFICIENT, reason=why)
    (cell,) = first_intervals(put_forward(entry["pairs"][0]["coefficients"], ["cohen_kappa"]))
    return cell


# ---------------------------------------------------------------- agreement on parts


def portion_tables(report: Report) -> list[Table]:
    """The tables of agreement on a part of the responses that have lines."""
    made = (_other_rounds, _changed, _by_slice, _over_time, _own)
    return [table for make in made if (table := make(report)).groups[0].lines]


def _portions(
    report: Report,
    key: str,
    title: str,
    about: str,
    keys: tuple[str, str],
    columns: tuple[str, ...],
    lines: Iterable[Line],
) -> Table:
    shown = ("n", *heads(columns, weights_of(report)))
    group = Group("", "", tuple(lines))
    return Table(key, title, keys, tuple((words,) for words in shown), (group,), about)


def _other_rounds(report: Report) -> Table:
    def cells(entry: PromptAgreement) -> tuple[Cell, ...]:
        """Cohen's kappa of a single pair, else Fleiss'."""
        agreed, kappa, _, alpha = put_forward(entry["all"], OVERALL)
        if len(entry["pairs"]) == 1:
            (kappa,) = put_forward(entry["pairs"][0]["coefficients"], ["cohen_kappa"])
        return first_intervals((agreed, kappa, alpha))

    return _portions(
        report,
        "other-rounds",
        "Rounds that give no final verdict",
        "No share of this report rests on them.",
        ("Prompt", "Round"),
        (COLUMNS[0], COLUMNS[1], COLUMNS[3]),
        (
            Line(
                (entry["prompt"], f"round {entry['round']}"),
                (count(entry["n"]), *cells(entry)),
                _days(entry["since"], entry["until"]),
            )
            for entry in report["agreement"]["other_rounds"]
        ),
    )


def _changed(report: Report) -> Table:
    """How far the verdicts of each two rounds on the same responses agree."""
    entries = report["rounds"]["changed"] if "rounds" in report else []
    return _portions(
        report,
        "changed",
        "From round to round",
        "The verdicts that two rounds ended with on the same responses, over all prompts.",
        ("Prompt", "Rounds"),
        COLUMNS[:3],
        (_of_two("rounds {} and {}".format(*entry["rounds"]), entry) for entry in entries),
    )


def _own(report: Report) -> Table:
    return _portions(
        report,
        "own",
        "Judges with themselves",
        "Every two verdicts of one judge on the same response, over all prompts.",
        ("Prompt", "Judge"),
        COLUMNS[:3],
        (_of_two(own["judge"], own) for own in report["agreement"]["self"]["judges"]),
    )


def _of_two(name: str, made: ChangedVerdicts | JudgeRepeats) -> Line:
    return Line(("all", name), (count(made["n"]), *put_forward(made["coefficients"], OF_ONESELF)))


def _over_time(report: Report) -> Table:
    """Each third of the work under each prompt, by when a response got its last first verdict."""
    return _portions(
        report,
        "over-time",
        "Agreement over time",
        "The responses of a prompt in three equal parts, by when each got the last of its first verdicts.",
        ("Prompt", "Part"),
        ("Agreement", "Fleiss' kappa", COLUMNS[3]),
        (
            _third(prompt["label"], f"{THIRDS[third['part']]}{in_round(entry)}", third)
            for prompt, entry in with_prompts(report)
            for third in entry["over_time"]
        ),
    )


def _third(prompt: str, name: str, third: AgreementPortion) -> Line:
    cells = first_intervals(put_forward(third["coefficients"], OF_PORTION))
    return Line((prompt, name), (count(third["n"]), *cells), _days(third["since"], third["until"]))


def _days(since: str | None, until: str | None) -> str:
    return "" if since is None else since if since == until else f"{since} to {until}"


def _by_slice(report: Report) -> Table:
    """A line for each two judges on each value of a slice, and one over all where there are several pairs."""
    weights = weights_of(report)
    which = f"Kappa has {weights} weights, alpha is ordinal"
    if weights == UNWEIGHTED:
        which = "Kappa is unweighted, alpha nominal"
    return _portions(
        report,
        "by-slice",
        "Agreement by slice",
        f"First verdicts on all responses about records with this value, over all prompts. {which}. The interval of "
        f"alpha is by resampling {resampled_word(report)}s, the others take responses as independent.",
        ("Slice", "Value, judges"),
        (COLUMNS[0], COLUMNS[1], COLUMNS[3]),
        _slice_lines(report),
    )


def _slice_lines(report: Report) -> Iterator[Line]:
    for entry in report.get("by_slice", ()):
        of_round = f", round {entry['round']}" if entry["round"] is not None else ""
        pairs = entry["pairs"]
        (alpha,) = first_intervals([coefficient_cell(entry["alpha"])])
        for pair in pairs:
            agreed, kappa, *_ = pair["coefficients"]
            figures = (
                coefficient_cell(agreed, independent=True),
                coefficient_cell(kappa, pair["coefficients"], independent=True),
                alpha if len(pairs) == 1 else NOTHING,
            )
            name = f"{entry['value']}: {', '.join(pair['judges'])}{of_round}"
            yield Line((entry["title"], name), (count(agreed["n"]), *figures))
        if len(pairs) > 1:
            name = f"{entry['value']}: all{of_round}"
            yield Line((entry["title"], name), (count(entry["n"]), NOTHING, NOTHING, alpha))

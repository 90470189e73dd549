"""Differences between shares of a verdict: paired, unpaired and of gains, with intervals and corrected p-values.

McNemar (1947) with the binomial tail; Holm (1979); a margin after Schuirmann (1987) with the 95 % interval.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import comb
from typing import Any

import numpy as np

from .findings import Data, Findings
from .formulas import ratio
from .resampling import FEWEST_CLUSTERS, Plan, intervals, p_value, too_few
from .rows import Rows
from .tables import kept

EXPLICIT, IMPLICIT = "explicit", "implicit"
QUESTION = ("collection", "contradiction", "question_number")
Unit = tuple[Any, ...]


def check_comparisons(report: Data, rows: Rows | None, findings: Findings) -> None:
    """The part "comparisons" of a report."""
    part = report["comparisons"]
    if rows is None or not rows.are_whole:
        number = sum(len(family["rows"]) for family in part["families"])
        findings.skip("comparisons, without rows of format 2", number)
        return
    prompts = {prompt["label"]: prompt for prompt in report["prompts"]}
    answers = Answers(rows, prompts, part["verdict"])
    plan = Plan.of(part)
    for family in part["families"]:
        found = [compared(family["kind"], row, answers, plan) for row in family["rows"]]
        for p, corrected in CORRECTED.items():
            for one, value in zip(found, holm([one.get(p) for one in found]), strict=True):
                if p in one:
                    one[corrected] = value
        for row, one in zip(family["rows"], found, strict=True):
            one["within"] = within(one, family["margin"])
            where = (
                f"{family['key']}: {row['model']} {row['prompt']} {row['first']} {row['second']}"
            )
            compare_row(row, one, where, findings)


CORRECTED = {"p_exact": "p_exact_corrected", "p_clustered": "p_clustered_corrected"}


def compare_row(row: Data, found: Data, where: str, findings: Findings) -> None:
    for name, value in found.items():
        if isinstance(value, dict):
            compare_row(row[name], value, f"{name} of {where}", findings)
        else:
            findings.compare(f"{name} of {where}", row, name, value)


class Answers:
    """Responses with a final verdict by (model, prompt), each by its question and how often it was asked before."""

    def __init__(self, rows: Rows, prompts: Mapping[str, Data], verdict: str) -> None:
        self.verdict, self.prompts = verdict, prompts
        single = {prompt["name"] for prompt in prompts.values() if prompt["one_passage"]}
        self._of: dict[tuple[str, str], dict[Unit, Data]] = {}
        times: Counter[Unit] = Counter()
        final = [item for item in kept(rows) if item["final_verdict"] is not None]
        for item in sorted(final, key=lambda one: (one["run"], one["sample"], one["item"])):
            question = tuple(item[name] for name in QUESTION)
            asked = (item["model"], item["prompt"], question)
            times[asked] += 1
            if item["prompt"] not in single or item["same_passage"] != "Same":
                self._of.setdefault(asked[:2], {})[question, times[asked]] = item

    def of(self, model: str, label: str) -> dict[Unit, Data]:
        return self._of.get((model, self.prompts[label]["name"]), {})

    def hits(self, items: Sequence[Data]) -> Any:
        return np.array([item["final_verdict"] == self.verdict for item in items], dtype=bool)


def compared(kind: str, row: Data, answers: Answers, plan: Plan) -> dict[str, Any]:
    """What a row of a family comes to, by the names that the report has."""
    if kind == "reasoning":
        items = list(answers.of(row["model"], row["prompt"]).values())
        sides = [
            [item for item in items if item["reasoning"] == row[side]]
            for side in ("first", "second")
        ]
        return unpaired(sides[0], sides[1], answers, plan)
    if kind == "models":
        one, other = (answers.of(row[side], row["prompt"]) for side in ("first", "second"))
    else:
        one, other = (answers.of(row["model"], row[side]) for side in ("first", "second"))
    units = [unit for unit in one if unit in other]
    first, second = [one[unit] for unit in units], [other[unit] for unit in units]
    if kind == "gains":
        return gains(first, second, answers, plan)
    return paired(first, second, answers, plan)


def paired(
    first: Sequence[Data], second: Sequence[Data], answers: Answers, plan: Plan
) -> dict[str, Any]:
    one, other = answers.hits(first), answers.hits(second)
    n = len(first)
    only_first, only_second = int((one & ~other).sum()), int((other & ~one).sum())
    found = {"k_1": int(one.sum()), "n_1": n, "k_2": int(other.sum()), "n_2": n}
    found |= {"only_first": only_first, "only_second": only_second}
    if not n:
        return {**found, "value": None, **ends_of(None), "p_exact": None, "p_clustered": None}
    moved = other.astype(float) - one
    sums = by_article(np.stack([np.ones(n), moved], axis=1), first)
    (made,) = intervals(sums, lambda flat: ratio(flat[1], flat[0])[None], plan)
    value = (found["k_2"] - found["k_1"]) / n
    return {
        **found,
        "value": value,
        **ends_of(made),
        "p_exact": mcnemar(only_first, only_second),
        "p_clustered": p_value(value, made, made["clusters"]),
    }


def unpaired(
    first: Sequence[Data], second: Sequence[Data], answers: Answers, plan: Plan
) -> dict[str, Any]:
    one, other = answers.hits(first), answers.hits(second)
    found: dict[str, Any] = {
        "k_1": int(one.sum()),
        "n_1": len(one),
        "k_2": int(other.sum()),
        "n_2": len(other),
    }
    found |= {"only_first": None, "only_second": None, "p_exact": None}
    if not len(one) or not len(other):
        return {**found, "value": None, **ends_of(None), "p_clustered": None}
    value = found["k_2"] / found["n_2"] - found["k_1"] / found["n_1"]
    hits = np.concatenate([one, other]).astype(float)
    is_second = np.arange(len(hits)) >= len(one)
    made, fewest = of_two_groups(hits, is_second, [*first, *second], 1, plan)
    return {**found, "value": value, **ends_of(made), "p_clustered": p_value(value, made, fewest)}


def gains(
    first: Sequence[Data], second: Sequence[Data], answers: Answers, plan: Plan
) -> dict[str, Any]:
    """The gain on explicit questions less that on implicit ones."""
    sides: dict[str, dict[str, Any]] = {}
    for kind in (EXPLICIT, IMPLICIT):
        chosen = [n for n, item in enumerate(first) if item["reasoning"] == kind]
        gain = paired([first[n] for n in chosen], [second[n] for n in chosen], answers, plan)
        names = ("value", "k_1", "n_1", "k_2", "n_2", "low", "high", "clusters")
        sides[kind] = {name: gain[name] for name in names}
    found: dict[str, Any] = {**sides}
    if not sides[EXPLICIT]["n_1"] or not sides[IMPLICIT]["n_1"]:
        return {**found, "value": None, **ends_of(None), "p_clustered": None}
    pairs = [
        pair
        for pair in zip(first, second, strict=True)
        if pair[0]["reasoning"] in (EXPLICIT, IMPLICIT)
    ]
    one, other = ([pair[side] for pair in pairs] for side in (0, 1))
    moved = answers.hits(other).astype(float) - answers.hits(one)
    implicit = np.array([item["reasoning"] == IMPLICIT for item in one], dtype=bool)
    made, fewest = of_two_groups(moved, implicit, one, -1, plan)
    value = float(moved[~implicit].mean() - moved[implicit].mean())
    return {**found, "value": value, **ends_of(made), "p_clustered": p_value(value, made, fewest)}


def of_two_groups(
    values: Any, other: Any, items: Sequence[Data], sign: int, plan: Plan
) -> tuple[Data, int]:
    """The interval of the difference of two groups' means, and how many articles the smaller one comes from."""
    features = np.stack([~other, ~other * values, other, other * values], axis=1).astype(float)
    sums = by_article(features, items)
    fewest = min(int((sums[:, place] > 0).sum()) for place in (0, 2))
    if fewest < FEWEST_CLUSTERS:
        return too_few(fewest, plan), fewest

    def difference(flat: Any) -> Any:
        return sign * (ratio(flat[3], flat[2]) - ratio(flat[1], flat[0]))[None]

    (made,) = intervals(sums, difference, plan)
    return made, fewest


def by_article(features: Any, items: Sequence[Data]) -> Any:
    numbers: dict[Any, int] = {}
    of = [numbers.setdefault(item["article"], len(numbers)) for item in items]
    sums = np.zeros((len(numbers), features.shape[1]))
    np.add.at(sums, of, features)
    return sums


def ends_of(made: Data | None) -> dict[str, Any]:
    if made is None:
        return {"low": None, "high": None, "clusters": 0}
    return {name: made[name] for name in ("low", "high", "clusters")}


def mcnemar(only_first: int, only_second: int) -> float | None:
    """The exact two-sided p of as uneven a split of the discordant pairs."""
    n = only_first + only_second
    if not n:
        return None
    tail = sum(comb(n, i) for i in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / 2**n)


def holm(values: Sequence[float | None]) -> list[float | None]:
    known = sorted((p, place) for place, p in enumerate(values) if p is not None)
    corrected: list[float | None] = [None] * len(values)
    highest = 0.0
    for rank, (p, place) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - rank)))
        corrected[place] = highest
    return corrected


def within(found: Data, margin: float | None) -> str:
    low, high = found["low"], found["high"]
    if margin is None or low is None:
        return ""
    if -margin < low and high < margin:
        return "equivalent"
    return "different" if high <= -margin or low >= margin else "undecided"

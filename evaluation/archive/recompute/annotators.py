"""The agreement of a campaign's annotators, from its comparisons of every two annotations of a tag."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import formulas
from .agreement import NO_ROWS, check_ends, of_table
from .findings import Data, Findings
from .formulas import beyond, gwet_of, ratio
from .resampling import Plan, intervals
from .rows import Rows

OVERLAP = "overlap"
VALID = "Valid"


@dataclass(frozen=True)
class Block:
    """Coefficients that one formula computes from sums over tags; `features` is tags x f."""

    coefficients: Sequence[tuple[Data, Data]]  # of the report, and computed
    features: Any
    formula: Callable[[Any], Any]
    where: str


def check_annotators(report: Data, rows: Rows | None, findings: Findings) -> None:
    """The part "annotators" of a report."""
    for campaign in report.get("annotators", []):
        plan = Plan.of(campaign["interval"])
        for entry in campaign["rounds"]:
            if rows is not None and rows.are_whole:
                place = (campaign["campaign"], entry["round"])
                annotated = [row for row in rows.tags if (row["campaign"], row["round"]) == place]
                where = "annotated, {}, round {}".format(*place)
                findings.compare(where, entry, "annotated", len(annotated))
            for stage in entry["stages"]:
                Stage(campaign["campaign"], entry["round"], stage, plan, findings).check(rows)


class Stage:
    """One population of a round."""

    def __init__(
        self, campaign: str, number: int, stage: Data, plan: Plan, findings: Findings
    ) -> None:
        self.place = (campaign, number, stage["stage"])
        self.where = "{}, round {}, {}".format(*self.place)
        self.stage, self.plan, self.findings = stage, plan, findings

    def check(self, rows: Rows | None) -> None:
        if rows is None:
            self.check_tables()
            return
        mine = [
            r for r in rows.comparisons if (r["campaign"], r["round"], r["stage"]) == self.place
        ]
        found = {
            "tags": len({row["tag"] for row in mine}),
            "comparisons": len(mine),
            "after_seeing": sum(row["after_seeing"] for row in mine),
            "annotators": sorted({row[f"annotator_{n}"] for row in mine for n in (1, 2)}),
        }
        self.findings.compare_all(self.where, self.stage, found)
        measures = self.stage["measures"]
        self.check_blocks([self.over_all(measure, mine) for measure in measures], mine)
        for two in sorted({tuple(pair["annotators"]) for one in measures for pair in one["pairs"]}):
            theirs = [row for row in mine if (row["annotator_1"], row["annotator_2"]) == two]
            blocks = [
                self.of_two(measure, pair, theirs)
                for measure in measures
                for pair in measure["pairs"]
                if tuple(pair["annotators"]) == two
            ]
            self.check_blocks(blocks, theirs)

    def check_tables(self) -> None:
        """Without rows: what follows from the tables of two."""
        for measure in self.stage["measures"]:
            self.findings.skip("agreement over all annotators, without rows", len(measure["all"]))
            for pair in measure["pairs"]:
                if measure["kind"] == OVERLAP:
                    self.findings.skip("overlap of passages and spans, without rows")
                    continue
                where = f"{measure['key']}, {self.where}, {' and '.join(pair['annotators'])}"
                table = table_of(pair, where)
                for one in pair["coefficients"]:
                    found = of_table(table, one)
                    self.findings.compare_all(f"{one['name']}, {where}", one, found)
                    self.findings.skip(NO_ROWS)

    def check_blocks(self, blocks: Sequence[Block], rows: Sequence[Data]) -> None:
        """All coefficients of some annotators: they share the draws of their articles."""
        if not blocks:
            return
        tags = {row["tag"]: row["article"] for row in rows}
        numbers: dict[Any, int] = {}
        of = [numbers.setdefault(tags[tag], len(numbers)) for tag in tags]
        sums = np.zeros((len(numbers), sum(block.features.shape[1] for block in blocks)))
        np.add.at(sums, of, np.hstack([block.features for block in blocks]))
        edges = np.cumsum([block.features.shape[1] for block in blocks])[:-1]

        def statistic(flat: Any) -> Any:
            parts = zip(blocks, np.split(flat, edges), strict=True)
            return np.concatenate([block.formula(part) for block, part in parts])

        def sources(flat: Any) -> Any:
            parts = zip(blocks, np.split(flat, edges), strict=True)
            used = [np.tile(part.any(axis=0), (len(b.coefficients), 1)) for b, part in parts]
            return np.concatenate(used)

        ends = iter(intervals(sums, statistic, self.plan, sources))
        for block in blocks:
            for entry, found in block.coefficients:
                where = f"{entry['name']}, {block.where}"
                self.findings.compare_all(where, entry, found)
                check_ends(entry["clustered"], next(ends), found["value"], where, self.findings)

    # ------------------------------------------------------------ over all

    def over_all(self, measure: Data, rows: Sequence[Data]) -> Block:
        where = f"{measure['key']}, {self.where}"
        if measure["kind"] == OVERLAP:
            return mean_overlap(measure["key"], measure["all"], rows, where)
        given: dict[Any, dict[str, str]] = {row["tag"]: {} for row in rows}
        for row in rows:
            for n in (1, 2):
                label = label_in(measure, row, n)
                if label is not None:
                    given[row["tag"]][row[f"annotator_{n}"]] = label
        labels = formulas.bounded_sets(measure["labels"])
        counts = np.zeros((len(given), max(1, len(labels))))
        for place, of in enumerate(given.values()):
            if len(of) > 1:
                counts[place, : len(labels)] = [list(of.values()).count(label) for label in labels]
        if labels:
            totals = counts.sum(axis=0).astype(int).tolist()
            self.findings.compare(f"counts, {where}", measure, "counts", totals)
        k = counts.shape[1]
        summed = formulas.of_sums(formulas.item_features(counts).sum(axis=0), k)
        each = [(one, formulas.of_items(one["name"], counts, summed)) for one in measure["all"]]
        return Block(each, features_of_all(counts), lambda sums: of_all(sums, k), where)

    def of_two(self, measure: Data, pair: Data, rows: Sequence[Data]) -> Block:
        where = f"{measure['key']}, {self.where}, {' and '.join(pair['annotators'])}"
        if measure["kind"] == OVERLAP:
            return mean_overlap(measure["key"], pair["coefficients"], rows, where)
        table = table_of(pair, where)
        k, place = len(table), {label: n for n, label in enumerate(pair["labels"])}
        counted = np.zeros((k, k), dtype=int)
        features = np.zeros((len(rows), 1 + 2 * k))
        for number, row in enumerate(rows):
            first, second = label_in(measure, row, 1), label_in(measure, row, 2)
            if first is not None and second is not None:
                i, j = place[first], place[second]
                counted[i, j] += 1
                features[number, [0, 1 + i, 1 + k + j]] = (i == j, 1, 1)
        self.findings.compare(f"table, {where}", pair, "table", counted.tolist())
        each = [(one, of_table(table, one)) for one in pair["coefficients"]]
        return Block(each, features, lambda sums: of_margins(sums, k), where)


def table_of(pair: Data, where: str) -> Any:
    table = np.array(pair["table"], dtype=float)
    k = max(1, len(formulas.bounded_sets(pair["labels"])))
    if table.shape != (k, k):
        raise ValueError(f"the table, {where}, is not as large as its labels")
    return table


def label_in(measure: Data, row: Data, n: int) -> str | None:
    """What annotator 1 or 2 of a comparison entered on a measure; None where it does not apply."""
    validity: str = row[f"validity_{n}"]
    if measure["kind"] == "validity":
        return validity
    if validity != VALID:
        return None
    if measure["kind"] == "dimension":
        return str(row[f"{measure['key']} {n}"])
    sets = [row[f"type {dimension} {n}"] for dimension in ("I", "II", "III", "IV")]
    chosen = {option for options in sets for option in options.split(" + ")}
    return "chosen" if measure["key"] in chosen else "not chosen"


def features_of_all(counts: Any) -> Any:
    given = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    others = np.maximum(given - 1, 1)
    agreeing = (counts * (counts - 1)).sum(axis=1, keepdims=True)
    return np.hstack([agreeing / (given * others), agreeing / others, counts / given, counts])


def of_all(sums: Any, k: int) -> Any:
    agreed, met, shares, totals = np.split(sums, [1, 2, 2 + k])
    tags, n = shares.sum(axis=0), totals.sum(axis=0)
    share, by_label = ratio(agreed[0], tags), ratio(shares, tags)
    alpha = 1 - ratio((n - 1) * (n - met[0]), n**2 - (totals**2).sum(axis=0))
    fleiss = beyond(share, (by_label**2).sum(axis=0))
    return np.stack([share, fleiss, gwet_of(share, by_label), alpha])


def of_margins(sums: Any, k: int) -> Any:
    agreed, rows, columns = np.split(sums, [1, 1 + k])
    n = rows.sum(axis=0)
    share, first, second = ratio(agreed[0], n), ratio(rows, n), ratio(columns, n)
    kappa = beyond(share, (first * second).sum(axis=0))
    return np.stack([share, kappa, gwet_of(share, (first + second) / 2)])


def mean_overlap(key: str, entries: Sequence[Data], rows: Sequence[Data], where: str) -> Block:
    """The mean over tags of the mean over the tag's comparisons."""
    of_tag: Mapping[Any, list[float]] = {row["tag"]: [] for row in rows}
    for row in rows:
        if row[key] is not None:
            of_tag[row["tag"]].append(row[key])
    means = np.array([(float(np.mean(of)), 1.0) if of else (0, 0) for of in of_tag.values()])
    n = int(means[:, 1].sum())
    found = {"value": float(means[:, 0].sum() / n) if n else None, "n": n}
    found |= dict.fromkeys(("se", "low", "high"))
    (entry,) = entries
    return Block([(entry, found)], means, lambda sums: ratio(sums[0], sums[1])[None], where)

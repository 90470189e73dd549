"""Agreement of judges on first verdicts: each two, all, by round, over time, and with themselves."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import formulas
from .findings import Data, Findings
from .resampling import ENDS, FEWEST_CLUSTERS, Plan, intervals
from .rows import Rows

PARTS = 3
NOT_WHOLE = "intervals by resampling, whose rows name no article"
NO_ROWS = "intervals by resampling, without rows"
# Of each way to resample: the columns that name what is drawn as a whole.
CLUSTERS = {
    "article": ("article",),
    "tag": ("contradiction",),
    "instance": ("collection", "contradiction", "question_number"),
}


@dataclass(frozen=True)
class Judged:
    """A response in a round: who gave which first verdict, in which cluster, and when the last of them came."""

    given: Mapping[str, str]
    cluster: Any
    round: int
    position: int
    last: int
    day: str


def check_agreement(report: Data, rows: Rows | None, findings: Findings) -> None:
    """The whole part "agreement" of a report."""
    part = report["agreement"]
    plan = Plan.of(part["interval"])
    names = {prompt["label"]: prompt["name"] for prompt in report["prompts"]}
    columns = CLUSTERS[part["interval"]["cluster"]]
    for prompt in (*part["prompts"], *part["other_rounds"]):
        mine = None
        if rows is not None:
            if rows.are_whole:
                check_final(prompt, names, rows, findings)
            of = [row for row in rows.verdicts if row["prompt"] == names[prompt["prompt"]]]
            mine = responses(of, columns, rows.are_whole)
        Prompt(prompt, plan, findings, rows is not None and rows.are_whole).check(mine)
    rounds = report.get("rounds", {"rounds": []})["rounds"]
    rubrics = {one["n"]: one["rubric"] for one in rounds}
    own = part["self"]
    whole = rows is not None and rows.are_whole
    for judge in own["judges"]:
        cells = None if rows is None else repeated(rows, judge["judge"], columns, rubrics)
        where = f"{judge['judge']} with themself"
        check_table(judge, cells, where, plan if whole else None, findings)
        findings.compare(f"n of {where}", judge, "n", sum(map(sum, judge["table"])))
    if rows is not None:
        findings.compare("n of repeats", own, "n", sum(judge["n"] for judge in own["judges"]))


def check_final(entry: Data, names: Mapping[str, str], rows: Rows, findings: Findings) -> None:
    """How many final verdicts on the prompt the entry's round gives."""
    of = [item for item in rows.items if item["prompt"] == names[entry["prompt"]]]
    given = [item["final_round"] for item in of if item["final_round"] is not None]
    found = len(given) if entry["round"] is None else given.count(entry["round"])
    findings.compare(f"final verdicts, prompt {entry['prompt']}", entry, "final", found)


def responses(rows: Iterable[Data], columns: Iterable[str], whole: bool) -> list[Judged]:
    """Each response in each round with a first verdict; repeats stay out."""
    of: dict[Any, list[Data]] = {}
    for row in rows:
        if row["first_verdict"] is not None and row["repeat"] == 1:
            of.setdefault((row["item"], row["round"]), []).append(row)
    return [
        Judged(
            {row["judge"]: row["first_verdict"] for row in given},
            tuple(given[0][name] for name in columns) if whole else None,
            given[0]["round"],
            given[0]["item"],
            max(row["order"] for row in given) if whole else 0,
            max(row["day"] for row in given) if whole else "",
        )
        for given in of.values()
    ]


def repeated(
    rows: Rows, judge: str, columns: Iterable[str], rubrics: Mapping[int, str]
) -> list[tuple[Any, ...]]:
    """(cluster, earlier verdict, later verdict) of every two verdicts of a judge on one response by one rubric."""
    of: dict[Any, list[Data]] = {}
    for row in rows.verdicts:
        if row["judge"] == judge and row["first_verdict"] is not None:
            of.setdefault(row["item"], []).append(row)
    cells = []
    for given in of.values():
        in_order = sorted(given, key=lambda row: (row["round"], row["repeat"]))
        cluster = tuple(given[0][name] for name in columns) if rows.are_whole else None
        for place, earlier in enumerate(in_order):
            for later in in_order[place + 1 :]:
                if rubrics.get(earlier["round"]) == rubrics.get(later["round"]):
                    cells.append((cluster, earlier["first_verdict"], later["first_verdict"]))
    return cells


# ---------------------------------------------------------------- two


def check_table(
    entry: Data,
    cells: list[tuple[Any, ...]] | None,
    where: str,
    plan: Plan | None,
    findings: Findings,
) -> None:
    """A table of two with its coefficients; `cells` are (cluster, first label, second label), None without rows."""
    labels = formulas.bounded(entry["labels"])
    table = np.array(entry["table"], dtype=float)
    if table.shape != (len(labels), len(labels)):
        raise ValueError(f"the table, {where}, is not as large as its labels")
    place = {label: index for index, label in enumerate(labels)}
    if cells is not None:
        counted = Counter((place[first], place[second]) for _, first, second in cells)
        k = range(len(labels))
        findings.compare(f"table, {where}", entry, "table", [[counted[i, j] for j in k] for i in k])
    ends = None
    if cells is not None and plan:
        ends = ends_of_two([(of, place[a], place[b]) for of, a, b in cells], len(labels), plan)
    for coefficient in entry["coefficients"]:
        name = coefficient["name"], coefficient["weights"]
        if name not in formulas.OF_TWO:
            findings.skip(" ".join(name))
            continue
        found = of_table(table, coefficient)
        check_coefficient(coefficient, found, ends and ends[name], f"{name}, {where}", findings)
    for index, row in enumerate(entry["per_class"]):
        check_label(row, formulas.of_label(table, index), ends, index, where, findings)


def ends_of_two(cells: list[tuple[Any, int, int]], k: int, plan: Plan) -> dict[Any, dict[str, Any]]:
    """The intervals of all coefficients of two, which share their draws."""
    names = [name for name in formulas.OF_TWO if k > 2 or name[1] == "none"]
    sums = summed([of for of, *_ in cells], np.eye(k * k)[[i * k + j for _, i, j in cells]], k * k)

    def statistic(flat: Any) -> Any:
        tables = flat.reshape(k, k, *flat.shape[1:])
        found = [formulas.OF_TWO[name](tables) for name in names]
        found += [formulas.cohen(formulas.collapsed(tables, place)) for place in range(k)]
        return np.stack(found + [formulas.specific(tables, place) for place in range(k)])

    def sources(flat: Any) -> Any:
        tables = flat.reshape(k, k, *flat.shape[1:])
        used = tables.sum(axis=1) + tables.sum(axis=0) > 0
        return np.concatenate([np.ones((len(names) + k, flat.shape[1]), dtype=bool), used])

    labels = [("kappa", n) for n in range(k)] + [("specific_agreement", n) for n in range(k)]
    return dict(zip([*names, *labels], intervals(sums, statistic, plan, sources), strict=True))


def summed(clusters: list[Any], features: Any, width: int) -> Any:
    """The sum of the features of each cluster's items."""
    numbers: dict[Any, int] = {}
    of = [numbers.setdefault(cluster, len(numbers)) for cluster in clusters]
    sums = np.zeros((len(numbers), width))
    np.add.at(sums, of, features)
    return sums


def check_coefficient(
    entry: Data, found: Data, ends: Data | None, where: str, findings: Findings
) -> None:
    """A coefficient, its interval in closed form, and the one by resampling where `ends` has it."""
    findings.compare_all(where, entry, found)
    check_ends(entry["clustered"], ends, found["value"], where, findings)


def of_table(table: Any, entry: Data) -> dict[str, Any]:
    """A coefficient of two; from too few clusters it has no error in closed form, and no interval by it."""
    found = formulas.of_table(table, entry["name"], entry["weights"])
    clusters = entry["clustered"]["clusters"] if entry["clustered"] else found["n"]
    if found["se"] is not None and min(clusters, found["n"]) < FEWEST_CLUSTERS:
        found = {**found, "se": None, "low": None, "high": None}
    return found


def check_ends(
    entry: Data | None, ends: Data | None, value: float | None, where: str, findings: Findings
) -> None:
    """An interval by resampling; what does not exist has none."""
    if entry is None or ends is None:
        findings.skip(NOT_WHOLE if entry else "no interval by resampling")
        return
    gone = dict.fromkeys(("low", "high", "se")) if value is None else {}
    findings.compare_all(f"resampled {where}", entry, {name: ends[name] for name in ENDS} | gone)


def check_label(
    row: Data, found: Data, ends: Any, index: int, where: str, findings: Findings
) -> None:
    where = f"{row['label']}, {where}"
    findings.compare_all(where, row, found)
    for name, entry in row["clustered"].items():
        check_ends(entry, ends and ends[name, index], found[name], f"{name} of {where}", findings)


# ---------------------------------------------------------------- all judges


@dataclass(frozen=True)
class Prompt:
    """The agreement on the responses to one prompt."""

    entry: Data
    plan: Plan
    findings: Findings
    whole: bool

    def check(self, judged: list[Judged] | None) -> None:
        """All of the prompt; where there are several rounds, of one of them."""
        entry = self.entry
        if judged is not None and entry["round"] is not None:
            judged = [one for one in judged if one.round == entry["round"]]
        for pair in entry["pairs"]:
            self.check_pair(pair, judged, f"prompt {entry['prompt']}")
        if judged is None:
            self.findings.skip("agreement over all judges, without rows", len(entry["all"]))
            self.findings.skip("agreement over time, without rows", len(entry["over_time"]))
            return
        self.check_all(entry, judged, "all", entry["labels"])
        self.check_parts(judged)

    def check_pair(self, pair: Data, judged: list[Judged] | None, where: str) -> None:
        first, second = pair["judges"]
        cells = None
        if judged is not None:
            both = [one for one in judged if first in one.given and second in one.given]
            cells = [(one.cluster, one.given[first], one.given[second]) for one in both]
        plan = self.plan if self.whole else None
        check_table(pair, cells, f"{where}, {first} and {second}", plan, self.findings)

    def check_parts(self, judged: list[Judged]) -> None:
        """Three equal parts by when a response got the last of its first verdicts."""
        if not self.whole:
            over_time = len(self.entry["over_time"])
            self.findings.skip("agreement over time, in rows of format 1", over_time)
            return
        paired = [one for one in judged if len(one.given) > 1]
        thirds = parted(paired)
        for entry in self.entry["over_time"]:
            mine = thirds[entry["part"]]
            self.check_part(entry, mine, self.entry["labels"], f"part {entry['part']}")

    def check_part(self, entry: Data, mine: list[Judged], labels: list[str], name: str) -> None:
        where = f"prompt {self.entry['prompt']}, {name}"
        days = [one.day for one in mine]
        found = {"since": min(days, default=None), "until": max(days, default=None)}
        self.findings.compare_all(where, entry, found)
        self.check_all(entry, mine, name, labels, "coefficients")

    def check_all(
        self,
        entry: Data,
        judged: list[Judged],
        name: str,
        labels: list[str],
        key: str = "all",
    ) -> None:
        """The coefficients over all judges of some responses."""
        where = f"prompt {self.entry['prompt']}, {name}"
        formulas.bounded([*{label for one in judged for label in one.given.values()}])
        formulas.bounded(labels)
        counts = np.array(
            [[list(one.given.values()).count(label) for label in labels] for one in judged],
            dtype=float,
        ).reshape(-1, len(labels))
        features = formulas.item_features(counts)
        found = formulas.of_sums(features.sum(axis=0), len(labels))
        self.findings.compare(f"n, {where}", entry, "n", int(found["items"]))
        ends = None
        if self.whole:
            sums = summed([one.cluster for one in judged], features, features.shape[1])
            ends = ends_of_all(sums, [one["name"] for one in entry[key]], len(labels), self.plan)
        for one in entry[key]:
            if one["name"] not in found:
                self.findings.skip(f"{one['name']} over all judges")
                continue
            value = formulas.of_items(one["name"], counts, found)
            of = f"{one['name']}, {where}"
            check_coefficient(one, value, ends and ends[one["name"]], of, self.findings)


def ends_of_all(sums: Any, names: list[str], k: int, plan: Plan) -> dict[str, dict[str, Any]]:
    """The intervals of coefficients over all judges; responses that one judged say nothing about agreement."""

    def statistic(flat: Any) -> Any:
        found = formulas.of_sums(flat, k)
        return np.stack([found[name] for name in names])

    def sources(flat: Any) -> Any:
        return np.tile(formulas.of_sums(flat, k)["items"] > 0, (len(names), 1))

    return dict(zip(names, intervals(sums, statistic, plan, sources), strict=True))


def parted(paired: list[Judged]) -> dict[int, list[Judged]]:
    """Three equal parts of the responses with as many judges, by their last first verdict; the first are larger."""
    parts: dict[int, list[Judged]] = {part: [] for part in range(1, PARTS + 1)}
    for judges in {len(one.given) for one in paired}:
        of = [one for one in paired if len(one.given) == judges]
        of.sort(key=lambda one: (one.last, one.position))
        size, larger = divmod(len(of), PARTS)
        for part in parts:
            start = (part - 1) * size + min(part - 1, larger)
            parts[part] += of[start : start + size + (part <= larger)]
    return parts

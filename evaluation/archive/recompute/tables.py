"""Tables of verdicts: each cell as k of n, with Wilson's interval and the one by resampling articles."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .agreement import NO_ROWS, NOT_WHOLE
from .findings import Data, Findings
from .formulas import ratio, wilson
from .resampling import Plan, intervals
from .rows import Rows

ALL, UNLABELLED = "all", "unlabelled"
CLUSTERED = {"cluster_low": "low", "cluster_high": "high", "clusters": "clusters"}
# What a table counts of a response: its verdict, None where there is none.
VerdictOf = Callable[[Data], str | None]


def check_tables(report: Data, rows: Rows | None, findings: Findings) -> None:
    """The tables of final verdicts."""
    items = None if rows is None else kept(rows)
    whole = rows is not None and rows.are_whole
    for table in report["tables"]:
        verdicts = [verdict["key"] for verdict in report["verdicts"]]
        Table(report, table, verdicts, whole).check(
            items, lambda item: item["final_verdict"], findings
        )


def kept(rows: Rows) -> list[Data]:
    """The responses whose question is not excluded."""
    return [item for item in rows.items if not item["excluded"]]


class Table:
    """A table of a report; `verdicts` are its columns but for "unlabelled"."""

    def __init__(self, report: Data, table: Data, verdicts: Sequence[str], whole: bool) -> None:
        self.prompts = {prompt["label"]: prompt for prompt in report["prompts"]}
        self.table, self.verdicts, self.whole = table, verdicts, whole
        self.lines = {place_of(line): line for line in table["lines"]}

    def check(self, items: list[Data] | None, verdict_of: VerdictOf, findings: Findings) -> None:
        counted = {}
        name = self.table["name"]
        for place, line in self.lines.items():
            if items is not None:
                inside, left_out = self.inside(items, place)
                counted[place] = Counter(map(verdict_of, inside))
                found = {
                    "total": len(inside),
                    "labelled": len(inside) - counted[place][None],
                    "unlabelled": counted[place][None],
                    "left_out": left_out,
                }
                findings.compare_all(f"{name}, {place}", line, found)
        ends = self.ends(items, verdict_of) if items is not None and self.whole else {}
        for cell in self.table["rows"]:
            self.check_cell(cell, counted, ends, items is not None, findings)

    def check_cell(
        self,
        cell: Data,
        counted: Mapping[Any, Counter[Any]],
        ends: Mapping[Any, Data],
        rows: bool,
        findings: Findings,
    ) -> None:
        place, verdict = place_of(cell), cell["verdict"]
        where = f"{self.table['name']}, {verdict} of {place}"
        line = self.lines[place]
        n = line["total" if verdict == UNLABELLED else "labelled"]
        findings.compare(f"n of {where}", cell, "n", n)
        if place in counted:
            k = counted[place][None if verdict == UNLABELLED else verdict]
            findings.compare(f"k of {where}", cell, "k", k)
        check_share(cell, ends.get((*place, verdict)), where, findings)
        gone = 0 if verdict == UNLABELLED else line["unlabelled"]
        every = n + gone
        ends_of = (cell["k"] / every, (cell["k"] + gone) / every) if every else (None, None)
        found = dict(zip(("lowest", "highest"), ends_of, strict=True))
        findings.compare_all(f"the range of {where}", cell, found)
        if not ends and cell["clusters"] is not None:
            findings.skip(NOT_WHOLE if rows else NO_ROWS)
        elif cell["clusters"] is None:
            findings.compare(f"clusters of {where}", cell, "clusters", None)

    def inside(self, items: list[Data], place: tuple[str, str, str]) -> tuple[list[Data], int]:
        """The responses of a line, and how many are left out because the prompt gives one of two equal passages."""
        label, model, part = place
        prompt = self.prompts[label]
        mine = [
            item
            for item in items
            if (item["prompt"], item["model"]) == (prompt["name"], model)
            and part in (ALL, item["reasoning"])
        ]
        single = prompt["one_passage"]
        inside = [item for item in mine if not (single and item["same_passage"] == "Same")]
        return inside, len(mine) - len(inside)

    def ends(self, items: list[Data], verdict_of: VerdictOf) -> dict[Any, Data]:
        """The interval of each cell. Lines of one slice that leave the same questions out are drawn together."""
        plan = Plan.of(self.table)
        found: dict[Any, Data] = {}
        for single in (True, False):
            for part in dict.fromkeys(line[2] for line in self.lines):
                lines = [
                    place
                    for place in self.lines
                    if place[2] == part and self.prompts[place[0]]["one_passage"] == single
                ]
                counted = [
                    (item["article"], place, verdict_of(item))
                    for place in lines
                    for item in self.inside(items, place)[0]
                    if verdict_of(item) is not None
                ]
                found |= ends_of_lines(counted, lines, self.verdicts, plan)
        return found


def place_of(entry: Data) -> tuple[str, str, str]:
    return entry["prompt"], entry["model"], entry["slice"]


def ends_of_lines(
    counted: Sequence[tuple[Any, ...]], lines: Sequence[Any], verdicts: Sequence[str], plan: Plan
) -> dict[Any, Data]:
    """(*line, verdict) -> the interval of the verdict's share; `counted` are (article, line, verdict)."""
    if not counted:
        return {}
    place = {line: row for row, line in enumerate(lines)}
    column = {verdict: number for number, verdict in enumerate(verdicts)}
    articles: dict[Any, int] = {}
    for article, *_ in counted:
        articles.setdefault(article, len(articles))
    sums = np.zeros((len(articles), len(lines), len(verdicts)))
    for article, line, verdict in counted:
        sums[articles[article], place[line], column[verdict]] += 1

    def shares(flat: Any) -> Any:
        counts = flat.reshape(len(lines), len(verdicts), *flat.shape[1:])
        return ratio(counts, counts.sum(axis=1, keepdims=True)).reshape(flat.shape)

    def asked(flat: Any) -> Any:
        counts = flat.reshape(len(lines), len(verdicts), *flat.shape[1:]).sum(axis=1)
        return np.repeat(counts > 0, len(verdicts), axis=0)

    drawn = iter(intervals(sums.reshape(len(sums), -1), shares, plan, asked))
    return {(*line, verdict): next(drawn) for line in lines for verdict in verdicts}


def check_share(cell: Data, ends: Data | None, where: str, findings: Findings) -> None:
    """Wilson's interval of a share, and the one by resampling where `ends` has it."""
    low, high = wilson(cell["k"], cell["n"])
    findings.compare_all(where, cell, {"low": low, "high": high})
    check_clustered(cell, ends, where, findings)


def check_clustered(cell: Data, ends: Data | None, where: str, findings: Findings) -> None:
    if ends is not None:
        found = {name: ends[key] for name, key in CLUSTERED.items()}
        findings.compare_all(where, cell, found)

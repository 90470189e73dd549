"""The rounds of a study: how much each is of, and how far what two of them ended with agrees."""

from typing import Any

from .agreement import CLUSTERS, check_table
from .findings import Data, Findings
from .resampling import Plan
from .rows import Rows

# Since this format rows have what each round ended with.
SINCE = 3


def check_rounds(report: Data, rows: Rows | None, findings: Findings) -> None:
    """The part "rounds" of a report."""
    part = report.get("rounds", {"rounds": [], "changed": []})
    known = rows if rows is not None and rows.format >= SINCE else None
    if known:
        check_sizes(part["rounds"], known, findings)
    plan = Plan.of(report["agreement"]["interval"])
    for entry in part["changed"]:
        where = "rounds {} and {}".format(*entry["rounds"])
        columns = CLUSTERS[report["agreement"]["interval"]["cluster"]]
        cells = both_ended(known, entry["rounds"], columns) if known else None
        check_table(entry, cells, where, plan if known else None, findings)
        findings.compare(f"n of {where}", entry, "n", sum(map(sum, entry["table"])))


def check_sizes(rounds: list[Data], rows: Rows, findings: Findings) -> None:
    """How many responses each round judged, and how many final verdicts are its own."""
    for one in rounds:
        found = {
            "responses": len({row["item"] for row in rows.verdicts if row["round"] == one["n"]}),
            "final": sum(item["final_round"] == one["n"] for item in rows.items),
        }
        findings.compare_all(f"round {one['n']}", one, found)


def both_ended(rows: Rows, rounds: list[int], columns: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """(cluster, verdict, later verdict) of each response, not excluded, that both rounds ended with a verdict on."""
    ended: dict[Any, dict[int, str]] = {}
    cluster = {}
    for row in rows.verdicts:
        if row["round_verdict"] is not None and not row["excluded"]:
            ended.setdefault(row["item"], {})[row["round"]] = row["round_verdict"]
            cluster[row["item"]] = tuple(row[name] for name in columns)
    first, second = rounds
    return [
        (cluster[item], by_round[first], by_round[second])
        for item, by_round in ended.items()
        if first in by_round and second in by_round
    ]

"""How many responses, questions, articles and judges a study has, how final verdicts came about, and on which days."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta

from .comparisons import QUESTION
from .findings import Data, Findings
from .rows import Rows
from .tables import kept


def check_study(report: Data, rows: Rows, findings: Findings) -> None:
    """The counts of a report that rows of format 2 give."""
    items, study = rows.items, report["study"]
    questions = {tuple(item[name] for name in QUESTION): item for item in items}
    first = [r for r in rows.verdicts if r["first_verdict"] is not None and r["repeat"] == 1]
    found = {
        "responses": len(items),
        "instances": len(questions),
        "articles": len({item["article"] for item in items}),
        "excluded_instances": sum(item["excluded"] for item in questions.values()),
        "judges": len(rows.judges),
    }
    if "own_verdicts" in study:
        found["own_verdicts"] = [sum(row["own"] for row in first), len(first)]
    findings.compare_all("the study", study, found)
    days = days_of(first)
    findings.compare("days of judging", {"n": len(report["days"])}, "n", len(days))
    for entry, one in zip(report["days"], days, strict=False):
        findings.compare_all(f"day {one['day']}", entry, one)
    check_ways(report, rows, findings)
    check_flow(report, rows, findings)


def days_of(first: Sequence[Data]) -> list[Data]:
    """How many first verdicts were given on each day from the first to the last."""
    counted = Counter(row["day"] for row in first)
    if not counted:
        return []
    begin, end = (date.fromisoformat(of(counted)) for of in (min, max))
    days = [(begin + timedelta(days=n)).isoformat() for n in range((end - begin).days + 1)]
    return [{"day": day, "verdicts": counted[day]} for day in days]


def check_ways(report: Data, rows: Rows, findings: Findings) -> None:
    """How many final verdicts came about in which way, and why the other responses have none."""
    items = kept(rows)
    latest = {r["item"]: r["round"] for r in sorted(rows.verdicts, key=lambda r: r["round"] or 0)}
    in_latest = [row for row in rows.verdicts if row["round"] == latest[row["item"]]]
    short = {row["item"] for row in in_latest if row["not_judged"]}
    counted = Counter(item["how"] for item in items if item["how"] is not None)
    first = [row for row in in_latest if row["repeat"] == 1]
    given = {row["item"] for row in first} - {
        r["item"] for r in first if r["first_verdict"] is None
    }
    without = {item["item"] for item in items if item["how"] is None}
    counted["incomplete"], counted["disagreement"] = len(without & short), len(without & given)
    # Rows do not tell a response that a judge skipped from one that is still being judged.
    others = [way for way in report["resolution"] if way["how"] in ("waiting", "skipped", "absent")]
    rest = {"count": sum(way["count"] for way in others)}
    findings.compare(
        "other responses without a verdict", rest, "count", len(without - short - given)
    )
    for way in report["resolution"]:
        if way not in others:
            findings.compare(f"{way['how']} verdicts", way, "count", counted.pop(way["how"], 0))
    for how, count in counted.items():
        findings.compare(f"{how} verdicts", {"count": 0}, "count", count)


def check_flow(report: Data, rows: Rows, findings: Findings) -> None:
    """The steps within the study; each other one against what it says was lost and gained."""
    items, before = rows.items, None
    judged = {row["item"] for row in rows.verdicts if row["first_verdict"] is not None}
    final = [item for item in items if item["how"] is not None]
    single = {prompt["name"] for prompt in report["prompts"] if prompt["one_passage"]}
    counted = [
        item
        for item in final
        if not item["excluded"]
        and not (item["prompt"] in single and item["same_passage"] == "Same")
    ]
    found = {"study": items, "judged": judged, "final": final, "tables": counted}
    for step in report["flow"]["steps"]:
        where = f"{step['key']}, from tags to tables"
        if step["key"] in found:
            findings.compare(where, step, "n", len(found[step["key"]]))
        else:
            findings.skip("steps before the study, of which it has no rows")
        if before and before["unit"] == step["unit"]:
            change = sum(one["n"] for one in step["gained"]) - sum(one["n"] for one in step["lost"])
            findings.compare(f"{where}, less what was lost", step, "n", before["n"] + change)
        before = step

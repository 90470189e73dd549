"""Recomputes the numbers of a report from its rows, with numpy alone.

Unpack the zip of a report and run, in its folder:

    python recompute.py

It reads report.json, rows.jsonl and manifest.json, checks the hashes, counts every cell anew from the rows, computes
each coefficient from these counts, and says what differs. The ways are those of the report's own documentation;
nothing is taken from the program that wrote it. Numbers that it has no way for are named, never passed over.
"""

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from math import isclose, sqrt
from pathlib import Path
from typing import Any

import numpy as np

Z = 1.959963984540054  # the two-sided normal quantile of 95 %
CLOSED_FORM = "closed form"
WEIGHTS = ("none", "linear", "quadratic")
Data = Mapping[str, Any]  # a part of the report or of the manifest, or a row
MOST_LABELS = 50  # no scale has more, and a forged one would take all memory


class Findings:
    """What was compared, what differs, and what there was no way to compute."""

    def __init__(self) -> None:
        self.checked = 0
        self.wrong: list[str] = []
        self.skipped: Counter[str] = Counter()

    def compare(self, where: str, reported: Any, computed: Any) -> None:
        """`reported` is in the report, `computed` comes from rows or counts."""
        self.checked += 1
        same = reported == computed
        if isinstance(reported, int | float) and isinstance(computed, int | float):
            same = isclose(reported, computed, rel_tol=1e-9, abs_tol=1e-9)
        if not same:
            self.wrong.append(f"{where}: the report has {reported}, computed is {computed}.")


def main(folder: Path) -> int:
    """Checks the files of an unpacked zip; 0 where everything is as the report says."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    findings = Findings()
    for name, kept in manifest["files"].items():
        sha256 = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        findings.compare(f"the hash of {name}", kept["sha256"], sha256)
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    rows = read_rows((folder / "rows.jsonl").read_bytes(), manifest)
    check(report, findings, rows)
    sys.stdout.write("\n".join(in_words(findings)) + "\n")
    return 1 if findings.wrong else 0


def in_words(findings: Findings) -> list[str]:
    """The outcome in words."""
    lines = [*findings.wrong]
    outcome = f"{len(findings.wrong)} differ" if findings.wrong else "all equal"
    lines.append(f"{findings.checked} numbers compared: {outcome}.")
    lines += [f"Not recomputed: {name} ({n})." for name, n in sorted(findings.skipped.items())]
    return lines


def read_rows(data: bytes, manifest: Data) -> list[Data]:
    """Each row as a dict; "model" becomes the name by which the report calls it.

    Judge models' replies are rows of other columns, which have no "round".
    """
    names = {(m["service"], m["model"], m["options"]): m["name"] for m in manifest["models"]}
    rows: list[Data] = []
    for line in data.decode("utf-8").split("\n")[:-1]:
        values = json.loads(line)
        if len(values) == len(manifest["machine_columns"]):
            rows.append(dict(zip(manifest["machine_columns"], values, strict=True)))
            continue
        row = dict(zip(manifest["columns"], values, strict=True))
        row["model"] = names[row["model_service"], row["model"], row["model_options"]]
        rows.append(row)
    return rows


def check(report: Data, findings: Findings, rows: list[Data] | None = None) -> None:
    """Compares the report with its rows, or without rows each number with the counts next to it."""
    if rows is not None:
        findings.compare("rows", report["snapshot"]["rows"], len(rows))
        rows = [row for row in rows if "round" in row]
        findings.compare("responses", report["study"]["responses"], len({r["item"] for r in rows}))
    for table in report["tables"]:
        if table["name"] == "verdicts":
            check_verdicts(report, table, findings, rows)
        else:
            findings.skipped[f"table {table['name']}"] += len(table["rows"])
    labels = {prompt["label"]: prompt["name"] for prompt in report["prompts"]}
    # A division by nothing shows as a number that differs.
    with np.errstate(all="ignore"):
        for prompt in report["agreement"]["prompts"]:
            mine = None
            if rows is not None:
                mine = [row for row in rows if row["prompt"] == labels[prompt["prompt"]]]
            check_prompt(prompt, findings, mine)
    name_the_rest(report, findings)


def name_the_rest(report: Data, findings: Findings) -> None:
    """Parts that no count of rows gives: resampled, or from judge models' replies."""
    rest = {
        "agreement of judges with themselves": report["agreement"]["self"]["judges"],
        "comparisons of prompts, models and questions": [
            row for one in report["comparisons"]["families"] for row in one["rows"]
        ],
        "judge models": report["judge_models"],
    }
    findings.skipped.update({name: len(entries) for name, entries in rest.items() if entries})


# ---------------------------------------------------------------- final verdicts


def check_verdicts(
    report: Data,
    table: Data,
    findings: Findings,
    rows: list[Data] | None,
) -> None:
    prompts = {prompt["label"]: prompt for prompt in report["prompts"]}
    items = list({row["item"]: row for row in rows}.values()) if rows is not None else None
    lines = {(line["prompt"], line["model"], line["slice"]): line for line in table["lines"]}
    counted: dict[Any, tuple[Counter[Any], int]] = {}
    for place, line in lines.items():
        if items is not None:
            counted[place] = count_line(items, prompts[line["prompt"]], line)
            verdicts, left_out = counted[place]
            total = verdicts.total()
            for name, computed in (
                ("total", total),
                ("labelled", total - verdicts[None]),
                ("unlabelled", verdicts[None]),
                ("left_out", left_out),
            ):
                findings.compare(f"{name} of {place}", line[name], computed)
    for cell in table["rows"]:
        place = (cell["prompt"], cell["model"], cell["slice"])
        where = f"{cell['verdict']} of {place}"
        unlabelled = cell["verdict"] == "unlabelled"
        n = lines[place]["total" if unlabelled else "labelled"]
        findings.compare(f"n of {where}", cell["n"], n)
        if place in counted:
            verdict = None if unlabelled else cell["verdict"]
            findings.compare(f"k of {where}", cell["k"], counted[place][0][verdict])
        low, high = wilson(cell["k"], cell["n"])
        findings.compare(f"low of {where}", cell["low"], low)
        findings.compare(f"high of {where}", cell["high"], high)
        if cell["cluster_low"] is not None:
            findings.skipped["interval of a share by resampling whole articles"] += 1


def count_line(items: list[Data], prompt: Data, line: Data) -> tuple[Counter[Any], int]:
    """Final verdicts of one line of the table, None for none, and how many responses are left out."""
    verdicts: Counter[Any] = Counter()
    left_out = 0
    for item in items:
        here = (item["prompt"], item["model"]) == (prompt["name"], line["model"])
        if not here or item["excluded"] or line["slice"] not in ("all", item["reasoning"]):
            continue
        if prompt["one_passage"] and item["same_passage"] == "Same":
            left_out += 1
        else:
            verdicts[item["final_verdict"]] += 1
    return verdicts, left_out


def wilson(k: int, n: int) -> tuple[float | None, float | None]:
    """Wilson's interval of k/n (1927)."""
    if not n or not 0 <= k <= n:
        return None, None
    share, spread = k / n, Z * Z / n
    centre = (share + spread / 2) / (1 + spread)
    half = Z * sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return (0.0 if k == 0 else centre - half), (1.0 if k == n else centre + half)


# ---------------------------------------------------------------- agreement


def check_prompt(prompt: Data, findings: Findings, rows: list[Data] | None) -> None:
    judged = None if rows is None else by_item(rows)
    for part in ("rounds", "over_time"):
        if prompt[part]:
            findings.skipped[f"agreement by {part.replace('_', ' ')}"] += len(prompt[part])
    for pair in prompt["pairs"]:
        where = f"prompt {prompt['prompt']}, {' and '.join(pair['judges'])}"
        table = np.array(pair["table"], dtype=float)
        bounded(pair["labels"])
        if table.shape != (len(pair["labels"]), len(pair["labels"])):
            raise ValueError(f"the table, {where}, is not as large as its labels")
        if judged is not None:
            findings.compare(f"table, {where}", pair["table"], pair_table(judged, pair))
        for coefficient in pair["coefficients"]:
            check_coefficient(coefficient, table, where, findings)
        for place, row in enumerate(pair["per_class"]):
            check_class(row, table, place, f"{row['label']}, {where}", findings)
    if judged is not None and prompt["pairs"]:
        labels = bounded(sorted({label for given in judged.values() for label in given.values()}))
        counts = np.array(
            [
                [list(given.values()).count(label) for label in labels]
                for given in judged.values()
                if len(given) >= 2
            ],
            dtype=float,
        )
        findings.compare(f"n, prompt {prompt['prompt']}", prompt["n"], len(counts))
        for coefficient in prompt["all"]:
            check_overall(coefficient, counts, f"all, prompt {prompt['prompt']}", findings)
    else:
        for coefficient in prompt["all"]:
            findings.skipped[f"{coefficient['name']} over all judges, without rows"] += 1


def bounded(labels: list[str]) -> list[str]:
    """The labels; raises ValueError where no scale has so many."""
    if len(labels) > MOST_LABELS:
        raise ValueError(f"{len(labels)} labels, of which no scale has more than {MOST_LABELS}")
    return labels


def by_item(rows: list[Data]) -> dict[Any, dict[str, str]]:
    """For each response in each round: judge -> first verdict; repeats stay out."""
    judged: dict[Any, dict[str, str]] = {}
    for row in rows:
        if row["first_verdict"] is not None and row["repeat"] == 1:
            judged.setdefault((row["item"], row["round"]), {})[row["judge"]] = row["first_verdict"]
    return judged


def pair_table(judged: dict[Any, dict[str, str]], pair: Data) -> list[list[int]]:
    first, second = pair["judges"]
    place = {label: index for index, label in enumerate(pair["labels"])}
    table = [[0] * len(place) for _ in place]
    for given in judged.values():
        if first in given and second in given:
            table[place[given[first]]][place[given[second]]] += 1
    return table


def check_coefficient(coefficient: Data, table: Any, where: str, findings: Findings) -> None:
    """One coefficient of a table of two judges, and its interval where the closed form or Wilson's gives it."""
    name, weights = coefficient["name"], coefficient["weights"]
    way = PAIRWISE.get(name)
    if way is None or weights not in WEIGHTS:
        findings.skipped[name if way is None else f"{name}, {weights} weights"] += 1
        return
    where = f"{name} ({weights}), {where}"
    findings.compare(f"n of {where}", coefficient["n"], int(table.sum()))
    value = cohen(table, weights) if name == "cohen_kappa" else way(table)
    findings.compare(where, coefficient["value"], value)
    if coefficient["clustered"]:
        findings.skipped["interval by resampling whole clusters"] += 1
    low, high, method = coefficient["low"], coefficient["high"], coefficient["method"]
    if value is None or low is None:
        return
    if method == "Wilson":
        ends: Any = wilson(int(np.trace(table)), int(table.sum()))
    elif method.startswith(CLOSED_FORM) and name == "cohen_kappa":
        half = Z * cohen_error(table, weights)
        ends = (max(-1.0, value - half), min(1.0, value + half))
    else:
        findings.skipped[f"interval of {name} by {method}"] += 1
        return
    findings.compare(f"low of {where}", low, ends[0])
    findings.compare(f"high of {where}", high, ends[1])


def check_class(row: Data, table: Any, place: int, where: str, findings: Findings) -> None:
    """Agreement on one label, all others taken together."""
    a, n = table[place, place], table.sum()
    b, c = table[place].sum() - a, table[:, place].sum() - a
    d = n - a - b - c
    used = 2 * a + b + c
    kappa = cohen(np.array([[a, b], [c, d]])) if used else None
    findings.compare(f"kappa of {where}", row["kappa"], kappa)
    findings.compare(f"specific {where}", row["specific_agreement"], 2 * a / used if used else None)
    findings.compare(f"prevalence of {where}", row["prevalence"], (a - d) / n if n else None)
    findings.compare(f"bias of {where}", row["bias"], (b - c) / n if n else None)


def check_overall(coefficient: Data, counts: Any, where: str, findings: Findings) -> None:
    way = OVERALL.get(coefficient["name"])
    if way is None:
        findings.skipped[f"{coefficient['name']} over all judges"] += 1
        return
    findings.compare(f"{coefficient['name']}, {where}", coefficient["value"], way(counts))


def weight_table(k: int, kind: str) -> Any:
    if kind == "none" or k == 1:
        return np.eye(k)
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / (k - 1)
    return 1 - apart ** (1 if kind == "linear" else 2)


def cohen(table: Any, kind: str = "none") -> float | None:
    n = table.sum()
    if not n or table.diagonal().max() == n:
        return None
    weights, shares = weight_table(len(table), kind), table / n
    expected = shares.sum(axis=1) @ weights @ shares.sum(axis=0)
    return float(((weights * shares).sum() - expected) / (1 - expected))


def cohen_error(table: Any, kind: str = "none") -> float:
    """Fleiss, Cohen and Everitt (1969), the general form."""
    n = table.sum()
    weights, shares = weight_table(len(table), kind), table / n
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    expected = rows @ weights @ columns
    kappa = ((weights * shares).sum() - expected) / (1 - expected)
    means = np.add.outer(weights @ columns, rows @ weights)
    variance = (shares * (weights - means * (1 - kappa)) ** 2).sum()
    variance -= (kappa - expected * (1 - kappa)) ** 2
    return float(np.sqrt(max(variance, 0) / n) / (1 - expected))


def agreed(table: Any) -> float | None:
    return float(np.trace(table) / table.sum()) if table.sum() else None


def scott(table: Any) -> float | None:
    n = table.sum()
    if not n or table.diagonal().max() == n:
        return None
    pooled = (table.sum(axis=0) + table.sum(axis=1)) / (2 * n)
    return float((np.trace(table) / n - pooled @ pooled) / (1 - pooled @ pooled))


def gwet(table: Any) -> float | None:
    n, k = table.sum(), len(table)
    if not n or k == 1:
        return None
    pooled = (table.sum(axis=0) + table.sum(axis=1)) / (2 * n)
    expected = (pooled * (1 - pooled)).sum() / (k - 1)
    return float((np.trace(table) / n - expected) / (1 - expected))


def alpha_of_two(table: Any) -> float | None:
    """Krippendorff's alpha, nominal, of two judges."""
    totals, n = table.sum(axis=0) + table.sum(axis=1), table.sum()
    if not n or totals.max() == 2 * n:
        return None
    expected = (totals * (totals - 1)).sum() / (2 * n * (2 * n - 1))
    return float((np.trace(table) / n - expected) / (1 - expected))


def alpha(counts: Any) -> float | None:
    """Krippendorff's alpha, nominal, from a matrix items x labels, two labels an item or more."""
    if not len(counts):
        return None
    totals, total = counts.sum(axis=0), counts.sum()
    if totals.max() == total:
        return None
    judges = counts.sum(axis=1, keepdims=True)
    observed = (counts * (counts - 1) / (judges - 1)).sum() / total
    expected = (totals * (totals - 1)).sum() / (total * (total - 1))
    return float((observed - expected) / (1 - expected))


def fleiss(counts: Any) -> float | None:
    judges = set(counts.sum(axis=1).tolist()) if len(counts) else set()
    if len(judges) != 1 or counts.sum(axis=0).max() == counts.sum():
        return None
    (m,) = judges
    shares = counts.sum(axis=0) / counts.sum()
    observed = (counts * (counts - 1)).sum() / (len(counts) * m * (m - 1))
    return float((observed - shares @ shares) / (1 - shares @ shares))


def agreed_overall(counts: Any) -> float | None:
    """The share of pairs of judges that agree, averaged over responses."""
    if not len(counts):
        return None
    judges = counts.sum(axis=1)
    return float(((counts * (counts - 1)).sum(axis=1) / (judges * (judges - 1))).mean())


PAIRWISE: dict[str, Callable[[Any], float | None]] = {
    "percent_agreement": agreed,
    "cohen_kappa": cohen,
    "scott_pi": scott,
    "gwet_ac1": gwet,
    "krippendorff_alpha_nominal": alpha_of_two,
}
OVERALL: dict[str, Callable[[Any], float | None]] = {
    "percent_agreement": agreed_overall,
    "fleiss_kappa": fleiss,
    "krippendorff_alpha_nominal": alpha,
}

if __name__ == "__main__":
    sys.exit(main(Path(__file__).parent))

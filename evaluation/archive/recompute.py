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

    Judge models' replies and comparisons of annotators are rows of other columns, and of another number of them.
    """
    names = {(m["service"], m["model"], m["options"]): m["name"] for m in manifest["models"]}
    others = [manifest["machine_columns"], manifest.get("annotator_columns", [])]
    rows: list[Data] = []
    for line in data.decode("utf-8").split("\n")[:-1]:
        values = json.loads(line)
        other = next((columns for columns in others if len(columns) == len(values)), None)
        if other:
            rows.append(dict(zip(other, values, strict=True)))
            continue
        row = dict(zip(manifest["columns"], values, strict=True))
        row["model"] = names[row["model_service"], row["model"], row["model_options"]]
        rows.append(row)
    return rows


def check(report: Data, findings: Findings, rows: list[Data] | None = None) -> None:
    """Compares the report with its rows, or without rows each number with the counts next to it."""
    compared = None
    if rows is not None:
        findings.compare("rows", report["snapshot"]["rows"], len(rows))
        compared = [row for row in rows if "annotator_1" in row]
        rows = [row for row in rows if "item" in row and "round" in row]
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
        for campaign in report.get("annotators", []):
            check_annotators(campaign, findings, compared)
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


# ---------------------------------------------------------------- annotators


def check_annotators(campaign: Data, findings: Findings, rows: list[Data] | None) -> None:
    """The agreement of a campaign's annotators, from its comparisons of two annotations each."""
    for entry in campaign["rounds"]:
        for stage in entry["stages"]:
            place = (campaign["campaign"], entry["round"], stage["stage"])
            where = "{}, round {}, {}".format(*place)
            mine = None
            if rows is not None:
                mine = [r for r in rows if (r["campaign"], r["round"], r["stage"]) == place]
                tags = len({row["tag"] for row in mine})
                findings.compare(f"tags, {where}", stage["tags"], tags)
                findings.compare(f"comparisons, {where}", stage["comparisons"], len(mine))
            for measure in stage["measures"]:
                check_measure(measure, mine, f"{measure['key']}, {where}", findings)


def check_measure(measure: Data, rows: list[Data] | None, where: str, findings: Findings) -> None:
    if measure["kind"] == "overlap":
        check_overlaps(measure, rows, where, findings)
        return
    for pair in measure["pairs"]:
        named = f"{where}, {' and '.join(pair['annotators'])}"
        table = np.array(pair["table"], dtype=float)
        if rows is not None:
            findings.compare(f"table, {named}", pair["table"], two_annotators(measure, pair, rows))
        for coefficient in pair["coefficients"]:
            check_coefficient(coefficient, table, named, findings)
    if rows is None:
        findings.skipped["agreement over all annotators, without rows"] += len(measure["all"])
        return
    given: dict[Any, dict[str, str]] = {}
    for row in rows:
        for n in (1, 2):
            label = label_in(measure, row, n)
            if label is not None:
                given.setdefault(row["tag"], {})[row[f"annotator_{n}"]] = label
    several = [list(labels.values()) for labels in given.values() if len(labels) > 1]
    labels = measure["labels"]
    counts = np.array([[of.count(label) for label in labels] for of in several], dtype=float)
    for coefficient in measure["all"]:
        findings.compare(f"n of {coefficient['name']}, {where}", coefficient["n"], len(counts))
        if coefficient["name"] == "gwet_ac1":
            findings.compare(f"gwet_ac1, {where}", coefficient["value"], gwet_overall(counts))
        else:
            check_overall(coefficient, counts, where, findings)


def label_in(measure: Data, row: Data, n: int) -> str | None:
    """What annotator 1 or 2 of a comparison entered on a measure; None where it does not apply."""
    validity: str = row[f"validity_{n}"]
    if measure["kind"] == "validity":
        return validity
    if validity != "Valid":
        return None
    if measure["kind"] == "dimension":
        return str(row[f"{measure['key']} {n}"])
    sets = [row[f"type {dimension} {n}"] for dimension in ("I", "II", "III", "IV")]
    chosen = {option for options in sets for option in options.split(" + ")}
    return "chosen" if measure["key"] in chosen else "not chosen"


def two_annotators(measure: Data, pair: Data, rows: list[Data]) -> list[list[int]]:
    place = {label: index for index, label in enumerate(pair["labels"])}
    table = [[0] * len(pair["table"]) for _ in pair["table"]]
    for row in rows:
        if [row["annotator_1"], row["annotator_2"]] == pair["annotators"]:
            first, second = label_in(measure, row, 1), label_in(measure, row, 2)
            if first is not None and second is not None:
                table[place[first]][place[second]] += 1
    return table


def check_overlaps(measure: Data, rows: list[Data] | None, where: str, findings: Findings) -> None:
    """The mean over tags of the mean over the tag's comparisons: all of them, or those of two annotators."""
    if rows is None:
        findings.skipped["overlap of passages and spans, without rows"] += 1
        return
    for two in (None, *measure["pairs"]):
        of_tag: dict[Any, list[float]] = {}
        for row in rows:
            names = [row["annotator_1"], row["annotator_2"]]
            value = row[measure["key"]]
            if value is not None and (two is None or names == two["annotators"]):
                of_tag.setdefault(row["tag"], []).append(value)
        mean = float(np.mean([np.mean(of) for of in of_tag.values()])) if of_tag else None
        (found,) = two["coefficients"] if two else measure["all"]
        findings.compare(f"n of {where}", found["n"], len(of_tag))
        findings.compare(where, found["value"], mean)


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


def gwet_overall(counts: Any) -> float | None:
    """Gwet's AC1 of any number of judges, two labels an item or more."""
    if not len(counts) or counts.shape[1] == 1:
        return None
    pooled = (counts / counts.sum(axis=1, keepdims=True)).mean(axis=0)
    expected = float((pooled * (1 - pooled)).sum() / (len(pooled) - 1))
    observed = agreed_overall(counts)
    return None if observed is None else (observed - expected) / (1 - expected)


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

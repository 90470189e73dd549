"""Computes the numbers of a report anew from its rows, and says what differs and what was not checked.

    python recompute.py          in the folder of the unpacked zip; needs Python 3.11 and numpy

This file computes itself, from rows.jsonl: hashes, counts, shares, percent agreement, Cohen's kappa and differences.
What follows from its counts (intervals, p-values, other coefficients, scores of judge models) it has computed by
sic_et_non_statistics, the program's own formulas. It names each kind of number that it did not check.
"""

import hashlib
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

if __name__ == "__main__":  # in the unpacked zip, where the program's formulas have another name
    formulas = import_module("sic_et_non_statistics")
    sys.modules |= {"evaluation": formulas, "evaluation.statistics": formulas}
from evaluation.statistics import bootstrap, cells, differences, entries, groups, tables
from evaluation.statistics.many_raters import all_entries
from evaluation.statistics.two_raters import pair_entry

Data = Mapping[str, Any]  # a part of the report or of the manifest, or a row
Responses = Sequence[list[Data]]  # a response is the rows of its judges
HASH: Final = "body_sha256"
OTHER = "without a verdict for another reason"
QUESTION = ("collection", "contradiction", "question_number")
PLACE = ("prompt", "model", "slice")
# Of each way to resample: the columns that name what is drawn as a whole.
CLUSTERS = {"article": ("article",), "tag": ("contradiction",), "instance": QUESTION}
UNPARSED, TYPED = tables.UNPARSED, (tables.EXPLICIT, tables.IMPLICIT)
UNKNOWN = object()  # in place of what no row gives


def main(folder: Path) -> int:
    """Checks the files of an unpacked zip; 0 where everything is as the report says."""
    findings = Findings()
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for name, kept in manifest["files"].items():
        sha256 = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        findings.compare(f"the hash of {name}", kept["sha256"], sha256)
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    if HASH in report["snapshot"]:
        findings.compare("the report's hash", report["snapshot"][HASH], body_hash(report))
    check(report, (folder / "rows.jsonl").read_bytes(), manifest, findings)
    outcome = f"{len(findings.wrong)} of them differ" if findings.wrong else "all equal"
    for line in (*findings.left_out(), *findings.wrong, f"{findings.checked} compared: {outcome}."):
        sys.stdout.write("".join(c if c.isprintable() else ascii(c) for c in line) + "\n")
    return 1 if findings.wrong else 0


def body_hash(report: Data) -> str:
    """sha256 (hex) over the report as canonical JSON, without the hash that it holds of itself."""
    made_of = {name: value for name, value in report["snapshot"].items() if name != HASH}
    whole = {**report, "snapshot": made_of}
    text = json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def check(report: Data, data: bytes, manifest: Data, findings: "Findings") -> None:
    """Compares every number of a report with what the lines of its rows give."""
    made_of = hashlib.sha256(data).hexdigest()
    findings.compare("the hash of the rows", report["snapshot"]["sha256"], made_of)
    rows = ReportRows(data, manifest, report["prompts"])
    with np.errstate(all="ignore"):  # a division by nothing shows as a number that differs
        findings.compare("", report, Recomputed(report, rows).whole())


class Findings:
    """`wrong` names each difference by its place in report.json; `unchecked` has the places that were not compared."""

    def __init__(self) -> None:
        self.checked, self.wrong, self.unchecked = 0, list[str](), dict[str, None]()

    def compare(self, path: str, reported: Any, computed: Any) -> None:
        """Part by part; a Counter and a list of values are one part."""
        if computed is UNKNOWN and isinstance(reported, dict):
            computed = {}
        if computed is UNKNOWN and has_parts(reported):
            computed = [UNKNOWN] * len(reported)
        if isinstance(reported, dict) and type(computed) is dict:
            for key in {**reported, **computed}:
                value = computed.get(key, UNKNOWN)
                self.compare(f"{path}.{key}" if path else key, reported.get(key), value)
        elif has_parts(computed) and isinstance(reported, list) and len(reported) == len(computed):
            for place, (mine, other) in enumerate(zip(reported, computed, strict=True)):
                self.compare(f"{path}[{place}]", mine, other)
        elif computed is not UNKNOWN:
            self.checked += 1
            if not same(reported, computed):
                self.wrong.append(f"{path}: the report has {reported}, computed is {computed}.")
        elif is_number(reported):
            self.unchecked[path] = None

    def left_out(self) -> list[str]:
        kinds = Counter(re.sub(r"\[\d+\]", "[]", path) for path in self.unchecked)
        return [f"Not checked: {kind} ({n})." for kind, n in kinds.items()]


def has_parts(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(v, dict) or v is UNKNOWN for v in value)


def is_number(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(is_number, value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def same(reported: Any, computed: Any) -> bool:
    """Whether two values are equal, numbers but for rounding."""
    if isinstance(reported, int | float) and isinstance(computed, int | float):
        return abs(reported - computed) <= 1e-9 * max(1, abs(reported))
    return bool(reported == computed)


class ReportRows:
    """Rows by kind, each a dict by column, prompts and models called as in the report; `items` has one a response."""

    def __init__(self, data: bytes, manifest: Data, prompts: Iterable[Data]) -> None:
        labels = {prompt["name"]: prompt["label"] for prompt in prompts}
        alone = {prompt["label"] for prompt in prompts if prompt.get("judged") is False}
        names = {(m["service"], m["model"], m["options"]): m["name"] for m in manifest["models"]}
        of: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for line in data.decode("utf-8").split("\n")[:-1]:
            kind, *values = json.loads(line)
            of[kind].append(dict(zip(manifest["columns"][kind], values, strict=True)))
        self.number, self.of = sum(map(len, of.values())), of
        self.verdicts = of["verdict"]  # one for each judge and response, or for one without a judge
        for row in self.verdicts:
            row["key"], row["prompt"] = row["prompt"], labels[row["prompt"]]
        for row in (*self.verdicts, *of["score"]):
            row["model"] = names[row["model_service"], row["model"], row["model_options"]]
        self.items = list({row["item"]: row for row in reversed(self.verdicts)}.values())[::-1]
        self.kept = [i for i in self.items if not i["excluded"] and i["prompt"] not in alone]
        self.given = [row for row in self.verdicts if row["first_verdict"] is not None]
        self.first = [row for row in self.given if row["repeat"] == 1]
        self.replies = of["reply"]  # one for each judge model, response and version of the rubric
        self.held_out = {row["article"] for row in of["article"] if row["held_out"]}


def key_of(row: Data, columns: Iterable[str] = QUESTION) -> tuple[Any, ...]:
    return tuple(row[name] for name in columns)


def numbered(values: Iterable[Any]) -> Any:
    place: dict[Any, int] = {}
    return np.array([place.setdefault(value, len(place)) for value in values], dtype=np.int64)


def kappa(table: Any, places: Sequence[int], weights: str) -> float | None:
    """Cohen's kappa (1960, weighted 1968): 1 less the disagreement over that expected by chance."""
    apart = np.abs(np.subtract.outer(places, places))
    weight = {"none": apart > 0, "linear": apart, "quadratic": apart**2}[weights]
    by_chance = (weight * np.outer(table.sum(axis=1), table.sum(axis=0))).sum()
    return float(1 - (weight * table).sum() * table.sum() / by_chance) if by_chance else None


def ratio(top: float, bottom: float) -> float | None:
    return float(top / bottom) if bottom else None


def extent(responses: Responses) -> dict[str, Any]:
    days = [max(row["day"] for row in of) for of in responses]
    return {"since": min(days, default=None), "until": max(days, default=None), "n": len(days)}


def sides(made: differences.Difference) -> dict[str, Any]:
    """Two shares, the second less the first, and its interval."""
    (k_1, n_1), (k_2, n_2) = made.first, made.second
    value = k_2 / n_2 - k_1 / n_1 if n_1 and n_2 else None
    return {"value": value, **entries.compared_counts(made), **entries.difference_ends(made)}


class ResampledPart:
    """How the intervals of a part were made: its plan, and the columns that name what is drawn as a whole."""

    def __init__(self, made: Data, report: Data | None = None) -> None:
        of = report or {}  # whether verdicts have an order, and the weights of kappa
        self.scale = (of.get("ordered", True), of.get("weights", "none"))
        self.plan = bootstrap.ResamplePlan(made["seed"], made["resamples"])
        self.columns = CLUSTERS[made.get("cluster", "article")]

    def two(self, names: Any, pairs: Any, places: Data, column: str = "first_verdict") -> Data:
        """A table of two from pairs of rows with a label each; `places` are the labels' on the scale."""
        given = [(key_of(a, self.columns), a[column], b[column], 1) for a, b in pairs]
        made = pair_entry(names, [*places], given, self.plan, [*places.values()], *self.scale)
        counted = Counter((first, second) for _, first, second, _ in given)
        table = np.array([[counted[a, b] for b in places] for a in places])
        for number in made["coefficients"]:
            if number["name"] == "percent_agreement":
                number["value"] = ratio(np.trace(table), len(given))
            if number["name"] == "cohen_kappa":
                number["value"] = kappa(table, [*places.values()], number["weights"])
        return {**made, "table": table.tolist()}

    def of_pair(self, names: Sequence[str], responses: Responses, places: Data) -> Data:
        given = [{row["judge"]: row for row in of} for of in responses]
        both = [(of[names[0]], of[names[1]]) for of in given if {*names} <= of.keys()]
        return self.two(names, both, places)

    def over_all(self, responses: Responses, places: Data) -> list[Any]:
        """The coefficients over all judges of some responses."""
        used = [Counter(row["first_verdict"] for row in of) for of in responses]
        counts = np.array([[of[label] for label in places] for of in used], dtype=np.int64)
        clusters = numbered(key_of(of[0], self.columns) for of in responses)
        items = groups.Groups(counts.reshape(-1, len(places)), np.ones(len(used), int), clusters)
        return all_entries([*places], items, self.plan, *self.scale, [*places.values()])

    def over_time(self, responses: Responses, places: Data) -> list[Data]:
        """On three equal parts of those with as many judges, by their last first verdict; the first are larger."""
        parts: list[list[list[Data]]] = [[], [], []]
        ordered = sorted(responses, key=lambda of: (max(r["order"] for r in of), of[0]["item"]))
        for judges in {len(of) for of in ordered}:
            some = [of for of in ordered if len(of) == judges]
            for part, third in zip(parts, np.array_split(range(len(some)), 3), strict=True):
                part += [some[n] for n in third]
        return [{**extent(part), "coefficients": self.over_all(part, places)} for part in parts]


class Recomputed:
    """What the rows give of a report, in its shape."""

    def __init__(self, report: Data, rows: ReportRows) -> None:
        self.report, self.rows = report, rows
        self.by = ResampledPart(report["agreement"]["interval"], report)
        # By key its place. No scale has more than six verdicts, and a forged one would take all memory.
        self.verdicts = {one["key"]: place for place, one in enumerate(report["verdicts"][:6])}
        # A prompt that gives one passage is counted only over questions whose two passages differ.
        self.single = {prompt["label"] for prompt in report["prompts"] if prompt["one_passage"]}

    def whole(self) -> Data:
        report, kept = self.report, self.rows.kept
        final = {item["item"]: item["final_verdict"] for item in kept}
        made = {
            **self.study(),
            "snapshot": {"rows": self.rows.number},
            "flow": {"steps": self.flow()},
            "agreement": self.agreement(),
            "tables": [self.table(t, kept, final, [*self.verdicts]) for t in report["tables"]],
            "comparisons": {"families": self.comparisons()},
            "judge_models": [self.judge_model(judge) for judge in report["judge_models"]],
        }
        others = {"halves": self.halves, "rounds": self.rounds}
        made |= {name: part() for name, part in others.items() if name in report}
        return {**made, **(self.by_scores() if "scores" in report else {})}

    def by_scores(self) -> Data:
        """By a script of its own, which only the zips of reports with scores hold."""
        script = import_module(f"{__package__ or ''}.recompute_scores".lstrip("."))
        return dict(script.counted(self.report, self.rows.of, self.by))

    def counts(self, item: Data) -> bool:
        return item["prompt"] not in self.single or item["same_passage"] != "Same"

    def study(self) -> Data:
        """Responses, questions, articles and judges; first verdicts by day; how final verdicts came about."""
        rows, questions = self.rows, {key_of(item): item for item in self.rows.items}
        given, ways = Counter(row["day"] for row in rows.first), self.ways()
        counts = {way["how"]: way["count"] for way in self.report["resolution"]}
        if others := {"waiting", "skipped", "absent"} & counts.keys():  # alike in the rows
            apart = ways.pop(OTHER, 0) - sum(counts[how] for how in others)
            ways.update({how: counts[how] + apart for how in others})
        return {
            "study": {
                **self.short_rounds(),
                "responses": len(rows.items),
                "instances": len(questions),
                "articles": len({item["article"] for item in rows.items}),
                "excluded_instances": sum(item["excluded"] for item in questions.values()),
                "judges": len(rows.of["judge"]),
                "own_verdicts": [sum(row["own"] for row in rows.first), len(rows.first)],
            },
            "days": [{"verdicts": given[day["day"]]} for day in self.report["days"]],
            "resolution": [{"how": how, "count": ways[how]} for how in {**counts, **ways}],
        }

    def short_rounds(self) -> Data:
        """By each round that lacks a first verdict: how many responses have none, one and so on."""
        of, short = defaultdict[int, Counter[int]](Counter), set()
        for row in self.rows.verdicts:
            if row["round"] and row["repeat"] == 1:
                of[row["round"]][row["item"]] += row["first_verdict"] is not None
                short |= {row["round"]} if row["first_verdict"] is None else set()
        found = {str(n): np.bincount([*of[n].values()]).tolist() for n in short}
        return {"short_rounds": found} if found else {}

    def ways(self) -> Counter[str]:
        """How many final verdicts came about in which way, and why the other responses have none."""
        verdicts = sorted(self.rows.verdicts, key=lambda row: row["round"] or 0)
        latest = {row["item"]: row["round"] for row in verdicts}
        last = [row for row in verdicts if row["round"] == latest[row["item"]]]
        slots = [row for row in last if row["repeat"] == 1]
        without = {row["item"]: "disagreement" for row in slots}
        without |= {row["item"]: OTHER for row in slots if row["first_verdict"] is None}
        without |= {row["item"]: "incomplete" for row in last if row["not_judged"]}
        return Counter(i["how"] or without.get(i["item"], OTHER) for i in self.rows.kept)

    def flow(self) -> list[Any]:
        """The steps within the study; each other one by what was lost and gained since the one before."""
        final = [item for item in self.rows.items if item["how"] is not None]
        known = {"study": len(self.rows.items), "final": len(final)}
        known["judged"] = len({row["item"] for row in self.rows.given})
        known["tables"] = sum(not item["excluded"] and self.counts(item) for item in final)
        steps, found = self.report["flow"]["steps"], []
        for before, step in zip([None, *steps], steps, strict=False):
            n = UNKNOWN
            if before and before["unit"] == step["unit"]:
                gained, lost = (sum(c["n"] for c in step[of]) for of in ("gained", "lost"))
                n = before["n"] + gained - lost
            found.append({"n": known.get(step["key"], n)})
        return found

    def rounds(self) -> Data:
        """What each round is of, and how far what two of them ended with agrees."""
        rows, by = self.rows, self.by
        responses = Counter(n for n, _ in {(row["round"], row["item"]) for row in rows.verdicts})
        final = Counter(item["final_round"] for item in rows.items)
        ended, changed = defaultdict[Any, dict[int, Data]](dict), list[Data]()
        for row in rows.verdicts:
            if row["round_verdict"] is not None and not row["excluded"]:
                ended[row["item"]][row["round"]] = row
        for entry in self.report["rounds"]["changed"]:
            (n, m), names = entry["rounds"], [f"round {n}" for n in entry["rounds"]]
            both = [(of[n], of[m]) for of in ended.values() if {n, m} <= of.keys()]
            table = by.two(names, both, self.verdicts, "round_verdict")
            changed.append({"n": len(both), **table})
        numbers = (entry["n"] for entry in self.report["rounds"]["rounds"])
        sizes = [{"responses": responses[n], "final": final[n]} for n in numbers]
        return {"rounds": sizes, "changed": changed}

    def agreement(self) -> Data:
        """On first verdicts for each prompt and round, and of judges with themselves."""
        part, by = self.report["agreement"], self.by
        responses, made = defaultdict[Any, list[Data]](list), defaultdict[str, list[Data]](list)
        for row in self.rows.first:
            responses[row["prompt"], row["item"], row["round"]].append(row)
        for name in ("prompts", "other_rounds"):
            for entry in part[name]:
                prompt, n = entry["prompt"], entry["round"]
                of = [r for (p, _, m), r in responses.items() if p == prompt and n in (None, m)]
                rounds = [i["final_round"] for i in self.rows.items if i["prompt"] == prompt]
                final = sum(m is not None and n in (None, m) for m in rounds)
                made[name].append({"final": final, **self.of_prompt(entry, of, by)})
        own = []
        for entry in part["self"]["judges"]:
            pairs = self.repeats(entry["judge"])
            own.append({"n": len(pairs), **by.two([entry["judge"]] * 2, pairs, self.verdicts)})
        return {**made, "self": {"n": sum(entry["n"] for entry in own), "judges": own}}

    def repeats(self, judge: str) -> list[tuple[Data, Data]]:
        """Every two verdicts of a judge on one response by one version of the rubric, the earlier first."""
        rubrics = {r["n"]: r["rubric"] for r in self.report.get("rounds", {}).get("rounds", ())}
        of: defaultdict[Any, list[Data]] = defaultdict(list)
        for row in sorted(self.rows.given, key=lambda row: (row["round"], row["repeat"])):
            if row["judge"] == judge:
                of[row["item"], rubrics.get(row["round"])].append(row)
        return [(a, b) for some in of.values() for n, a in enumerate(some) for b in some[n + 1 :]]

    def of_prompt(self, entry: Data, responses: Responses, by: ResampledPart) -> dict[str, Any]:
        """The responses to one prompt in one round; `n` and what follows are of those of two judges or more."""
        places = {key: place for key, place in self.verdicts.items() if key in entry["labels"]}
        paired = [of for of in responses if len(of) > 1]
        return {
            "labels": [*places],
            **extent(paired),
            "pairs": [by.of_pair(pair["judges"], paired, places) for pair in entry["pairs"]],
            "all": by.over_all(responses, places),
            "over_time": by.over_time(paired, places)[: len(entry["over_time"])],
        }

    def table(self, table: Data, items: list[Any], verdict: Data, verdicts: list[str]) -> Data:
        """The lines and cells of a table; `verdict` is that of each item, None where it has none."""
        of, tallied, lines, rows = defaultdict[Any, list[Data]](list), [], [], []
        for item in items:
            model, prompt, kind = item["model"], item["prompt"], item["reasoning"]
            counted = (kind, item["same_passage"] == "Same", verdict[item["item"]], 1)
            tallied.append(tables.Tally(model, prompt, item["article"], *counted))
            for part in (tables.ALL, kind):
                of[prompt, model, part].append(item)
        places, plan = [key_of(line, PLACE) for line in table["lines"]], ResampledPart(table).plan
        ends = cells.resampled(tables.Tallies.of_rows(tallied), places, verdicts, self.single, plan)
        counts = {p: Counter(verdict[i["item"]] for i in of[p] if self.counts(i)) for p in places}
        for place, found in counts.items():
            n, without = found.total(), found[None]
            line = {"total": n, "labelled": n - without, "unlabelled": without}
            lines.append(line | {"left_out": len(of[place]) - n})
        for cell in table["rows"]:
            place, found = key_of(cell, PLACE), counts[key_of(cell, PLACE)]
            is_share = cell["verdict"] != tables.UNLABELLED
            k, gone = found[cell["verdict"] if is_share else None], found[None] * is_share
            n = found.total() - gone
            made = entries.share_entry(k, n, ends.get((*place, cell["verdict"])))
            rows.append(made | {"lowest": ratio(k, n + gone), "highest": ratio(k + gone, n + gone)})
        return {"rows": rows, "lines": lines}

    def comparisons(self) -> list[Any]:
        """The differences of each family, with p-values corrected over it."""
        families, answers = [], self.answers()
        for family in self.report["comparisons"]["families"]:
            made = [self.difference(family["kind"], row, answers) for row in family["rows"]]
            for p in ("p_exact", "p_clustered"):
                corrected = differences.holm([row.get(p) for row in made])
                for row, value in zip(made, corrected, strict=True):
                    row |= {f"{p}_corrected": value} if p in row else {}
            for row in made if family["margin"] else ():
                row["within"] = differences.equivalence(row["low"], row["high"], family["margin"])
            families.append({"rows": made})
        return families

    def answers(self) -> Mapping[Any, dict[Any, Data]]:
        """Final verdicts by (model, prompt), each by its question and how often it was asked before."""
        of, times = defaultdict[Any, dict[Any, Data]](dict), Counter[Any]()
        final = [item for item in self.rows.kept if item["final_verdict"] is not None]
        for item in sorted(final, key=lambda item: (item["run"], item["sample"], item["item"])):
            asked = (item["model"], item["prompt"], key_of(item))
            times[asked] += 1
            if self.counts(item):
                of[asked[:2]][asked[2], times[asked]] = item
        return of

    def difference(self, kind: str, row: Data, answers: Mapping[Any, Any]) -> dict[str, Any]:
        """The second side less the first; of gains the gain on explicit questions less that on implicit ones."""
        named, prompt = (row["first"], row["second"]), row["prompt"]
        if kind == "reasoning":
            asked = answers[row["model"], prompt].values()
            first, second = ([item for item in asked if item["reasoning"] == of] for of in named)
        else:
            ask = [(of, prompt) if prompt else (row["model"], of) for of in named]
            units = [unit for unit in answers[ask[0]] if unit in answers[ask[1]]]
            if kind == "gains":
                units = [unit for unit in units if answers[ask[0]][unit]["reasoning"] in TYPED]
            first, second = ([answers[of][unit] for unit in units] for of in ask)
        part, n, items = self.report["comparisons"], len(first), [*first, *second]
        plan, places = ResampledPart(part).plan, numbered(item["article"] for item in items)
        hits = np.array([item["final_verdict"] == part["verdict"] for item in items], dtype=bool)
        if kind == "gains":
            implicit = np.array([item["reasoning"] == tables.IMPLICIT for item in first], bool)
            gains = differences.gain_difference(hits[:n], hits[n:], places[:n], implicit, plan)
            gain, less = sides(gains.gain), sides(gains.other_gain)
            value = gain["value"] - less["value"] if gain["n_1"] and less["n_1"] else None
            found = {"value": value, "explicit": gain, "implicit": less}
            return {**found, **entries.difference_ends(gains), "p_clustered": gains.p_clustered}
        if kind == "reasoning":
            made = differences.unpaired(hits[:n], places[:n], hits[n:], places[n:], plan)
        else:
            made = differences.paired(hits[:n], hits[n:], places[:n], plan)
        tested = ("p_exact", "p_clustered", "only_first", "only_second")
        return sides(made) | {name: getattr(made, name) for name in tested}

    def halves(self) -> Data:
        """Articles in each half, and how many judge models were compared with people on the held-out one."""
        rows, every = self.rows, {item["article"] for item in self.rows.items}
        ended = [r for r in rows.verdicts if r["final_verdict"] or r["round_verdict"]]
        held_out = {row["item"] for row in ended if row["article"] in rows.held_out}
        tried = {row["judge"] for row in rows.replies if row["holds"] and row["item"] in held_out}
        held = len(every & rows.held_out)
        return {"development": len(every) - held, "held_out": held, "tried": len(tried)}

    def judge_model(self, judge: Data) -> Data:
        """How far a judge model is, its scores against people, and its verdicts on everything."""
        asked = [row for row in self.rows.replies if row["judge"] == judge["judge"]]
        mine = {row["item"]: row for row in asked if row["counts"]}
        items = [item for item in self.rows.kept if item["item"] in mine]
        kept, rows = {i["item"] for i in self.rows.kept}, [mine[item["item"]] for item in items]
        held = [row for row in rows if row["holds"]]
        others = [r for r in asked if r["holds"] and not r["counts"] and r["item"] in kept]
        known = [row for row in asked if row["itself"] is not None]
        said = {r["item"]: UNPARSED if r["state"] == UNPARSED else r["verdict"] for r in rows}
        kinds = {**dict.fromkeys(judge["replies"], 0), **Counter(row["holds"] for row in held)}
        return {
            "states": Counter(row["state"] for row in rows),
            "spellings": Counter(row["spelling"] for row in mine.values() if row["spelling"]),
            "replies": Counter(kinds),
            "versions": Counter(row["rubric"] for row in held),
            "other_versions": len(others),
            "itself": sum(bool(row["itself"]) for row in held) if known else None,
            "prompts": [self.scores(entry, items, said, judge) for entry in judge["prompts"]],
            "table": self.table(judge["table"], items, said, [*self.verdicts, UNPARSED]),
        }

    def scores(self, entry: Data, items: Sequence[Data], said: Data, judge: Data) -> Data:
        """How a judge model's verdicts on one prompt compare with people's: over all, by model and by half."""
        labels, plan = [*self.verdicts], ResampledPart(judge["table"]).plan
        mine = [i for i in items if i["prompt"] == entry["prompt"] and self.counts(i)]
        of, held_out = [i for i in mine if said[i["item"]]], self.rows.held_out
        one, kept = entries.Both, [i for i in of if i["final_verdict"]]
        both = [one(i["article"], i["model"], i["final_verdict"], said[i["item"]], 1) for i in kept]
        made = entries.scores_entry(both, labels, plan) | {"halves": []}
        for half in entry["halves"]:
            some = [b for b in both if (b.article in held_out) == (half["half"] == "held_out")]
            made["halves"].append(entries.scores_entry(some, labels, plan))
        made["models"] = entries.models_entry(both, labels, plan)
        return made | {"without_final_verdict": len(of) - len(both)}


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parent))

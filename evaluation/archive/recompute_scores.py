"""Counts the scores of a report anew from its rows, which hold labels and no responses: python recompute_scores.py"""

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":  # in the unpacked zip, where the program's formulas have another name
    import sic_et_non_statistics

    sys.modules["evaluation"] = sys.modules["evaluation.statistics"] = sic_et_non_statistics
    from recompute import Data, Findings, key_of
else:  # in the program
    from evaluation.archive.recompute import Data, Findings, key_of
from evaluation.statistics import bootstrap, entries, measures, score_tables

QUESTION, MODEL = ("collection", "contradiction"), ("model_service", "model", "model_options")
ABSENT = measures.ABSENT


def check(report: Data, data: bytes, manifest: Data, findings: Findings) -> None:
    """Compares the figures of the scores with what the rows give."""
    rows = ScoreRows(report["scores"], data, manifest)
    tables = [{"figures": rows.figures(table)} for table in report["scores"]["tables"]]
    findings.compare("scores", report["scores"], {"tables": tables})


class ScoreRows:
    """Responses with their labels by scorer, their units and their places on the axes of tables."""

    def __init__(self, scores: Data, data: bytes, manifest: Data) -> None:
        self.scores, of = scores, defaultdict[str, list[dict[str, Any]]](list)
        for line in data.decode("utf-8").split("\n")[:-1]:
            kind, *values = json.loads(line)
            of[kind].append(dict(zip(manifest["columns"][kind], values, strict=True)))
        names = {(m["service"], m["model"], m["options"]): m["name"] for m in manifest["models"]}
        prompts = {prompt["key"]: prompt for prompt in scores["prompts"]}
        articles = {key_of(row, QUESTION): row["article"] for row in of["verdict"]}
        slices = defaultdict[Any, dict[str, str]](dict)
        for row in of["slice"]:
            slices[key_of(row, QUESTION)][row["field"]] = row["value"]
        self.size, found = len(of["article"]), dict[Any, dict[str, Any]]()
        for row in of["score"]:
            question, prompt = key_of(row, QUESTION), prompts[row["prompt"]]
            unit = question, names[key_of(row, MODEL)], str(row["sample"])
            axes = {"model": unit[1], "sample": unit[2], "prompt": prompt["name"]} | prompt["tags"]
            own = {"unit": unit, "axes": {**axes, "last": row["last"], **slices[question]}}
            one = {**row, **own, "article": articles.get(question), "of": {}}
            found.setdefault((unit, row["prompt"]), one)["of"][row["scorer"]] = row["label"]
        self.rows = list(found.values())
        self.measures = {one["name"]: one for one in scores["measures"]}
        self.inside = {one["name"]: self.population(one["all"]) for one in scores["populations"]}

    def fitting(self, where: Data) -> list[dict[str, Any]]:
        asked = {axis: [of] if isinstance(of, str) else of for axis, of in where.items()}
        return [one for one in self.rows if all(one["axes"].get(a) in v for a, v in asked.items())]

    def population(self, conditions: list[Data]) -> set[Any]:
        """The units with the label of each condition on every finished response that it is about."""
        inside = {one["unit"] for one in self.rows}
        for asked in conditions:
            labels = defaultdict[Any, set[str]](set)
            for one in self.fitting(asked["tags"]):
                labels[one["unit"]].add(one["of"][asked["scorer"]])
            inside &= {unit for unit, of in labels.items() if of - {*ABSENT} == {asked["label"]}}
        return inside

    def counted(self, name: str, rows: list[Data]) -> tuple[Any, list[int]]:
        """Of a measure: the sums of its top and its bottom by article, and how many are in each state."""
        sums, states = np.zeros((self.size, 2)), Counter[str]()
        scorer, population, label, among = measures.asked(self.measures, name)
        for one in rows:
            given, bits = one["of"][scorer], one["entropy"]
            outside = population is not None and one["unit"] not in self.inside[population]
            if outside or (one["excluded"] and given in ABSENT):
                continue
            states["excluded" if one["excluded"] else given] += 1
            if not one["excluded"] and given not in ABSENT:
                if label is None and bits is None:
                    states["unreturned"] += 1
                elif among is None or given in among:
                    sums[one["article"]] += bits if label is None else given == label, 1
        return sums, [states[state] for state in measures.STATES]

    def figures(self, table: Data) -> list[Data]:
        columns, cells, of = table["columns_shown"], table["cells"], defaultdict[Any, Any](list)
        axes, made = (*table["rows"], *table["columns"]), []
        for one in self.fitting(table.get("where", {})):
            of[tuple(one["axes"].get(axis, "") for axis in axes)].append(one)
        shown = [column["values"] for column in columns if column["kind"] == "value"]
        shape = (len(table["lines"]), len(shown), len(cells))
        if np.prod(shape) > len(table["figures"]):  # forged: it might take all memory
            raise ValueError("a table lacks figures")
        sums, states = np.zeros((self.size, *shape, 2)), np.zeros((*shape, len(measures.STATES)))
        for at in np.ndindex(shape):
            rows = of[(*table["lines"][at[0]], *shown[at[1]])]
            sums[:, *at], states[at] = self.counted(cells[at[2]], rows)
        plan = bootstrap.ResamplePlan(self.scores["seed"], self.scores["resamples"])
        values = score_tables.values_of(sums.sum(axis=0), columns)
        ends = score_tables.ends_of(sums, columns, plan)
        for figure, value, interval in zip(table["figures"], values, ends, strict=True):
            column, n = columns[figure["column"]], cells.index(figure["measure"])
            at = (figure["line"], column["parts"], n)
            known = {"value": value, **entries.clustered_entry(interval)}
            if column["kind"] != "difference":
                counts = zip(measures.STATES, states[at].sum(axis=0).tolist(), strict=True)
                known["states"] = {state: count for state, count in counts if count}
            if column["kind"] in ("value", "pooled"):
                known["k"], known["n"] = sums[:, *at].sum(axis=(0, 1)).tolist()
            made.append(known if figure["k"] is not None else {**known, "k": None})
        return made


if __name__ == "__main__":
    folder, found = Path(__file__).parent, Findings()
    files = [json.loads((folder / f"{n}.json").read_text("utf-8")) for n in ("report", "manifest")]
    check(files[0], (folder / "rows.jsonl").read_bytes(), files[1], found)
    sys.stdout.write("\n".join([*found.wrong, f"{found.checked} scores compared."]) + "\n")
    sys.exit(bool(found.wrong))

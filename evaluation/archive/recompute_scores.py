"""Counts the scores of a report anew from rows that hold labels and no responses; recompute.py calls it."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from operator import itemgetter
from typing import Any

import numpy as np

from evaluation.statistics import bootstrap, measures, score_tables, sliced, validation

Data = Mapping[str, Any]
QUESTION = itemgetter("collection", "contradiction")


def counted(report: Data, of: Mapping[str, list[dict[str, Any]]], by: Any) -> Data:
    """The figures of tables, people next to scorers, agreement by slice; `of` has the rows of each kind."""
    scores, slices = report["scores"], report.get("by_slice")
    validation.by_final_verdicts(scores["scorers"], of)
    counts = ScoreRows(scores, of)
    compared = [validation.of_rows(v, counts.rows, counts.plan) for v in scores["validations"]]
    tables = [{"figures": figures} for figures in map(counts.figures, scores["tables"])]
    made: dict[str, Any] = {"scores": {"tables": tables, "validations": compared}}
    if slices:
        verdicts = [one["key"] for one in report["verdicts"][:6]]
        made["by_slice"] = sliced.of_rows(slices, of, by.columns, verdicts, by.plan, by.scale[1])
    return made


class ScoreRows:
    """What each scorer says of each response, with the response's unit and its places on the axes of tables."""

    def __init__(self, scores: Data, of: Mapping[str, list[dict[str, Any]]]) -> None:
        prompts = {prompt["key"]: prompt for prompt in scores["prompts"]}
        articles = {QUESTION(row): row["article"] for row in of["verdict"]}
        slices = defaultdict[Any, dict[str, str]](dict)
        for row in of["slice"]:
            slices[QUESTION(row)][row["field"]] = row["value"]
        self.plan = bootstrap.ResamplePlan(scores["seed"], scores["resamples"])
        self.rows, self.size = of["score"], len(of["article"])
        for row in self.rows:
            question, prompt, sample = QUESTION(row), prompts[row["prompt"]], str(row["sample"])
            axes = {"model": row["model"], "sample": sample, "prompt": prompt["name"]}
            row["axes"] = {**axes, **prompt["tags"], "last": row["last"], **slices[question]}
            row |= {"unit": (question, row["model"], sample), "article": articles.get(question)}
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
                if one["scorer"] == asked["scorer"] and one["label"] not in measures.ABSENT:
                    labels[one["unit"]].add(one["label"])
            inside &= {unit for unit, of in labels.items() if of == {asked["label"]}}
        return inside

    def counted(self, name: str, rows: list[Data]) -> tuple[Any, Counter[str]]:
        """Of a measure: the sums of its top and its bottom by article, and how many are in each state."""
        sums, states = np.zeros((self.size, 2)), Counter[str]()
        scorer, population, label, among, _ = measures.asked(self.measures, name)
        for one in rows:
            given, number = one["label"], one["number"]
            outside = population is not None and one["unit"] not in self.inside[population]
            if one["scorer"] != scorer or outside or (one["excluded"] and given in measures.ABSENT):
                continue
            state = "excluded" if one["excluded"] else given
            states[state] += state in measures.STATES
            if not one["excluded"] and given not in measures.ABSENT:
                if label is None and number is None:
                    states["unreturned"] += 1
                elif among is None or given in among:
                    sums[one["article"]] += number if label is None else given == label, 1
        return sums, states

    def figures(self, table: Data) -> list[dict[str, Any]]:
        columns, cells, of = table["columns_shown"], table["cells"], defaultdict[Any, Any](list)
        axes = (*table["rows"], *table["columns"])
        for one in self.fitting(table.get("where", {})):
            of[tuple(one["axes"].get(axis, "") for axis in axes)].append(one)
        shown = [column["values"] for column in columns if column["kind"] == "value"]
        shape = (len(table["lines"]), len(shown), len(cells))
        if np.prod(shape) > len(table["figures"]):  # forged: it might take all memory
            raise ValueError("a table lacks figures")
        sums, states = np.zeros((self.size, *shape, 2)), np.empty(shape, dtype=object)
        for at in np.ndindex(shape):
            rows = of[(*table["lines"][at[0]], *shown[at[1]])]
            sums[:, *at], states[at] = self.counted(cells[at[2]], rows)
        asked = [measures.asked(self.measures, cell) for cell in cells]
        return score_tables.figures_anew(table, sums, states, asked, self.plan)

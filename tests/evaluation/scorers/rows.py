"""Scored responses as a test writes them, one tuple each."""

from typing import NamedTuple

import numpy as np

from evaluation.scorers.counting import ScoreRows, in_order
from evaluation.statistics.columns import columns, combined

POPULATIONS = {
    "known": {
        "name": "known",
        "title": "right without and with evidence",
        "all": [
            {"tags": {"setting": "none"}, "scorer": "answer", "label": "original"},
            {"tags": {"setting": "default"}, "scorer": "answer", "label": "original"},
        ],
    }
}
MEASURES = {
    "right": {"share": {"scorer": "answer", "label": "original"}},
    "oar": {"share": {"scorer": "answer", "label": "original", "in": "known"}},
    "car": {"share": {"scorer": "answer", "label": "counter", "in": "known"}},
    "mr": {"ratio": ["oar", "car"]},
    "entropy": {"mean": {"scorer": "answer", "of": "entropy"}},
    "exact": {"mean": {"scorer": "answer", "of": "exact"}},
    "f1": {"mean": {"scorer": "answer", "of": "f1"}},
    "accuracy": {"share": {"scorer": "answer", "label": "right"}},
    "skipped": {"share": {"scorer": "answer", "label": "skipped"}},
}


class One(NamedTuple):
    """A response; `label` may be a state, or None where the scorer does not read it."""

    item: int
    setting: str
    label: str | None
    cause: str | None = None
    model: str = "llama"
    sample: str = "1"
    excluded: bool = False
    number: float = float("nan")
    last: str | None = None
    style: str = "book"


def rows_of(*given: One) -> ScoreRows:
    """Each item is a cluster of its own."""
    of = columns(One._fields, given)
    axes = {
        name: in_order(of[name], list(dict.fromkeys(filter(None, of[name].values))))
        for name in ("model", "setting", "cause", "sample", "last", "style")
    }
    units = combined(of["model"], of["sample"], of["item"])
    return ScoreRows(
        axes=axes,
        unit=np.unique(units, return_inverse=True)[1],
        cluster=of["item"].at.astype(np.intp),
        excluded=of["excluded"].among({True}),
        labels={"answer": of["label"]},
        numbers={"answer": np.array([one.number for one in given])},
        populations=POPULATIONS,
        measures=MEASURES,
    )


def known(items, model: str = "llama", **fields) -> list[One]:
    """Right without and with evidence."""
    settings = ("none", "default")
    return [One(item, s, "original", model=model, **fields) for item in items for s in settings]


def asked(labels: dict[str, int], cause: str = "typo", first: int = 0, **fields) -> list[One]:
    """One piece of evidence on so many items each, from item `first` on."""
    given = [label for label, times in labels.items() for _ in range(times)]
    return [One(first + n, "one", label, cause, **fields) for n, label in enumerate(given)]

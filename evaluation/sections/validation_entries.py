"""People's verdicts next to a scorer's labels, as data: the validations that a protocol declares."""

from collections.abc import Iterator
from typing import cast

import numpy as np

from evaluation.counts.scored import Scored
from evaluation.scorers import kinds
from evaluation.shapes.score_tables import ReportValidation
from evaluation.statistics import validation
from evaluation.statistics.bootstrap import ResamplePlan
from evaluation.statistics.validation import Said
from pages.memory import FIGURES
from protocols.declaration import MODEL

compared = FIGURES.remembers(validation.validation)


def validation_entries(scores: Scored, plan: ResamplePlan, only: str) -> list[ReportValidation]:
    """Those of which people judge a response in this study; none with the scorer `only`, which chose them."""
    declaration = scores.declaration
    scorers = declaration.named("scorer")
    models = [name for name in scores.rows.axes[MODEL].values if name is not None]
    found = []
    for entry in declaration.entries("validation"):
        sides = [entry.values[side] for side in ("people", "scorer")]
        people, others = (list(_said(scores, name)) for name in sides)
        if people and entry.values["scorer"] != only:
            given = [kinds.of(scorers[n].values).labels(declaration, scorers[n]) for n in sides]
            labels = list(dict.fromkeys([*given[0], *given[1]]))
            made = compared(entry.values, labels, people, others, models, plan)
            found.append(cast(ReportValidation, {**entry.values, **made}))
    return found


def _said(scores: Scored, scorer: str) -> Iterator[Said]:
    """What a scorer says of each response that it reads."""
    rows, of = scores.rows, scores.columns
    columns = (
        rows.cluster.tolist(),
        of["instance"].at.tolist(),
        rows.axes[MODEL],
        rows.labels[scorer],
        rows.excluded.tolist(),
    )
    every = list(zip(*columns, strict=True))
    for place in np.flatnonzero(rows.read(scorer)).tolist():
        cluster, record, model, label, is_excluded = every[place]
        yield Said(place, record, cluster, str(model), str(label), is_excluded)

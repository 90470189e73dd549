"""The rows that a report is computed from, as hashed and as its zip holds them.

A new column changes every hash, so it raises ROWS_FORMAT and FORMAT of shapes/study_report.py. Where a protocol has
scorers, two further kinds of rows follow: SCORED_FORMAT is ROWS_FORMAT with these.

The same verdicts give the same lines in every database: they have no row ids, and articles, runs and the order of
verdicts are numbered within the study.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import numpy as np
from django.db.models import OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Concat

from datasets.contexts import reasoning
from evaluation.annotators.campaign import COMPARED, TAGGED, annotated_tags, comparison_rows
from evaluation.archive.bundles import RowsLegend
from evaluation.counts.first_verdicts import first_judged, own
from evaluation.counts.judged import COLUMNS, MODEL, Columns, Judged
from evaluation.counts.naming import model_names, models_of
from evaluation.counts.scored import Scored, scored
from evaluation.shapes.study_report import ROWS_FORMAT, SCORED_FORMAT, Report
from evaluation.statistics.columns import Column, Mask, columns
from judging.machine.scope import COUNTS, ITSELF, by_version, halves_of
from judging.models import Judge, JudgeCall, MachineVerdict, Resolution, Study
from judging.states import SlotState

# Texts that no number depends on.
NOT_HASHED = {"title", "question", "response", "comment", "seconds", "cause", "note"}
# With what each round ended with, and which one is final.
OF_ROUNDS = ["round_verdict", "final_round"]
HASHED = [name for name in COLUMNS if name not in NOT_HASHED | {*OF_ROUNDS}]
VERDICT, REPLY, COMPARISON, TAG, JUDGE, ARTICLE, SCORE, SLICE = (
    "verdict", "reply", "comparison", "tag", "judge", "article", "score", "slice",
)  # fmt: skip
_SPELLING = (
    JudgeCall.objects.filter(machine_verdict=OuterRef("pk"))
    .exclude(spelling="")
    .order_by("-n")
    .values("spelling")[:1]
)
# Column -> where it is, seen from a machine verdict: the reply, the version of the rubric that asked for it, whether
# that one counts, and whether the judge model judged its own response (null: not known).
_REPLY: dict[str, str | Combinable] = {
    "item": "item__position",
    "judge": "judge__pseudonym",
    "state": "state",
    "verdict": "verdict",
    "spelling": Subquery(_SPELLING),
    "holds": "holds",
    "rubric": Concat("rubric__name", Value(" v"), "rubric__version", output_field=TextField()),
    "counts": COUNTS,
    "itself": ITSELF,
}
# Kind of row -> its columns, in the order of the lines. A row begins with its kind.
KINDS: dict[str, list[str]] = {
    VERDICT: [*HASHED, "article", "run", "day", "order", "not_judged", "own", *OF_ROUNDS],
    REPLY: [*_REPLY],
    COMPARISON: COMPARED,
    TAG: TAGGED,
    JUDGE: ["judge"],
    ARTICLE: ["article", "held_out"],
}
_QUESTION = ["collection", "contradiction"]
_SCORED = [*_QUESTION, "excluded", "prompt", *MODEL, "sample", "last"]
# Of responses that are scored, those that are not there as well; and of each question.
SCORED_KINDS = {
    SCORE: [*_SCORED, "scorer", "label", "number"],
    SLICE: [*_QUESTION, "field", "value"],
}
# json.dumps would make an encoder each time.
_encoded = json.JSONEncoder(ensure_ascii=False).encode
_PIECE = 1_000
# As NOT_JUDGED of judging/settling.py: the state, the reason and the repeat of a slot that nobody came to.
_NOT_JUDGED = (SlotState.WITHDRAWN, "", 1)


def _lines(judged: Judged, scores: Scored | None, report: Report | None) -> Iterator[str]:
    study = judged.study
    yield from _verdicts(judged)
    # Called one after the other, as the lines are read.
    others: dict[str, Callable[[], Iterable[Iterable[Any]]]] = {
        REPLY: lambda: _replies(study),
        COMPARISON: lambda: comparison_rows(study, report),
        TAG: lambda: annotated_tags(study, report),
        JUDGE: lambda: sorted(judging_people(study).values_list("pseudonym")),
        ARTICLE: lambda: _articles(judged),
    }
    for kind, rows in others.items():
        yield from (f"{_encoded([kind, *values])}\n" for values in rows())
    if scores:
        yield from _scores(scores)
        yield from _slices(scores)


def hashed_lines(study: Study, report: Report | None = None) -> Iterator[bytes]:
    """All that a report of the study is computed from, a JSON list a line.

    The annotators are those of the campaigns that `report` has numbers of (None: of the closed ones).
    """
    lines = _lines(Judged.of_study(study), scored(study), report)
    return (line.encode("utf-8") for line in lines)


def rows_of(study: Study) -> RowsLegend:
    """How to read the study's hashed lines: their columns, and what a report calls the models that they name."""
    models = models_of(study)
    names = model_names(models)
    is_scored = study.declaration.is_scored
    return {
        "rows_format": format_of(study),
        "columns": {**KINDS, **SCORED_KINDS} if is_scored else KINDS,
        "models": [
            {
                "service": model.service,
                "model": model.model_id,
                "options": model.options_hash,
                "name": names[model.pk],
            }
            for model in models
        ],
    }


def format_of(study: Study) -> int:
    """That of its rows."""
    return SCORED_FORMAT if study.declaration.is_scored else ROWS_FORMAT


def digest(study: Study, report: Report | None = None) -> tuple[str, int]:
    """sha256 (hex) over the hashed lines, and how many they are."""
    return digest_of(Judged.of_study(study), scored(study), report)


def digest_of(
    judged: Judged, scores: Scored | None, report: Report | None = None
) -> tuple[str, int]:
    """The same, from verdicts and scores already read."""
    sha256, count, lines = hashlib.sha256(), 0, _lines(judged, scores, report)
    while piece := list(islice(lines, _PIECE)):
        sha256.update("".join(piece).encode("utf-8"))
        count += len(piece)
    return sha256.hexdigest(), count


def _verdicts(judged: Judged) -> Iterator[str]:
    """The line of each slot, and of a response without any; each value is encoded once, each item joined once."""
    items = {**judged.items, **_of_items(judged.items)}
    slots = {**judged.slots, **_holders(judged), **_of_slots(judged)}
    at = judged.at.tolist()
    parts: list[Iterable[str]] = []
    for of_items, run in groupby(KINDS[VERDICT], key=items.__contains__):
        columns = items if of_items else slots
        texts = list(map(", ".join, zip(*(_texts(columns[name]) for name in run), strict=True)))
        parts.append(map(texts.__getitem__, at) if of_items else texts)
    return (f'["{VERDICT}", {", ".join(row)}]\n' for row in zip(*parts, strict=True))


def _texts(column: Column) -> Iterator[str]:
    encoded = [str(value) if type(value) is int else _encoded(value) for value in column.values]
    return iter(Column(encoded, column.at))


def _of_items(items: Columns) -> dict[str, Column]:
    articles, runs = items["title"], items["run"]
    return {
        "reasoning": items["reasoning"].mapped(lambda kind: reasoning(kind).value),
        "excluded": _whether(~items["excluded"].among({None})),
        # Both numbered from 0: articles in the order of their first responses, runs in that of their ids.
        "article": Column(range(len(articles.values)), articles.at),
        "run": Column(range(len(runs.values)), runs.on(sorted(runs.values))),
    }


def _whether(rows: Mask) -> Column:
    return Column((False, True), rows.astype(np.int8))


def _holders(judged: Judged) -> dict[str, Column]:
    """A slot drawn from a pool has no judge until it has a verdict: its holder changes."""
    if judged.study.pairing != Study.Pairing.POOL:
        return {}
    holders = judged.slots["judge"]
    return {"judge": Column([*holders.values, None], np.where(judged.given, holders.at, -1))}


def _of_slots(judged: Judged) -> dict[str, Column]:
    """What a row has of a slot besides its columns."""
    slots = judged.slots
    states = zip(slots["state"], slots["skip_reason"], slots["repeat"], strict=True)
    moments, order = np.unique(judged.moments[judged.given], return_inverse=True)
    days = Column.of_values(moments.astype("datetime64[D]").astype(str).tolist())
    place = np.full(len(judged.at), -1)
    place[judged.given] = order
    return {
        "day": Column([*days, None], place),
        "order": Column([*range(1, len(moments) + 1), None], place),
        "not_judged": _whether(np.array([state == _NOT_JUDGED for state in states], dtype=bool)),
        "own": _whether(own(judged)),
        "round_verdict": _ended(judged),
    }


def _ended(judged: Judged) -> Column:
    """The verdict that the round of each slot ended with on its item, final or not."""
    others = Resolution.objects.filter(round__study=judged.study, final_for=None).order_by()
    other = columns(
        ("at", "n", "verdict"), others.values_list("item__position", "round__n", "verdict")
    )
    items, scale, rounds = judged.items, judged.scale, judged.rounds
    final, not_final = items["final_round"].mapped(lambda n: n or 0).numbers(), other["n"].numbers()
    last = max(int(of.max(initial=0)) for of in (rounds, final, not_final))
    ended = np.full((len(final), last + 1), -1)
    ended[np.arange(len(final)), final] = items["final_verdict"].on(scale)
    ended[other["at"].on(items["item"].values), not_final] = other["verdict"].on(scale)
    return Column([*scale, None], ended[judged.at, rounds])


def _replies(study: Study) -> Iterator[list[Any]]:
    """Judge models' verdicts, by response and judge."""
    rows = by_version(MachineVerdict.objects.filter(judge__study=study))
    values_of = rows.order_by("item__position").values_list(*_REPLY.values())
    for _, of_item in groupby(values_of.iterator(chunk_size=2000), key=itemgetter(0)):
        # Sorted here: databases order small and capital letters differently.
        yield from map(list, sorted(of_item, key=lambda row: (row[1], row[6])))


def _articles(judged: Judged) -> Iterator[list[Any]]:
    """Which half each article is in, by its number."""
    held_out = halves_of(judged.study).held_out
    return ([n, title in held_out] for n, title in enumerate(judged.items["title"].values))


def _scores(scores: Scored) -> Iterator[str]:
    """A line for each scorer and each response that it reads, in an order that does not depend on row ids."""
    rows, of = scores.rows, scores.columns
    excluded = of["excluded"].mapped(lambda by: by is not None)
    for scorer, labels in sorted(rows.labels.items()):
        read = np.flatnonzero(rows.read(scorer))
        named = {**of, "excluded": excluded, "label": labels}
        numbers = rows.numbers[scorer].tolist()
        named["number"] = Column.of_values(None if math.isnan(one) else one for one in numbers)
        named["scorer"] = Column((scorer,), np.zeros(len(numbers), dtype=np.intp))
        texts = zip(*(_texts(named[name][read]) for name in SCORED_KINDS[SCORE]), strict=True)
        yield from sorted(f'["{SCORE}", {", ".join(row)}]\n' for row in texts)


def _slices(scores: Scored) -> Iterator[str]:
    first = np.unique(scores.columns["instance"].at, return_index=True)[1]
    named = [scores.columns[name][first] for name in _QUESTION]
    for field, column in scores.slices:
        rows = zip(*named, column[first], strict=True)
        yield from sorted(f"{_encoded([SLICE, *key, field, value])}\n" for *key, value in rows)


def judging_people(study: Study) -> QuerySet[Judge]:
    """The people who judged: those who have a first verdict."""
    given = first_judged(study).values("judge")
    return study.judges.filter(person__isnull=False, pk__in=given)

"""Final verdicts of a study, response by response or counted, as the tables need them."""

from collections.abc import Mapping

import numpy as np
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from datasets.contexts import reasoning
from datasets.models import Exclusion, SamePassage
from datasets.records import newest
from evaluation.compare.families import Answered
from evaluation.counts.first_verdicts import cluster_of
from evaluation.counts.judged import Columns, Judged
from evaluation.statistics.columns import PIECE, Column, Mask, columns, combined, counted
from evaluation.statistics.tables import Tallies
from judging.models import Resolution, Round, Study, StudyItem

_TAG = "response__instance__contradiction__"
# `cluster` is an annotation (judging/clusters.py).
TALLIED = (
    "response__model_id",
    "response__prompt",
    "cluster",
    f"{_TAG}type_4",
    f"{_TAG}same_passage",
    "resolution__verdict",
)
# What a closed study proposes is not excluded yet. A join would make PostgreSQL expect as few responses as
# there are exclusions.
EXCLUDED = Q(
    Exists(
        Exclusion.objects.filter(instance=OuterRef("response__instance"), excluded_by__isnull=False)
    )
)


def excluded_when(judged: Judged) -> dict[bool, int]:
    """How many questions were excluded after results existed, and before: of the study's subset, else its collections.

    With those that no model was asked, since they were excluded before.
    """
    study = judged.study
    there = Q(instance__in=study.items.order_by().values("response__instance"))
    if study.subset:
        there |= Q(instance__in=study.subset.instances.order_by().values("pk"))
    else:
        whole = Q(instance__contradiction__collection__in=judged.items["collection_id"].values)
        there |= whole & newest("instance__contradiction__")
    rows = Exclusion.objects.filter(there, after_results__isnull=False).order_by()
    return {False: 0, True: 0} | dict(rows.values_list("after_results").annotate(Count("pk")))


def kept_items(study: Study) -> QuerySet[StudyItem]:
    """The responses that final verdicts are counted on: those whose instance is not excluded."""
    return study.items.exclude(EXCLUDED)


def place_of(
    names: Mapping[int, str],
    model: int,
    prompt: str,
    cluster: str,
    kind: str | None,
    same: str | None,
) -> tuple[str, str, str, str, bool]:
    """What TALLIED names, without the verdict, as a tally has it; `names` maps a model's id to its shown name."""
    return names[model], prompt, cluster, reasoning(kind).value, same == SamePassage.SAME


def kept(items: Columns) -> Mask:
    """The items that final verdicts are counted on, as `kept_items`."""
    return items["excluded"].among({None})


def tallies(items: Columns, names: Mapping[int, str]) -> Tallies:
    """The responses whose question is not excluded; `names` maps a model's id to its shown name."""
    return Tallies(**_columns(items, names, kept(items)))


def ended_in(items: Columns, round: Round, other: Round | None = None) -> Columns:
    """The items on which the round (and the other one) ended with a verdict, that of `round` as the final one."""
    rows = Resolution.objects.filter(round=round).order_by("item__position")
    if other:
        rows = rows.filter(item__resolutions__round=other)
    verdicts = rows.values_list("item__position", "verdict").iterator(chunk_size=PIECE)
    ended = columns(("item", "verdict"), verdicts)
    at = ended["item"].on(items["item"].values)
    known = at >= 0  # not of items added since
    of_items = {name: column[at[known]] for name, column in items.items()}
    return {**of_items, "final_verdict": ended["verdict"][known]}


def _columns(items: Columns, names: Mapping[int, str], rows: Mask) -> dict[str, Column]:
    of_tallies = {
        "model": items["llm"].mapped(names.__getitem__),
        "prompt": items["prompt"],
        "article": items["title"],
        "reasoning": items["reasoning"].mapped(lambda kind: reasoning(kind).value),
        "same_passage": items["same_passage"].mapped(lambda same: same == SamePassage.SAME),
        "verdict": items["final_verdict"],
        "count": Column((1,), np.zeros(len(rows), dtype=np.intp)),
    }
    return {name: column[rows] for name, column in of_tallies.items()}


def how_counts(items: Columns) -> dict[str | None, int]:
    """How final verdicts came about: responses by Resolution.how, None for those without one."""
    return dict(counted(items["how"][kept(items)]))


def by_round(items: Columns) -> dict[tuple[str, int], int]:
    """(prompt, number of a round) -> its final verdicts on the prompt, excluded questions too."""
    groups = counted(items["prompt"], items["final_round"])
    return {(prompt, n): count for prompt, n, count in groups if n is not None}


def across_rounds(
    study: Study, cluster: str
) -> list[tuple[tuple[int, int], tuple[str | int, str, str, int]]]:
    """((earlier, later round), (cluster, verdict, later verdict, count)) of responses that both resolved, in order."""
    other = "item__resolutions__"
    rows = (
        Resolution.objects.filter(item__in=kept_items(study).order_by())
        .filter(item__resolutions__round__n__gt=F("round__n"))
        .order_by()
        .values_list(
            "round__n",
            f"{other}round__n",
            cluster_of(study, cluster),
            "verdict",
            f"{other}verdict",
        )
        .annotate(count=Count("pk"))
    )
    return [((earlier, later), tuple(cell)) for earlier, later, *cell in sorted(rows)]


def answered(items: Columns, names: Mapping[int, str]) -> Answered:
    """Every response with a final verdict whose question is not excluded.

    A question that a model was asked several times has several units: its samples, run by run.
    """
    rows = kept(items) & ~items["final_verdict"].among({None})
    instance = items["instance"][rows]
    asked = combined(items["llm"][rows], items["prompt"][rows], instance)
    samples, runs = (items[name][rows].numbers() for name in ("sample", "run"))
    in_order = np.lexsort((samples, runs, asked))
    new = np.diff(asked[in_order], prepend=-1) != 0
    number, times = np.arange(len(new)), np.zeros(len(new), dtype=np.intp)
    times[in_order] = number - np.maximum.accumulate(np.where(new, number, 0))
    unit = combined(instance, Column.of_numbers(times))
    return Answered(**_columns(items, names, rows), unit=Column.of_numbers(unit))

"""First verdicts of a study by cluster, grouped and counted.

Where Python counts, clusters are numbers: no result depends on their names.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from django.db.models import Count, F, Q, QuerySet
from django.db.models.expressions import Combinable
from numpy.typing import NDArray

from datasets.models import Instance
from evaluation.counts.judged import Judged, Moments
from evaluation.statistics.columns import Column, Mask, Places, counted
from evaluation.statistics.two_raters import PairCell
from judging.clusters import cluster_at, cluster_field
from judging.models import JudgingSlot, Study

PARTS = 3
_INSTANCE = "item__response__instance"
CLUSTERS = {
    "article": f"{_INSTANCE}__contradiction__title",
    "tag": f"{_INSTANCE}__contradiction__external_id",
    "instance": f"{_INSTANCE}_id",
}

CLUSTER_COLUMNS = {"article": "title", "tag": "contradiction", "instance": "instance"}
# The cells of each two judges, in the order of their names.
JudgePairs = dict[tuple[str, str], list[PairCell]]
# The name of a prompt and the number of a round.
PromptRound = tuple[str, int]


def cluster_of(study: Study, cluster: str) -> str | Combinable:
    """Where a cluster is, seen from a slot or a resolution; an article is what the protocol names as cluster."""
    is_named = cluster == "article" and cluster_field(study)
    return cluster_at(study, "item__") if is_named else CLUSTERS[cluster]


class Responses(NamedTuple):
    """The first verdicts on responses to one prompt in one round: arrays of an entry a response.

    `verdicts` is how many gave each verdict of the scale, `days` when a response got its last one (UTC). `parts` are 1
    to 3, by that moment, among the responses with as many judges.
    """

    clusters: Places
    verdicts: NDArray[np.int64]
    parts: Places
    days: Moments

    def where(self, rows: Mask) -> "Responses":
        return Responses(
            self.clusters[rows], self.verdicts[rows], self.parts[rows], self.days[rows]
        )

    @property
    def paired(self) -> "Responses":
        """Those with two first verdicts or more."""
        return self.where(self.verdicts.sum(axis=1) >= 2)

    @property
    def thirds(self) -> list[tuple[int, "Responses"]]:
        """Those of each part, with its number."""
        return [(n, self.where(self.parts == n)) for n in range(1, PARTS + 1)]


def no_responses(k: int) -> Responses:
    """None at all, of a scale of `k` verdicts."""
    nothing = np.zeros(0, int)
    return Responses(nothing, np.zeros((0, k), int), nothing, np.zeros(0, "M8[D]"))


@dataclass(frozen=True)
class RepeatCount:
    """`count` pairs of verdicts of one judge on one response, the earlier and the later."""

    judge: str
    cluster: str | int
    verdict_1: str
    verdict_2: str
    count: int


def first_judged(study: Study) -> QuerySet[JudgingSlot]:
    """Slots with an independent first verdict; repeats measure a judge against themself, so they stay out."""
    return JudgingSlot.objects.filter(
        round__study=study, repeat=1, judgment__first_verdict__isnull=False
    )


def own(judged: Judged) -> Mask:
    """Whether each slot has a first verdict on a question that its judge wrote, or whose tag they annotated."""
    slots, own_of_judges = judged.slots, own_questions(judged.study)
    first = judged.given & slots["repeat"].among({1})
    if not own_of_judges:
        return first & False
    questions = zip(slots["judge"], judged.items["instance"][judged.at], strict=True)
    return first & np.array([question in own_of_judges for question in questions], dtype=bool)


def own_questions(study: Study) -> set[tuple[str, int]]:
    """(judge's pseudonym, question's key) of the questions that a judge wrote or annotated; people have few."""
    people = dict(study.judges.exclude(person=None).values_list("person", "pseudonym"))
    # As on_own_question in judging/pool.py.
    ways = ("author", "contradiction__author", "contradiction__annotations__author")
    return {
        (people[person], instance)
        for way in ways
        for person, instance in Instance.objects.filter(**{f"{way}__in": list(people)})
        .order_by()
        .values_list(way, "pk")
    }


def pairs(judged: Judged, cluster: str) -> dict[PromptRound, JudgePairs]:
    """How often each two judges of one response gave which two first verdicts."""
    first, names = judged.first, judged.judges
    rows = np.lexsort((first.judge, first.round, first.at))
    rows = rows[first.judge[rows] >= 0]
    at, n, judge, verdict = (of[rows] for of in (first.at, first.round, first.judge, first.verdict))
    # Sorted like this, two judges of a response stand next to each other, or with one more between them, and so on.
    both = np.zeros((2, 0), dtype=np.intp)
    for apart in range(1, len(names)):
        earlier = np.flatnonzero((at[apart:] == at[:-apart]) & (n[apart:] == n[:-apart]))
        if not len(earlier):
            break
        both = np.hstack([both, [earlier, earlier + apart]])
    first_slot, other = both
    clusters = judged.items[CLUSTER_COLUMNS[cluster]].at
    found: dict[PromptRound, JudgePairs] = {}
    for prompt, of, judge_1, judge_2, *cell in counted(
        judged.items["prompt"][at[first_slot]],
        Column.of_numbers(n[first_slot]),
        Column(names, judge[first_slot]),
        Column(names, judge[other]),
        Column.of_numbers(clusters[at[first_slot]]),
        Column(judged.scale, verdict[first_slot]),
        Column(judged.scale, verdict[other]),
    ):
        of_judges = found.setdefault((prompt, of), {})
        of_judges.setdefault((judge_1, judge_2), []).append(tuple(cell))
    return found


def short_rounds(judged: Judged) -> dict[int, list[int]]:
    """By each round that lacks a first verdict: how many of its responses have none, one, two and so on."""
    asked = (judged.rounds > 0) & judged.slots["repeat"].among({1})
    found = {}
    for n in sorted({*judged.rounds[asked & ~judged.given].tolist()}):
        of_round = asked & (judged.rounds == n)
        _, response = np.unique(judged.at[of_round], return_inverse=True)
        verdicts = np.bincount(response, weights=judged.given[of_round])
        found[n] = np.bincount(verdicts.astype(int)).tolist()
    return found


def responses(judged: Judged, cluster: str) -> dict[PromptRound, Responses]:
    """By prompt and round: a response judged again in a later round counts there too."""
    first, k = judged.first, len(judged.scale)
    new = (np.diff(first.at, prepend=-1) != 0) | (np.diff(first.round, prepend=-1) != 0)
    begins, response = np.flatnonzero(new), np.cumsum(new) - 1
    at, n = first.at[begins], first.round[begins]
    cells = response * k + first.verdict
    verdicts = np.bincount(cells, minlength=len(at) * k).reshape(len(at), k)
    moments = np.maximum.reduceat(first.moment, begins) if len(at) else first.moment
    prompts, clusters = (judged.items[name] for name in ("prompt", CLUSTER_COLUMNS[cluster]))
    prompt = prompts.at[at]
    kinds = np.stack([prompt, n, verdicts.sum(axis=1)])
    in_order = np.lexsort((at, moments, *kinds))
    alike = np.split(in_order, np.flatnonzero(np.diff(kinds[:, in_order]).any(axis=0)) + 1)
    parts = np.zeros(len(at), dtype=np.intp)
    for rows in alike:
        for part, third in enumerate(np.array_split(rows, PARTS), start=1):
            parts[third] = part
    every = Responses(clusters.at[at], verdicts, parts, moments.astype("datetime64[D]"))
    return {
        (prompts.values[place], int(of)): every.where((prompt == place) & (n == of))
        for place, of in np.unique(kinds[:2], axis=1).T
    }


def repeat_counts(study: Study, cluster: str) -> list[RepeatCount]:
    """Every two verdicts of one judge on one response by one rubric, in one round or in two."""
    if not _may_repeat(study):
        return []
    other = "item__slots__"
    same = Q(item__slots__round__rubric=F("round__rubric"))
    later = same & Q(item__slots__round__n__gt=F("round__n")) | Q(
        item__slots__round=F("round"), item__slots__repeat__gt=F("repeat")
    )
    rows = (
        JudgingSlot.objects.filter(
            round__study=study, judge__isnull=False, judgment__first_verdict__isnull=False
        )
        .filter(
            later, item__slots__judge=F("judge"), item__slots__judgment__first_verdict__isnull=False
        )
        .order_by()
        .values_list(
            "judge__pseudonym",
            cluster_of(study, cluster),
            "judgment__first_verdict",
            f"{other}judgment__first_verdict",
        )
        .annotate(count=Count("pk"))
    )
    return [RepeatCount(*row) for row in rows]


def _may_repeat(study: Study) -> bool:
    """Whether any judge may have a response twice: most studies have one round and no repeats."""
    rounds = study.rounds.all()
    return (
        rounds.count() > 1
        or JudgingSlot.objects.filter(round__in=rounds, repeat__gt=1).order_by().exists()
    )

"""First verdicts of a study by cluster, grouped and counted.

Clusters are numbered here and their names dropped: no number depends on them.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, repeat

from django.db.models import Count, F, OuterRef, Q, QuerySet

from accounts.models import Person
from evaluation.counts.judged import Judged
from judging.models import JudgingSlot, Study, Verdict
from judging.pool import on_own_question, on_questions_of

PARTS = 3
_INSTANCE = "item__response__instance"
CLUSTERS = {
    "article": f"{_INSTANCE}__contradiction__title",
    "tag": f"{_INSTANCE}__contradiction__external_id",
    "instance": f"{_INSTANCE}_id",
}
CLUSTER_COLUMNS = {"article": "title", "tag": "contradiction", "instance": "instance"}


@dataclass(frozen=True)
class PairCount:
    """`count` responses to a prompt in a cluster that judge `first` gave one first verdict and `second` another."""

    prompt: str
    round: int
    first: str
    second: str
    cluster: str | int
    verdict_1: str
    verdict_2: str
    count: int


@dataclass(frozen=True)
class ItemCount:
    """`count` responses to a prompt in a cluster with equally many of each first verdict.

    `verdicts` follow Verdict.values. `part` is 1 to 3, by when a response got its last first verdict, among
    those of its prompt and round with as many judges; `since` and `until` are the first and last such days (ISO).
    """

    prompt: str
    round: int
    part: int
    cluster: str | int
    verdicts: tuple[int, ...]
    count: int
    since: str
    until: str

    @property
    def paired(self) -> bool:
        return sum(self.verdicts) >= 2


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


def own_verdicts(study: Study) -> QuerySet[JudgingSlot]:
    """Those on a question that their judge wrote, or whose contradiction they annotated."""
    people = Person.objects.filter(judging_as__study=study)
    # First those of any judge, which are few: the second condition is asked for each slot.
    of_any = first_judged(study).filter(on_questions_of(people))
    return of_any.filter(on_own_question(OuterRef("judge__person")))


def pair_counts(judged: Judged, cluster: str) -> list[PairCount]:
    """For each prompt and each two judges of one response in one round: how often which two first verdicts."""
    prompts, clusters = judged.items["prompt"], judged.items[CLUSTER_COLUMNS[cluster]]
    counted: Counter[tuple[str, int, str, str, str | int, str, str]] = Counter()
    for given in judged.together():
        known = sorted((one.judge, one.verdict) for one in given if one.judge is not None)
        at, n = given[0][:2]
        for (first, verdict_1), (second, verdict_2) in combinations(known, 2):
            counted[prompts[at], n, first, second, clusters[at], verdict_1, verdict_2] += 1
    return [PairCount(*key, count) for key, count in counted.items()]


def item_counts(judged: Judged, cluster: str) -> list[ItemCount]:
    """The first verdicts of all responses; one judged again in a later round counts there once more."""
    prompts, clusters = judged.items["prompt"], judged.items[CLUSTER_COLUMNS[cluster]]
    scale = Verdict.values  # an enum makes its list anew each time
    alike: dict[tuple[str, int, int], list[tuple[str, int, tuple[int, ...]]]] = {}
    for given in judged.together():
        at, n = given[0][:2]
        verdicts = [one.verdict for one in given]
        row = max(one.moment for one in given), at, tuple(map(verdicts.count, scale))
        alike.setdefault((prompts[at], n, len(given)), []).append(row)
    days: dict[tuple[str, int, int, str | int, tuple[int, ...]], list[str]] = {}
    for (prompt, n, _), rows in alike.items():
        for part, (moment, at, counts) in zip(_parts(len(rows)), sorted(rows), strict=True):
            key = prompt, n, part, clusters[at], counts
            days.setdefault(key, []).append(moment[:10])
    return [ItemCount(*key, len(of), of[0], of[-1]) for key, of in days.items()]


def _parts(count: int) -> Iterator[int]:
    """The number of the part of each of so many, in their order; the first parts are larger by one."""
    whole, more = divmod(count, PARTS)
    return chain.from_iterable(repeat(n + 1, whole + (n < more)) for n in range(PARTS))


def repeat_counts(study: Study, cluster: str) -> list[RepeatCount]:
    """Every two verdicts of one judge on one response by one rubric: a repeat in a round, or in a later round."""
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
            CLUSTERS[cluster],
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

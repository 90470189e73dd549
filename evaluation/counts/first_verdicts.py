"""First verdicts of a study by cluster, grouped and counted by the database.

Clusters are numbered here and their names dropped: no number depends on them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, TextField, Window
from django.db.models.functions import Cast, Ntile, Substr

from accounts.models import Person
from judging.models import JudgingSlot, Study, Verdict
from judging.pool import on_own_question, on_questions_of

PARTS = 3
_INSTANCE = "item__response__instance"
CLUSTERS = {
    "article": f"{_INSTANCE}__contradiction__title",
    "tag": f"{_INSTANCE}__contradiction__external_id",
    "instance": f"{_INSTANCE}_id",
}


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


def day_of(column: str) -> Substr:
    """The day (UTC) of a time, as YYYY-MM-DD. As text: for TruncDate SQLite calls Python for each row."""
    return Substr(Cast(column, TextField()), 1, 10)


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


def pair_counts(study: Study, cluster: str) -> list[PairCount]:
    """For each prompt and each two judges of one response in one round: how often which two first verdicts."""
    other = "item__slots__"
    rows = (
        first_judged(study)
        .filter(
            item__slots__round=F("round"),
            item__slots__repeat=1,
            item__slots__judge__pseudonym__gt=F("judge__pseudonym"),
            item__slots__judgment__first_verdict__isnull=False,
        )
        .order_by()
        .values_list(
            "item__response__prompt",
            "round__n",
            "judge__pseudonym",
            f"{other}judge__pseudonym",
            CLUSTERS[cluster],
            "judgment__first_verdict",
            f"{other}judgment__first_verdict",
        )
        .annotate(count=Count("pk"))
    )
    return [PairCount(*row) for row in rows]


def item_counts(study: Study, cluster: str) -> list[ItemCount]:
    """The first verdicts of all responses; one judged again in a later round counts there once more."""
    keys = ("prompt", "in_round", "part", "within", *_columns())
    sql, parameters = _each_item(study, cluster).query.sql_with_params()
    grouped = ", ".join(keys)
    days = "MIN(last_at), MAX(last_at)"
    # What the ORM cannot say: grouping what is grouped already. All names are this module's own.
    whole = f"SELECT {grouped}, COUNT(*), {days} FROM ({sql}) AS items GROUP BY {grouped}"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(whole, parameters)
        return [_item_count(row) for row in cursor.fetchall()]


def _columns() -> list[str]:
    return [f"verdict_{place}" for place in range(len(Verdict.values))]


def _each_item(study: Study, cluster: str) -> QuerySet[Any, Any]:
    """One row a response and round, with how many judges gave which verdict."""
    by_verdict = {
        column: Count("pk", filter=Q(judgment__first_verdict=verdict))
        for column, verdict in zip(_columns(), Verdict.values, strict=True)
    }
    named = {
        "prompt": F("item__response__prompt"),
        "in_round": F("round__n"),
        "within": F(CLUSTERS[cluster]),
        "of_item": F("item__position"),
    }
    part = Window(
        Ntile(PARTS),
        partition_by=[F("prompt"), F("in_round"), F("judges")],
        order_by=[F("last_at").asc(), F("of_item").asc()],
    )
    return (
        first_judged(study)
        .order_by()
        .values(**named)
        .annotate(**by_verdict, judges=Count("pk"), last_at=Max("judgment__judged_at"))
        .annotate(part=part)
    )


def _item_count(row: Sequence[Any]) -> ItemCount:
    prompt, in_round, part, cluster, *verdicts, count, since, until = row
    return ItemCount(
        prompt, in_round, part, cluster, tuple(verdicts), count, _day(since), _day(until)
    )


def _day(moment: object) -> str:
    """The day of a moment that came past the ORM: a text on SQLite, a datetime on PostgreSQL; both in UTC."""
    return str(moment)[:10]


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

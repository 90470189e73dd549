"""The responses that judges hold, and what no judge or no third person is left for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from accounts.leaving.open_work import OpenWork, People
from accounts.models import Person
from accounts.roles import Role
from judging import discussing, pool
from judging.adjudication import studies_for
from judging.blinding import READERS, hidden_results
from judging.models import Judge, JudgingSlot, Round, Study
from judging.pool import on_own_question
from judging.settling import unresolved_in
from judging.states import SlotState, StudyState
from pages.counting import how_many

JUDGES, RESOLVES = (Role.JUDGE,), (Role.ADJUDICATOR,)
GIVEN = (SlotState.JUDGED, SlotState.SKIPPED)
DRAWN = "what they drew is free for others within a day; when the study is closed, their verdicts are handed in"
WAITS = "it waits for them; when the study is closed, their verdicts are handed in as they are"


def responses_held(people: People, by: Person | None) -> Iterator[OpenWork]:
    """By judge: what waits for a verdict, what is not handed in, what is discussed."""
    whose = people(Role.JUDGE)
    theirs = JudgingSlot.objects.filter(judge__person__in=whose, round__is_latest=True).order_by()
    waits, given = Q(state=SlotState.WAITING), Q(state__in=GIVEN)
    open_ones = theirs.filter(waits | given, round__study__state=StudyState.OPEN)
    counts = {
        "waiting": Count("pk", filter=waits),
        "given": Count("pk", filter=given),
        "alone": Count("pk", filter=waits & Q(repeat=1) & ~_other_judge()),
    }
    rows = open_ones.values_list("judge").annotate(**counts)
    for judge, (waiting, verdicts, alone) in _of_judges(rows):
        parts = [(waiting, "response to judge", "responses to judge")]
        parts += [(verdicts, "verdict to hand in", "verdicts to hand in")]
        rest = f"; nobody is left to judge {how_many(alone, 'response')}" if alone else ""
        yield OpenWork(
            key=keys_of(judge)[0],
            roles=JUDGES,
            what=", ".join(how_many(n, *words) for n, *words in parts if n),
            where=judge.study.name,
            url=reverse("judging:study", args=[judge.study_id]),
            becomes=DRAWN if judge.study.pairing == Study.Pairing.POOL else WAITS,
            holder=judge.person_id,
            returns=f"they leave the study, and their verdicts are handed in{rest}",
            takers=partial(_takers, judge.study),
            settle=partial(_hand_on, judge),
        )
    yield from _discussed(theirs, by)


def keys_of(judge: Judge) -> tuple[str, str]:
    """Of what they judge, and of what they discuss."""
    return f"slots-{judge.pk}", f"discussed-{judge.pk}"


def _of_judges(rows: Iterable[tuple[int, ...]]) -> Iterator[tuple[Judge, list[int]]]:
    """The judges of rows that begin with their keys, with the rest of each."""
    found = {key: counts for key, *counts in rows}
    judges = Judge.objects.select_related("study").in_bulk(found)
    return ((judges[key], counts) for key, counts in found.items())


def further_judges(study: Study) -> QuerySet[Person]:
    """Who could be added to the study's judges, as far as their role goes."""
    judging = study.judges.filter(person__isnull=False, removed_at=None)
    return Person.objects.who_may(Role.JUDGE).exclude(pk__in=judging.values("person"))


def _takers(study: Study) -> QuerySet[Person]:
    """Of these who could not read verdicts in it: those of the judge who leaves are handed in first."""
    return further_judges(study).exclude(grants__role__in=READERS)


@transaction.atomic
def _hand_on(judge: Judge, to: Person | None, by: Person | None) -> str:
    pool.remove(judge.study, judge.pk, by=by)
    if to is None:
        return f"{judge.study}: their verdicts are handed in; others draw the rest."
    pool.add(judge.study, to)
    return f"{judge.study}: their verdicts are handed in; {to} can draw the rest."


def _discussed(theirs: QuerySet[JudgingSlot], by: Person | None) -> Iterator[OpenWork]:
    rows = discussing.still_open(theirs).values_list("judge").annotate(n=Count("pk"))
    found = list(_of_judges(rows))
    hidden = _hidden_from(by, [judge.study for judge, *_ in found])
    for judge, (n,) in found:
        if judge.study_id not in hidden:
            yield OpenWork(
                key=keys_of(judge)[1],
                roles=JUDGES,
                what=how_many(
                    n, "disagreement that they discuss", "disagreements that they discuss"
                ),
                where=judge.study.name,
                url=reverse("judging:study", args=[judge.study_id]),
                becomes="a third person decides, as long as they cannot sign",
                holder=judge.person_id,
            )


def _hidden_from(by: Person | None, studies: list[Study]) -> set[int]:
    return hidden_results(by, studies) if by and studies else set()


# ------------------------------------------------------------ what nobody is left for


def _other_judge(without: int = 0) -> Q:
    """On slots: a judge of their study could draw them who has none of the same response, and is not this person."""
    held = JudgingSlot.objects.filter(
        judge=OuterRef("pk"), round=OuterRef(OuterRef("round")), item=OuterRef(OuterRef("item"))
    )
    own = on_own_question(OuterRef("person"), OuterRef(OuterRef("item__response__instance")))
    judges = Judge.objects.filter(
        person__in=Person.objects.who_may(Role.JUDGE).exclude(pk=without).values("pk"),
        study=OuterRef("round__study"),
        removed_at=None,
    )
    return Q(Exists(judges.exclude(Exists(held)).exclude(own, study__without_own=True)))


def _unfilled(slots: QuerySet[JudgingSlot]) -> QuerySet[JudgingSlot]:
    return slots.filter(round__is_latest=True, round__study__state=StudyState.OPEN, repeat=1)


@dataclass(frozen=True)
class Unattended:
    """Responses of an open study that wait for a judge who cannot judge any more, but that others could draw; and those
    that nobody is left to judge."""

    held: int
    nobody: int


def unattended(study: Study) -> Unattended:
    slots = _unfilled(JudgingSlot.objects.filter(round__study=study))
    here = Q(judge__person__in=Person.objects.who_may(Role.JUDGE).values("pk"))
    here |= Q(judge__person__is_demonstration=True)  # it shows a study whose judges are at work
    waits = Q(state=SlotState.WAITING)
    other = _other_judge()
    columns = {
        "nobody": Count("item", filter=~other, distinct=True),
        "held": Count("item", filter=other & waits, distinct=True),
    }
    left = slots.filter(waits & ~here | Q(state=SlotState.FREE))
    return Unattended(**left.aggregate(**columns))


def responses_for_nobody(by: Person | None, without: int) -> Iterator[OpenWork]:
    yield from _judged_by_nobody(without)
    yield from _resolved_by_nobody(by, without)


def _judged_by_nobody(without: int) -> Iterator[OpenWork]:
    # By round: the few open ones lead to their slots, among all slots of the past.
    rounds = Round.objects.filter(is_latest=True, study__state=StudyState.OPEN)
    slots = JudgingSlot.objects.filter(round__in=list(rounds.values_list("pk", flat=True)))
    free = _unfilled(slots.filter(state=SlotState.FREE))
    left = free.exclude(_other_judge(without))
    columns = ("round__study", "round__study__name")
    counts = left.order_by().values_list(*columns).annotate(n=Count("item", distinct=True))
    for key, name, n in counts:
        yield OpenWork(
            key=f"judged-{key}",
            roles=JUDGES,
            what=how_many(
                n, "response that no judge is left for", "responses that no judge is left for"
            ),
            where=name,
            url=reverse("judging:study", args=[key]),
            becomes="it waits until the study has a further judge, or is closed without these verdicts",
        )


def _resolved_by_nobody(by: Person | None, without: int) -> Iterator[OpenWork]:
    counts = unresolved_in(Study.objects.exclude(rubric=None).exclude(state=StudyState.DRAFT))
    studies = Study.objects.in_bulk(counts)
    left = set(studies) - _hidden_from(by, list(studies.values()))
    for person in Person.objects.who_may(Role.ADJUDICATOR).exclude(pk=without) if left else ():
        left -= set(studies_for(person).filter(pk__in=left).values_list("pk", flat=True))
    for key in sorted(left):
        yield OpenWork(
            key=f"resolved-{key}",
            roles=RESOLVES,
            what=how_many(
                counts[key],
                "disagreement that no third person is left for",
                "disagreements that no third person is left for",
            ),
            where=studies[key].name,
            url=reverse("judging:study", args=[key]),
            becomes="it waits until somebody who does not judge in the study has the role of adjudicator",
        )

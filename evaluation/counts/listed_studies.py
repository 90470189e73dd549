"""The studies in the list of reports, with what can be reported of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from accounts.models import Person
from evaluation.models import ReportSnapshot
from judging.blinding import HIDDEN, hidden_results
from judging.models import Study, StudyItem


@dataclass(frozen=True)
class StudyEntry:
    """A study in the list of reports; `hidden` says why this person may not read it, and its counts are then None.

    `responses` are those that people judge; all in a study without judges.
    """

    study: Study
    responses: int | None
    final: int | None
    snapshots: int | None
    hidden: str


def studies() -> QuerySet[Study]:
    """All studies, newest first."""
    return Study.objects.order_by("-pk")


def entries(page: Iterable[Study], person: Person) -> list[StudyEntry]:
    """The studies of one page with their counts; those hidden from the person without any."""
    shown = list(page)
    counted = _counted([study.pk for study in shown])
    hidden = hidden_results(person, shown)
    return [
        StudyEntry(study, None, None, None, HIDDEN)
        if study.pk in hidden
        else StudyEntry(study, _judged(study, counted[study.pk][0]), *counted[study.pk][1:], "")
        for study in shown
    ]


def _judged(study: Study, responses: int) -> int:
    """Of a protocol's study, whose rubric may leave out prompts, what its judges see; else all."""
    return study.judged_items.count() if study.protocol_id and study.is_judged else responses


def _counted(ids: list[int]) -> dict[int, tuple[int, int, int]]:
    """By study: its responses, those with a final verdict, its frozen reports."""
    final = Count("pk", filter=Q(resolution__isnull=False))
    items = StudyItem.objects.filter(study__in=ids).order_by().values_list("study")
    responses = {study: counts for study, *counts in items.annotate(n=Count("pk"), final=final)}
    frozen = ReportSnapshot.objects.filter(study__in=ids).order_by().values_list("study")
    snapshots = dict(frozen.annotate(n=Count("pk")))
    return {pk: (*responses.get(pk, (0, 0)), snapshots.get(pk, 0)) for pk in ids}

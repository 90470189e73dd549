"""The studies in the list of reports, with what can be reported of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from accounts.models import Person
from judging.blinding import HIDDEN, hidden_results
from judging.models import Study


@dataclass(frozen=True)
class Entry:
    """A study in the list of reports; `hidden` says why this person may not read it."""

    study: Study
    responses: int
    final: int
    snapshots: int
    hidden: str


def studies() -> QuerySet[Study]:
    """All studies, newest first."""
    return Study.objects.order_by("-pk")


def entries(page: Iterable[Study], person: Person) -> list[Entry]:
    """The studies of one page with their counts; those hidden from the person without any."""
    shown = list(page)
    counted = {study.pk: study for study in _counted(study.pk for study in shown)}
    hidden = hidden_results(person, shown)
    return [_entry(counted[study.pk], study.pk in hidden) for study in shown]


def _counted(ids: Iterable[int]) -> QuerySet[Study]:
    return Study.objects.filter(pk__in=list(ids)).annotate(
        responses=Count("items", distinct=True),
        final=Count("items", filter=Q(items__resolution__isnull=False), distinct=True),
        frozen=Count("snapshots", distinct=True),
    )


def _entry(study: Study, is_hidden: bool) -> Entry:
    if is_hidden:
        return Entry(study, 0, 0, 0, HIDDEN)
    counts = {name: getattr(study, name) for name in ("responses", "final", "frozen")}
    return Entry(study, counts["responses"], counts["final"], counts["frozen"], "")

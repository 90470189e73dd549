"""Studies in lists, with their counts: as their judges see them, and as researchers and admins do."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count

from accounts.models import Person
from accounts.roles import Role
from judging import blinding, discussing, pool, presenting, progress
from judging.models import Study, StudyItem
from judging.progress import SlotCounts
from judging.rules.blindness import hides_judges


@dataclass(frozen=True)
class JudgedStudy:
    """A study as the page Judge shows it to one of its judges, with what that judge has to do.

    `free` responses can still be drawn, `discussed` wait for the judge's word; `judged` is what is judged, in a word.
    """

    study: Study
    progress: SlotCounts
    free: int
    discussed: int
    judged: str


def of_judge(person: Person, studies: Iterable[Study]) -> list[JudgedStudy]:
    """The studies of one page, in which the person judges."""
    shown = list(studies)
    counts = progress.of_person_in(person, shown)
    free = pool.free_in(person, counts)
    discussed = discussing.counts_in(person, shown)
    return [
        JudgedStudy(
            study,
            counts[study.pk],
            free.get(study.pk, 0),
            discussed.get(study.pk, 0),
            presenting.judged_word(study),
        )
        for study in shown
    ]


@dataclass(frozen=True)
class ListedStudy:
    """A study in the list of all; `progress` of its latest round, None where who judges is hidden from the reader."""

    study: Study
    progress: SlotCounts | None
    responses: int


def of_reader(person: Person, studies: Iterable[Study]) -> list[ListedStudy]:
    """The studies of one page, as a researcher or an admin sees them."""
    shown = list(studies)
    counts = progress.of_studies(shown)
    hidden = blinding.hidden_results(person, shown)
    is_admin = person.has_role(Role.ADMIN)
    items = StudyItem.objects.filter(study__in=counts).order_by().values_list("study")
    sizes = dict(items.annotate(n=Count("pk")))
    return [
        ListedStudy(
            study,
            None
            if hides_judges(hidden=study.pk in hidden, is_admin=is_admin)
            else counts[study.pk],
            sizes.get(study.pk, 0),
        )
        for study in shown
    ]

"""Remove the demonstration set with all that depends on it, and nothing else.

Rows are deleted from the leaves to the roots. The keys between rooms are PROTECT: a row that this list forgets
stops the whole removal, instead of being deleted too.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.db.models import F, ProtectedError, Q, QuerySet

from accounts.models import Invitation, Person, RoleGrant
from annotation.models import Annotation, Assignment, Campaign, Review, Seen, TagReview
from datasets.models import (
    Collection,
    Contradiction,
    Exclusion,
    Instance,
    PastExclusion,
    Release,
    RevisedPassage,
    Subset,
    Undoing,
)
from demonstration.wiki_export import BASE
from evaluation.models import ReportSnapshot
from generation.models import LanguageModel, Response, Run
from judging.models import (
    Discussion,
    GoldItem,
    GoldVerdict,
    Judge,
    JudgingSlot,
    Judgment,
    JudgmentEvent,
    MachineVerdict,
    Remark,
    Reopening,
    Resolution,
    Round,
    Study,
    StudyItem,
)
from leases.refusal import Conflict
from wikifetch.models import Article, FetchRun, Revision, Sighting, Tag, Wiki
from writing.models import Entry, Writing


class Scope:
    """The rows to remove: the marked ones, and campaigns, forms, runs and studies based on them. Keys are read once."""

    def __init__(self) -> None:
        marked = Q(is_demonstration=True)
        self.wikis = _keys(Wiki.objects.filter(base_url=BASE))
        self.collections = _keys(Collection.objects.filter(marked))
        on_them = Q(collection__in=self.collections)
        self.campaigns = _keys(
            Campaign.objects.filter(
                marked | on_them | Q(assignments__tag__article__wiki__in=self.wikis)
            )
        )
        self.writings = _keys(Writing.objects.filter(on_them))
        self.runs = _keys(Run.objects.filter(marked | on_them))
        # The authors of given texts are asked by no run.
        theirs = Q(runs__in=self.runs) | Q(responses__run__in=self.runs)
        self.models = _keys(LanguageModel.objects.filter(theirs))
        judges_them = Q(items__response__run__in=self.runs)
        warms_up = Q(gold_items__response__run__in=self.runs)
        self.studies = _keys(Study.objects.filter(marked | judges_them | warms_up))
        self.people = _keys(Person.objects.filter(marked))

    def others_work(self) -> list[str]:
        """People's own work based on the demonstration set, by name."""
        kinds: tuple[tuple[str, type[Campaign | Run | Study], list[int]], ...] = (
            ("campaign", Campaign, self.campaigns),
            ("run", Run, self.runs),
            ("study", Study, self.studies),
        )
        named = [
            f"{kind} “{row}”"
            for kind, model, keys in kinds
            # A person's run on demonstration questions is marked too, so its creator decides.
            for row in model._default_manager.filter(pk__in=keys)
            .exclude(created_by__in=self.people)
            .order_by("pk")
        ]
        opened = Writing.objects.filter(pk__in=self.writings).order_by("pk")
        return [*named, *(f"form “{row}”" for row in opened)]

    def rows(self) -> Iterator[QuerySet[Any]]:
        """All rows to remove, in an order that the keys allow."""
        yield from self._judging()
        yield from self._generation()
        yield from self._annotation()
        yield Entry.objects.filter(writing__in=self.writings)
        yield Writing.objects.filter(pk__in=self.writings)
        yield from self._datasets()
        yield from self._wikifetch()
        yield RoleGrant.objects.filter(person__in=self.people)
        yield Invitation.objects.filter(created_by__in=self.people)
        yield Person.objects.filter(pk__in=self.people)

    def _judging(self) -> Iterator[QuerySet[Any]]:
        yield ReportSnapshot.objects.filter(study__in=self.studies)
        # Their calls go with them.
        yield MachineVerdict.objects.filter(judge__study__in=self.studies)
        for of_slot in (JudgmentEvent, Judgment):
            yield of_slot._default_manager.filter(slot__round__study__in=self.studies)
        yield JudgingSlot.objects.filter(round__study__in=self.studies)
        yield Resolution.objects.filter(item__study__in=self.studies)
        yield Remark.objects.filter(discussion__round__study__in=self.studies)
        yield Discussion.objects.filter(round__study__in=self.studies)
        yield GoldVerdict.objects.filter(gold__study__in=self.studies)
        yield Reopening.objects.filter(round__study__in=self.studies)
        for of_study in (GoldItem, StudyItem, Round, Judge):
            yield of_study._default_manager.filter(study__in=self.studies)
        yield Study.objects.filter(pk__in=self.studies)

    def _generation(self) -> Iterator[QuerySet[Any]]:
        yield Response.objects.filter(run__in=self.runs)
        yield Run.objects.filter(pk__in=self.runs)
        yield LanguageModel.objects.filter(
            pk__in=self.models, runs=None, responses=None, judging_as=None
        )

    def _annotation(self) -> Iterator[QuerySet[Any]]:
        theirs = Q(assignment__campaign__in=self.campaigns) | Q(
            sighting__tag__article__wiki__in=self.wikis
        )
        annotations = _keys(Annotation.objects.filter(theirs))
        yield Review.objects.filter(annotation__in=annotations)
        yield TagReview.objects.filter(
            Q(campaign__in=self.campaigns) | Q(tag__article__wiki__in=self.wikis)
        )
        yield Annotation.objects.filter(pk__in=annotations)
        # Of other tags, and withdrawn or continued in another campaign since.
        left = Annotation.objects.filter(first_assignment__campaign__in=self.campaigns)
        left.update(first_assignment=F("assignment"))
        yield Seen.objects.filter(Q(tag__article__wiki__in=self.wikis) | Q(person__in=self.people))
        yield Assignment.objects.filter(campaign__in=self.campaigns)
        yield Campaign.objects.filter(pk__in=self.campaigns)

    def _datasets(self) -> Iterator[QuerySet[Any]]:
        instances = _keys(Instance.objects.filter(contradiction__collection__in=self.collections))
        for of_instance in (Exclusion, PastExclusion, Undoing, RevisedPassage):
            yield of_instance._default_manager.filter(instance__in=instances)
        # What a release leaves out goes with it.
        for of_collection in (Subset, Release):
            yield of_collection._default_manager.filter(collection__in=self.collections)
        yield Instance.objects.filter(pk__in=instances)
        newest = Contradiction.objects.filter(collection__in=self.collections, superseded_by=None)
        while newest.exists():  # a later version protects the one before it
            yield newest.all()
        yield Collection.objects.filter(pk__in=self.collections)

    def _wikifetch(self) -> Iterator[QuerySet[Any]]:
        Tag.objects.filter(article__wiki__in=self.wikis).update(latest=None)
        yield Sighting.objects.filter(tag__article__wiki__in=self.wikis)
        for of_article in (Tag, Revision):
            yield of_article._default_manager.filter(article__wiki__in=self.wikis)
        yield Article.objects.filter(wiki__in=self.wikis)
        yield FetchRun.objects.filter(wiki__in=self.wikis)
        yield Wiki.objects.filter(pk__in=self.wikis)


@transaction.atomic
def remove(*, with_work_built_on_it: bool = False) -> Counter[str]:
    """Delete all of it or nothing; returns the deleted rows by kind. Raises Conflict naming work based on it."""
    scope = Scope()
    if not with_work_built_on_it and (others := scope.others_work()):
        raise Conflict(
            f"Work of this installation is based on the demonstration set: {', '.join(others)}. "
            "Nothing was removed. --with-work-built-on-it removes that too."
        )
    deleted: Counter[str] = Counter()
    try:
        for rows in scope.rows():
            deleted.update(rows.delete()[1])
    except ProtectedError as error:
        named = sorted({f"{row._meta.verbose_name} “{row}”" for row in error.protected_objects})
        raise Conflict(
            f"Other rows hold on to the demonstration set: {', '.join(named[:5])}. Nothing was removed."
        ) from error
    return deleted


def _keys(rows: QuerySet[Any]) -> list[int]:
    return list(rows.order_by().values_list("pk", flat=True).distinct())

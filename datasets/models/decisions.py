"""What people decide about questions: revised passages, subsets, exclusions."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from datasets.models.collections import Collection
from datasets.models.records import Instance
from datasets.states import RevisionState

PERSON = settings.AUTH_USER_MODEL


class RevisedPassage(models.Model):
    """A question's passages rewritten so that they agree (prompts 5.3 and 5.4), by one person, checked by another."""

    State = RevisionState

    instance = models.ForeignKey(
        Instance, on_delete=models.PROTECT, related_name="revised_passages"
    )
    passage_1 = models.TextField()
    passage_2 = models.TextField()
    answer = models.TextField(help_text="The one answer that both passages now give.")
    author = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    checker = models.ForeignKey(
        PERSON, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    note = models.TextField(blank=True, help_text="What the checker says is wrong.")
    state = models.CharField(
        max_length=10, choices=RevisionState.choices, default=RevisionState.PROPOSED
    )
    created_at = models.DateTimeField(db_default=Now())
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=RevisionState.values), name="revision_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(checker=None) | ~Q(checker=models.F("author")),
                name="revision_checked_by_another",
            ),
            models.UniqueConstraint(
                fields=["instance"],
                condition=Q(state="checked"),
                name="one_checked_revision_an_instance",
            ),
            models.UniqueConstraint(
                fields=["instance"],
                condition=Q(state="proposed"),
                name="one_waiting_revision_an_instance",
            ),
        ]

    def __str__(self) -> str:
        return f"Revised: {self.instance}"


class Subset(models.Model):
    """A named, frozen choice of instances, such as the 55 that a study judges, and how it was drawn (subsets.py)."""

    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="subsets")
    name = models.CharField(max_length=80)
    query = models.JSONField(
        default=dict, help_text="What the frame was narrowed to: {facet: value}."
    )
    by = models.CharField(max_length=80, blank=True, help_text="The slice that makes the strata.")
    seed = models.BigIntegerField()
    one_per_tag = models.BooleanField(default=False)
    frame = models.PositiveIntegerField(help_text="How many questions could be drawn.")
    strata = models.JSONField(default=list, help_text="[[label, in the frame, drawn], …]")
    instances = models.ManyToManyField(Instance, related_name="subsets")
    created_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "name"], name="subset_name_once_a_collection"
            ),
            models.CheckConstraint(condition=Q(frame__gte=1), name="subset_has_a_frame"),
        ]

    def __str__(self) -> str:
        return self.name


class Exclusion(models.Model):
    """A question that is left out of results, for a reason; `excluded_by` is null while a closed study proposes it."""

    instance = models.OneToOneField(Instance, on_delete=models.PROTECT, related_name="exclusion")
    reason = models.TextField()
    created_at = models.DateTimeField(db_default=Now())
    excluded_by = models.ForeignKey(
        PERSON, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    excluded_at = models.DateTimeField(null=True, blank=True)
    after_results = models.BooleanField(
        null=True, help_text="Whether a model had answered the question when it was excluded."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(excluded_by=None, excluded_at=None, after_results=None)
                | Q(
                    excluded_by__isnull=False,
                    excluded_at__isnull=False,
                    after_results__isnull=False,
                ),
                name="exclusion_is_proposed_or_in_force",
            )
        ]

    def __str__(self) -> str:
        return f"Excluded: {self.instance}"


class PastExclusion(models.Model):
    """An exclusion that was undone, or with `excluded_by` null a closed study's proposal that was refused."""

    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="past_exclusions")
    reason = models.TextField()
    excluded_by = models.ForeignKey(
        PERSON, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    excluded_at = models.DateTimeField(null=True, blank=True)
    after_results = models.BooleanField(null=True)
    ended_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    ended_at = models.DateTimeField(db_default=Now())
    note = models.TextField(blank=True, help_text="Why it was undone.")

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.how}: {self.instance}"

    @property
    def how(self) -> str:
        return "Undone" if self.excluded_by_id else "Refused"

"""What people decide about questions: revised passages, subsets, exclusions."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from datasets.models.collections import Collection
from datasets.models.records import Instance
from datasets.states import RevisionState, UndoingState

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
    """An instance that a person proposes to exclude; in force once a second person has agreed.

    Its reason never changes, so that the second person agrees to what they have read. A proposal that was declined
    or withdrawn, and an exclusion that was undone, is a PastExclusion.
    """

    instance = models.OneToOneField(Instance, on_delete=models.PROTECT, related_name="exclusion")
    reason = models.TextField()
    proposed_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    seconded_by = models.ForeignKey(
        PERSON, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    seen = models.JSONField(
        default=dict,
        blank=True,
        help_text="What the two had seen: {proposed, seconded: {said, known}} (exposure.py).",
    )
    created_at = models.DateTimeField(db_default=Now())
    seconded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(seconded_by=None) | ~Q(seconded_by=models.F("proposed_by")),
                name="exclusion_seconded_by_another",
            )
        ]

    def __str__(self) -> str:
        return f"Excluded: {self.instance}"


class Undoing(models.Model):
    """A proposal to undo an exclusion that is in force; undone once a second person has agreed, as it was made."""

    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="undoings")
    exclusion = models.PositiveBigIntegerField(help_text="The number that the exclusion had.")
    reason = models.TextField()
    proposed_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    state = models.CharField(
        max_length=10, choices=UndoingState.choices, default=UndoingState.PROPOSED
    )
    seen = models.JSONField(default=dict, blank=True, help_text="As of an exclusion.")
    ended_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)
    note = models.TextField(blank=True, help_text="Why it was declined.")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["instance"], condition=Q(state="proposed"), name="one_open_undoing"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="undoing_has_a_reason"),
            models.CheckConstraint(
                condition=Q(state="proposed", ended_by=None)
                | Q(state="withdrawn", ended_by=models.F("proposed_by"))
                | (
                    Q(state__in=["agreed", "declined"], ended_by__isnull=False)
                    & ~Q(ended_by=models.F("proposed_by"))
                ),
                name="undoing_ended_by_another_or_withdrawn",
            ),
            models.CheckConstraint(
                condition=Q(state="proposed", ended_at=None)
                | (~Q(state="proposed") & Q(ended_at__isnull=False)),
                name="undoing_has_its_end",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_state_display()}: {self.instance}"


class PastExclusion(models.Model):
    """A proposal to exclude that was declined or withdrawn, or an exclusion that was undone; with the reasons."""

    class How(models.TextChoices):
        DECLINED = "declined", "Declined"
        WITHDRAWN = "withdrawn", "Withdrawn"
        UNDONE = "undone", "Undone"

    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="past_exclusions")
    proposal = models.PositiveBigIntegerField(help_text="The number that the proposal had.")
    reason = models.TextField()
    proposed_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()
    seconded_by = models.ForeignKey(
        PERSON, on_delete=models.PROTECT, null=True, related_name="+", help_text="If it was undone."
    )
    seconded_at = models.DateTimeField(null=True)
    undoing_by = models.ForeignKey(
        PERSON,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="Who proposed to undo it, for the reason in `note`; `ended_by` agreed.",
    )
    seen = models.JSONField(default=dict, blank=True)
    how = models.CharField(max_length=10, choices=How.choices)
    ended_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    ended_at = models.DateTimeField(db_default=Now())
    note = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(how="withdrawn", ended_by=models.F("proposed_by"))
                | (Q(how="declined") & ~Q(ended_by=models.F("proposed_by")))
                | Q(how="undone"),
                name="declined_by_another_withdrawn_by_its_own",
            ),
            models.CheckConstraint(
                condition=Q(how="undone", seconded_by__isnull=False, seconded_at__isnull=False)
                | (~Q(how="undone") & Q(seconded_by=None, seconded_at=None)),
                name="undone_exclusion_was_in_force",
            ),
            models.CheckConstraint(
                condition=(
                    Q(how="undone", undoing_by__isnull=False) & ~Q(ended_by=models.F("undoing_by"))
                )
                | (~Q(how="undone") & Q(undoing_by=None)),
                name="exclusion_undone_by_two",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_how_display()}: {self.instance}"

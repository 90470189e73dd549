"""Discussions and final verdicts."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from judging.models.slots import Judge
from judging.models.studies import Round, StudyItem
from judging.rules.resolution import CAUSES
from judging.states import DiscussionState

PERSON = settings.AUTH_USER_MODEL


class Discussion(models.Model):
    """The discussion of a response by its two judges: what one of them proposes is final once the other signs it.

    Stored once one of them has read it. Who proposes has signed. A changed proposal is signed by its author alone.
    """

    item = models.ForeignKey(StudyItem, on_delete=models.PROTECT, related_name="discussions")
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="discussions")
    state = models.CharField(
        max_length=10, choices=DiscussionState.choices, default=DiscussionState.OPEN
    )
    verdict = models.CharField(max_length=20, blank=True)
    cause = models.CharField(max_length=60, blank=True)
    note = models.TextField(blank=True)
    proposed_by = models.ForeignKey(Judge, on_delete=models.PROTECT, null=True, related_name="+")
    signed_by = models.ForeignKey(
        Judge, on_delete=models.PROTECT, null=True, related_name="+", help_text="The other one."
    )
    last_by = models.ForeignKey(
        Judge,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="Who wrote or proposed last: it waits for the other.",
    )
    version = models.PositiveIntegerField(
        default=0, help_text="How often the proposal was changed; a signature names the one read."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "round"], name="discussion_once_a_round"),
            models.CheckConstraint(
                condition=Q(state__in=DiscussionState.values), name="discussion_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(verdict="", proposed_by=None)
                | Q(proposed_by__isnull=False) & ~Q(verdict="") & ~Q(cause=""),
                name="proposal_has_verdict_cause_and_author",
            ),
            models.CheckConstraint(
                condition=~Q(state="proposed") | Q(proposed_by__isnull=False),
                name="proposed_discussion_has_an_author",
            ),
            models.CheckConstraint(
                condition=Q(state="signed", signed_by__isnull=False, proposed_by__isnull=False)
                | (~Q(state="signed") & Q(signed_by=None)),
                name="signed_discussion_has_both",
            ),
            models.CheckConstraint(
                condition=Q(signed_by=None) | ~Q(signed_by=F("proposed_by")),
                name="discussion_signed_by_two",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item}: {self.get_state_display()}"


class Remark(models.Model):
    """What one of the two writes to the other. Append-only."""

    discussion = models.ForeignKey(Discussion, on_delete=models.PROTECT, related_name="remarks")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="remarks")
    text = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["pk"]
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="remark_has_words")]

    def __str__(self) -> str:
        return self.text


class Resolution(models.Model):
    """The verdict that a round ended with on an item, and how it was reached."""

    class How(models.TextChoices):
        UNANIMOUS = "unanimous", "Unanimous"
        DISCUSSED = "discussed", "Discussed"
        THIRD_PERSON = "third_person", "Third person"
        MAJORITY = "majority", "Majority"
        SINGLE = "single", "Single judge"
        IMPORTED = "imported", "Imported"

    item = models.ForeignKey(StudyItem, on_delete=models.PROTECT, related_name="resolutions")
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="resolutions")
    final_for = models.OneToOneField(
        StudyItem,
        on_delete=models.PROTECT,
        null=True,
        editable=False,
        related_name="resolution",
        help_text="Its item, where this is the final verdict; null where another round's is.",
    )
    verdict = models.CharField(max_length=20)
    how = models.CharField(max_length=20, choices=How.choices)
    resolved_by = models.ForeignKey(
        PERSON, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    discussion = models.OneToOneField(
        Discussion,
        on_delete=models.PROTECT,
        null=True,
        editable=False,
        related_name="resolution",
        help_text="The one that both judges signed, where it was discussed.",
    )
    cause = models.CharField(max_length=60, blank=True)
    note = models.TextField(blank=True)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "round"], name="resolution_once_a_round"),
            models.CheckConstraint(
                condition=Q(final_for=None) | Q(final_for=F("item")),
                name="resolution_is_final_for_its_item",
            ),
            models.CheckConstraint(condition=~Q(verdict=""), name="resolution_has_a_verdict"),
            models.CheckConstraint(
                condition=~Q(how="third_person") | Q(resolved_by__isnull=False),
                name="third_person_is_named",
            ),
            models.CheckConstraint(
                condition=Q(how="discussed", discussion__isnull=False)
                | (~Q(how="discussed") & Q(discussion=None)),
                name="discussed_has_its_discussion",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} ({self.how})"

    @property
    def cause_words(self) -> str:
        """Why the judges disagreed; empty where nobody decided why."""
        return CAUSES.get(self.cause, self.cause)

"""What people write by the forms of a protocol: a form that was opened, and its entries."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.functional import cached_property

from datasets.models import Collection, Contradiction, Subset
from leases.models import Leased
from protocols.models import Protocol
from writing.declared.form import WritingForm, form_named
from writing.states import LIVE, EntryState, WritingState

PERSON = settings.AUTH_USER_MODEL


class Writing(models.Model):
    """A form of a version of a protocol, open for the records of a collection or of one of its subsets."""

    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="writings")
    subset = models.ForeignKey(
        Subset,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="Null: all records.",
    )
    protocol = models.ForeignKey(Protocol, on_delete=models.PROTECT, related_name="+")
    form_name = models.CharField(max_length=60)
    state = models.CharField(max_length=10, choices=WritingState.choices, default=WritingState.OPEN)
    opened_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "form_name"],
                condition=Q(state="open"),
                name="form_open_once_a_collection",
            ),
            models.CheckConstraint(
                condition=Q(state__in=WritingState.values), name="writing_state_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.form.title}: {self.collection.name}"

    @cached_property
    def form(self) -> WritingForm:
        return form_named(self.protocol.declaration, self.form_name)


class Entry(Leased):
    """What one person writes for a record: taken by a lease, handed in, and checked by another person.

    Two people never write the same: `target` is the record's place in the collection, or the base and the
    combination of a record to be made.
    """

    State = EntryState

    writing = models.ForeignKey(Writing, on_delete=models.PROTECT, related_name="entries")
    record = models.ForeignKey(
        Contradiction,
        on_delete=models.PROTECT,
        related_name="entries",
        help_text="Which was shown.",
    )
    target = models.CharField(max_length=64)
    combination = models.JSONField(
        default=list, help_text="The values of the slices of the form's `complete`, in their order."
    )
    author = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    values = models.JSONField(default=dict, help_text="By the form's field.")
    version = models.PositiveIntegerField(default=0, help_text="Counts the saves.")
    state = models.CharField(max_length=10, choices=EntryState.choices, default=EntryState.DRAFT)
    reason = models.TextField(blank=True, help_text="Why its author rejected the record.")
    checker = models.ForeignKey(PERSON, on_delete=models.PROTECT, null=True, related_name="+")
    note = models.TextField(blank=True, help_text="What the checker says is wrong.")
    made = models.OneToOneField(
        Contradiction,
        on_delete=models.PROTECT,
        null=True,
        related_name="made_by_entry",
        help_text="The record that it made once it was checked.",
    )
    taken_at = models.DateTimeField(db_default=Now())
    saved_at = models.DateTimeField(db_default=Now())
    decided_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["lease_until"], name="entry_by_lease"),
            models.Index(fields=["state", "saved_at"], name="entry_by_state"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["writing", "target"],
                condition=Q(state__in=LIVE),
                name="one_live_entry_a_target",
            ),
            models.CheckConstraint(
                condition=Q(state__in=EntryState.values), name="entry_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(checker=None) | ~Q(checker=F("author")), name="entry_checked_by_another"
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["checked", "sent_back"])
                | Q(checker__isnull=False, decided_at__isnull=False),
                name="decided_entry_has_a_checker",
            ),
            models.CheckConstraint(
                condition=~Q(state="sent_back", note=""), name="sent_back_entry_has_a_note"
            ),
            models.CheckConstraint(
                condition=~Q(state="rejected", reason="") & ~(Q(state="written") & ~Q(reason="")),
                name="rejected_entry_has_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(made=None) | Q(state="checked", reason=""),
                name="checked_entry_makes_a_record",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.writing}: {self.record.title}"

    @property
    def form(self) -> WritingForm:
        return self.writing.form

    @property
    def is_rejection(self) -> bool:
        return self.reason != ""

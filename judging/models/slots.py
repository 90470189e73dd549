"""Blind slots: who judges which response, the judgments, and the warm-up."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from generation.models import LanguageModel, Response
from judging.models.studies import Round, Study, StudyItem
from judging.states import SlotState
from leases.models import Leased

PERSON = settings.AUTH_USER_MODEL


class JudgePrompt(models.Model):
    """A version of what judge models are sent. Never changed; the first one is the program's file."""

    version = models.PositiveIntegerField(unique=True)
    title = models.CharField(max_length=120)
    template = models.TextField(help_text="With {Question}, {Answer1} | {Answer2}, {LLM response}.")
    sha256 = models.CharField(
        max_length=64, unique=True, help_text="Of the template's UTF-8 bytes."
    )
    source = models.TextField(blank=True, help_text="What it follows, such as a paper.")
    note = models.TextField(blank=True, help_text="Where its rules differ from people's rubric.")
    author = models.ForeignKey(
        PERSON,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="Null: the program.",
    )
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-version"]

    def __str__(self) -> str:
        return f"judge prompt v{self.version}"


class Judge(models.Model):
    """A judge of a study: a person, a model with a judge prompt, or a judge named in an imported file."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="judges")
    person = models.ForeignKey(
        PERSON, on_delete=models.PROTECT, null=True, blank=True, related_name="judging_as"
    )
    model = models.ForeignKey(
        LanguageModel, on_delete=models.PROTECT, null=True, blank=True, related_name="judging_as"
    )
    prompt = models.ForeignKey(
        JudgePrompt,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="judges",
        help_text="What a model is sent; null for people and files.",
    )
    external = models.CharField(max_length=120, blank=True, help_text="Name in an imported file.")
    pseudonym = models.CharField(max_length=40)
    seed = models.BigIntegerField(default=0, help_text="Draws this judge's order of items.")
    removed_at = models.DateTimeField(
        null=True, blank=True, help_text="Judges no more from here on; the verdicts stay."
    )
    is_cancelled = models.BooleanField(
        default=False, help_text="A model that is asked no more until a person resumes it."
    )

    class Meta:
        ordering = ["study", "pseudonym"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "pseudonym"], name="judge_pseudonym_once_a_study"
            ),
            models.UniqueConstraint(fields=["study", "person"], name="person_judges_once_a_study"),
            models.UniqueConstraint(
                fields=["study", "model", "prompt"], name="model_judges_once_a_study"
            ),
            models.CheckConstraint(
                condition=Q(person__isnull=False, model=None, external="")
                | Q(person=None, model__isnull=False, external="")
                | (Q(person=None, model=None) & ~Q(external="")),
                name="judge_is_exactly_one_of_person_model_external",
            ),
            models.CheckConstraint(
                condition=Q(model=None, prompt=None) | Q(model__isnull=False, prompt__isnull=False),
                name="judge_model_has_a_prompt",
            ),
        ]

    def __str__(self) -> str:
        return self.pseudonym


class JudgingSlot(Leased):
    """A place for one judge's verdict on one item. Of its keys, judges see only the random id."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="slots")
    item = models.ForeignKey(StudyItem, on_delete=models.PROTECT, related_name="slots")
    seat = models.PositiveIntegerField(default=1, help_text="1 to judges_per_response.")
    judge = models.ForeignKey(
        Judge, on_delete=models.PROTECT, null=True, blank=True, related_name="slots"
    )
    repeat = models.PositiveIntegerField(default=1)
    order = models.PositiveIntegerField(default=0, help_text="Place in this judge's blind order.")
    draw = models.PositiveIntegerField(
        default=0, help_text="Place in the order in which judges draw slots that are free."
    )
    state = models.CharField(max_length=10, choices=SlotState.choices, default=SlotState.FREE)
    skip_reason = models.TextField(blank=True)
    flagged = models.BooleanField(default=False)
    flag_note = models.TextField(blank=True)
    shown_at = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(
        default=0,
        help_text="How often its judge has changed it; a change names the one it was made from.",
    )

    class Meta:
        ordering = ["round", "judge", "order"]
        constraints = [
            models.UniqueConstraint(
                fields=["round", "item", "seat", "repeat"], name="seat_once_an_item"
            ),
            models.UniqueConstraint(
                fields=["round", "item", "judge", "repeat"], name="judge_once_an_item"
            ),
            models.CheckConstraint(
                condition=Q(state__in=SlotState.values), name="slot_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["free", "withdrawn"]) | Q(judge__isnull=False),
                name="slot_in_work_has_a_judge",
            ),
        ]
        indexes = [
            models.Index(fields=["judge", "state", "order"], name="slot_next_of_judge"),
            models.Index(fields=["round", "state", "draw", "seat"], name="slot_next_to_draw"),
            models.Index(
                fields=["lease_until"],
                condition=Q(lease_until__isnull=False),
                name="slot_by_lease",
            ),
        ]

    def __str__(self) -> str:
        return f"Slot {self.id}"


class Judgment(models.Model):
    """The verdict of a slot. `first_verdict` is the independent one that agreement is computed on."""

    slot = models.OneToOneField(JudgingSlot, on_delete=models.PROTECT, related_name="judgment")
    verdict = models.CharField(max_length=20)
    first_verdict = models.CharField(
        max_length=20,
        null=True,
        blank=True,
        help_text="The verdict held when the slot closed; never changed after; null where a file had none.",
    )
    comment = models.TextField(blank=True)
    seconds = models.FloatField(null=True, blank=True, help_text="Time the item was on the screen.")
    judged_at = models.DateTimeField(db_default=Now())
    locked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(verdict="") & (Q(first_verdict=None) | ~Q(first_verdict="")),
                name="judgment_has_a_verdict",
            ),
        ]

    def __str__(self) -> str:
        return self.verdict


class JudgmentEvent(models.Model):
    """A change of a judgment before its slot closed. Append-only."""

    slot = models.ForeignKey(JudgingSlot, on_delete=models.PROTECT, related_name="events")
    what = models.CharField(max_length=20, help_text="judged, changed, undone, skipped, flagged")
    verdict = models.CharField(max_length=20, blank=True)
    comment = models.TextField(blank=True)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.what} {self.verdict}"


class GoldItem(models.Model):
    """A response with a known verdict that a study's judges get first, with feedback (warmup.py)."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="gold_items")
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveIntegerField(help_text="From 1.")
    verdict = models.CharField(max_length=20)
    note = models.TextField(blank=True, help_text="Of the resolution that the verdict comes from.")

    class Meta:
        ordering = ["study", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "response"], name="gold_response_once_a_study"
            ),
            models.UniqueConstraint(
                fields=["study", "position"], name="gold_position_once_a_study"
            ),
            models.CheckConstraint(condition=~Q(verdict=""), name="gold_item_has_a_verdict"),
        ]

    def __str__(self) -> str:
        return f"{self.study}, warm-up {self.position}"


class GoldVerdict(models.Model):
    """A judge's verdict on a gold item. Never changed, and counted in no figure."""

    gold = models.ForeignKey(GoldItem, on_delete=models.PROTECT, related_name="verdicts")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="gold_verdicts")
    verdict = models.CharField(max_length=20)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["gold", "judge"], name="judge_once_a_gold_item"),
            models.CheckConstraint(condition=~Q(verdict=""), name="gold_verdict_is_not_empty"),
        ]

    def __str__(self) -> str:
        return self.verdict

"""Verdicts on model responses: studies, blind slots, judgments, resolutions, machine verdicts."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from datasets.models import Collection, Instance, Subset
from generation.models import LanguageModel, Response
from judging.rules.resolution import CAUSES
from judging.states import DiscussionState, MachineState, SlotState, StudyState
from leases.models import Leased

PERSON = settings.AUTH_USER_MODEL


class Verdict(models.TextChoices):
    """The three verdicts of WikiContradict 3.4, from worst to best."""

    INCORRECT = "incorrect", "Incorrect"
    PARTIALLY_CORRECT = "partially correct", "Partially correct"
    CORRECT = "correct", "Correct"


class Rubric(models.Model):
    """A version of the rules for judging: verdicts in order, and criteria and gold for each prompt."""

    name = models.CharField(max_length=80)
    version = models.PositiveIntegerField(default=1)
    body = models.JSONField(help_text="Verdicts, criteria and gold by prompt (rubric.py).")
    sha256 = models.CharField(max_length=64)
    locked_at = models.DateTimeField(null=True, blank=True, help_text="Set at its first verdict.")
    author = models.ForeignKey(
        PERSON,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="Null: the program.",
    )
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["name", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["name", "version"], name="rubric_version_once"),
            models.UniqueConstraint(fields=["name", "sha256"], name="rubric_text_once"),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


class SeenStudies(models.Manager["Study"]):
    """All but those that an import still writes (datasets/arriving.py)."""

    def get_queryset(self) -> models.QuerySet["Study"]:
        return super().get_queryset().filter(arriving_in=None)


class Study(models.Model):
    """A human evaluation: which responses, how many judges each, how disagreements are resolved."""

    class ResolvedBy(models.TextChoices):
        THIRD_PERSON = "third_person", "A third person"
        DISCUSSION = "discussion", "Discussion between the two"
        MAJORITY = "majority", "Majority"

    class Order(models.TextChoices):
        GROUPED = "grouped", "Grouped by question, shuffled inside"
        RANDOM = "random", "Fully random"

    class Pairing(models.TextChoices):
        ROTATION = "rotation", "Balanced rotation: each two judges share about as many responses"
        FIXED = "fixed", "Fixed pairs: the same judges always judge together"
        POOL = "pool", "A pool: each judge who comes draws the next free responses"

    name = models.CharField(max_length=120, unique=True)
    slug = models.SlugField(max_length=120, unique=True)
    rubric = models.ForeignKey(
        Rubric, on_delete=models.PROTECT, related_name="studies", help_text="Of its latest round."
    )
    subset = models.ForeignKey(
        Subset,
        on_delete=models.PROTECT,
        null=True,
        related_name="studies",
        help_text="Its responses are to these questions; null: to all of its runs.",
    )
    state = models.CharField(max_length=10, choices=StudyState.choices, default=StudyState.DRAFT)
    judges_per_response = models.PositiveIntegerField(default=2)
    resolved_by = models.CharField(
        max_length=20, choices=ResolvedBy.choices, default=ResolvedBy.THIRD_PERSON
    )
    order = models.CharField(max_length=10, choices=Order.choices, default=Order.GROUPED)
    pairing = models.CharField(max_length=10, choices=Pairing.choices, default=Pairing.ROTATION)
    double_percent = models.PositiveIntegerField(
        default=0,
        help_text="With one judge per response: of a hundred questions (or, in a random order, responses) so many "
        "are judged by two.",
    )
    repeat_percent = models.PositiveIntegerField(
        default=0, help_text="So many of a hundred responses of a judge come twice."
    )
    without_own = models.BooleanField(
        default=False,
        help_text="Nobody judges responses to questions that they wrote or annotated.",
    )
    fast_seconds = models.PositiveIntegerField(
        default=3, help_text="Each judge's share of verdicts after less time than this is shown."
    )
    seed = models.BigIntegerField(default=0)
    is_demonstration = models.BooleanField(default=False)
    is_imported = models.BooleanField(
        default=False, help_text="Verdicts came from a file: no first verdicts."
    )
    created_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    arriving_in = models.ForeignKey(
        Collection,
        on_delete=models.PROTECT,
        null=True,
        editable=False,
        related_name="+",
        help_text="While an import writes it, unseen: the collection that it comes with.",
    )

    objects = SeenStudies()
    everything: ClassVar[models.Manager["Study"]] = models.Manager()

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(
                condition=Q(judges_per_response__gte=1), name="study_has_judges"
            ),
            models.CheckConstraint(
                condition=Q(repeat_percent__lte=50), name="study_repeats_half_at_most"
            ),
            models.CheckConstraint(
                condition=Q(fast_seconds__gte=1), name="study_fast_is_some_seconds"
            ),
            models.CheckConstraint(
                condition=Q(state__in=StudyState.values), name="study_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(pairing__in=["rotation", "fixed", "pool"]),
                name="study_pairing_is_known",
            ),
            models.CheckConstraint(
                condition=Q(double_percent=0) | Q(double_percent__lte=100, judges_per_response=1),
                name="study_doubles_where_one_judges",
            ),
            models.CheckConstraint(
                condition=~Q(resolved_by="discussion") | Q(judges_per_response__lte=2),
                name="study_discussed_by_two",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class StudyItem(models.Model):
    """A response that a study judges. Chosen before the round opens that judges it first."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="items")
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="study_items")
    position = models.PositiveIntegerField()
    names_its_model = models.BooleanField(
        default=False, help_text="The response gives its own model away."
    )
    round = models.ForeignKey(
        "Round",
        on_delete=models.PROTECT,
        null=True,
        related_name="items",
        help_text="The latest one that judges it; null before the first.",
    )
    is_settled = models.BooleanField(
        default=False,
        editable=False,
        help_text="It has a resolution of its round (settling.store).",
    )

    class Meta:
        ordering = ["study", "position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "response"], name="response_once_a_study"),
            models.UniqueConstraint(
                fields=["study", "position"], name="item_position_once_a_study"
            ),
        ]
        indexes = [
            # The few responses that wait for a resolution, among all of the past.
            models.Index(
                fields=["study"], condition=Q(is_settled=False), name="item_without_resolution"
            )
        ]

    def __str__(self) -> str:
        return f"{self.study} #{self.position}"

    @property
    def rubric(self) -> Rubric:
        """The version that its round judges it by; before the first, its study's."""
        return self.round.rubric if self.round else self.study.rubric


class Round(models.Model):
    """One pass of a study by one version of a rubric. The latest is open while its study is."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="rounds")
    n = models.PositiveIntegerField(default=1)
    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="rounds")
    reason = models.TextField(blank=True, help_text="Why it was opened; empty for the first.")
    counts = models.BooleanField(
        default=True,
        help_text="Its verdicts replace earlier ones. Otherwise they count only where there are none.",
    )
    is_latest = models.BooleanField(default=True)
    could_read = models.PositiveIntegerField(
        default=0, help_text="Of its judges: how many could read earlier verdicts before it opened."
    )
    opened_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, null=True, related_name="+")
    opened_at = models.DateTimeField(db_default=Now())
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["study", "n"]
        constraints = [
            models.UniqueConstraint(fields=["study", "n"], name="round_number_once_a_study"),
            models.UniqueConstraint(
                fields=["study"], condition=Q(is_latest=True), name="one_latest_round_a_study"
            ),
            models.CheckConstraint(
                condition=Q(n=1) | ~Q(reason=""), name="further_round_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study}, round {self.n}"


class Reopening(models.Model):
    """A closed round that was opened again, so that its judges finish it. Append-only."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="reopenings")
    reason = models.TextField()
    could_read = models.PositiveIntegerField(
        default=0, help_text="Of its judges: how many could read verdicts while it was closed."
    )
    by = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="reopening_has_a_reason")
        ]

    def __str__(self) -> str:
        return self.reason


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


class GoldItem(models.Model):
    """A response with a known verdict that a study's judges get first, with feedback (warmup.py)."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="gold_items")
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveIntegerField(help_text="From 1.")
    verdict = models.CharField(max_length=20, choices=Verdict.choices)
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
            models.CheckConstraint(
                condition=Q(verdict__in=Verdict.values), name="gold_verdict_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study}, warm-up {self.position}"


class GoldVerdict(models.Model):
    """A judge's verdict on a gold item. Never changed, and counted in no figure."""

    gold = models.ForeignKey(GoldItem, on_delete=models.PROTECT, related_name="verdicts")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="gold_verdicts")
    verdict = models.CharField(max_length=20, choices=Verdict.choices)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["gold", "judge"], name="judge_once_a_gold_item"),
            models.CheckConstraint(
                condition=Q(verdict__in=Verdict.values), name="warm_up_verdict_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.verdict


class Judgment(models.Model):
    """The verdict of a slot. `first_verdict` is the independent one that agreement is computed on."""

    slot = models.OneToOneField(JudgingSlot, on_delete=models.PROTECT, related_name="judgment")
    verdict = models.CharField(max_length=20, choices=Verdict.choices)
    first_verdict = models.CharField(
        max_length=20,
        choices=Verdict.choices,
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
                condition=Q(verdict__in=Verdict.values), name="judgment_verdict_is_known"
            ),
            models.CheckConstraint(
                condition=Q(first_verdict=None) | Q(first_verdict__in=Verdict.values),
                name="judgment_first_verdict_is_known",
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


class Discussion(models.Model):
    """The discussion of a response by its two judges: what one of them proposes is final once the other signs it.

    Stored once one of them has read it. Who proposes has signed. A changed proposal is signed by its author alone.
    """

    item = models.ForeignKey(StudyItem, on_delete=models.PROTECT, related_name="discussions")
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="discussions")
    state = models.CharField(
        max_length=10, choices=DiscussionState.choices, default=DiscussionState.OPEN
    )
    verdict = models.CharField(max_length=20, choices=Verdict.choices, blank=True)
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
                | (Q(verdict__in=Verdict.values, proposed_by__isnull=False) & ~Q(cause="")),
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
    verdict = models.CharField(max_length=20, choices=Verdict.choices)
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
            models.CheckConstraint(
                condition=Q(verdict__in=Verdict.values), name="resolution_verdict_is_known"
            ),
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


class ImportedRow(models.Model):
    """A row of an imported human evaluation: one model's answers to one question, in the file's order."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="imported_rows")
    model = models.ForeignKey(LanguageModel, on_delete=models.PROTECT, related_name="+")
    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveIntegerField(help_text="Place in the file, from 0.")
    kept = models.JSONField(
        default=dict,
        blank=True,
        help_text="By key of the file: what it says where no other row holds the same; null for a key that "
        "it lacks.",
    )

    class Meta:
        ordering = ["study", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "model", "instance"], name="imported_row_once_a_study"
            ),
            models.UniqueConstraint(
                fields=["study", "position"], name="imported_position_once_a_study"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model}: {self.instance}"


class Holds(models.TextChoices):
    """What a judge model's reply holds besides its words."""

    ONE = "one", "A verdict"
    SEVERAL = "several", "Verdicts that differ: the last one counts"
    NONE = "none", "Words without a verdict"
    NOTHING = "nothing", "Nothing"


class MachineVerdict(Leased):
    """A judge model's verdict on a response by a version of the rubric, from a call or an imported file.

    It is separate from the slots of people: it is not among the first verdicts and gives no response its final verdict.
    """

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="machine_verdicts")
    item = models.ForeignKey(StudyItem, on_delete=models.PROTECT, related_name="machine_verdicts")
    rubric = models.ForeignKey(
        Rubric,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="The version whose gold answers it is asked by; see machine/scope.py.",
    )
    state = models.CharField(
        max_length=10, choices=MachineState.choices, default=MachineState.WAITING
    )
    verdict = models.CharField(
        max_length=20,
        choices=Verdict.choices,
        null=True,
        blank=True,
        help_text="What its last call's reply says; null until there is one that says it.",
    )
    holds = models.CharField(
        max_length=10,
        choices=Holds.choices,
        blank=True,
        default="",
        help_text="What its last call's reply holds; empty before.",
    )
    error = models.TextField(blank=True)
    not_before = models.DateTimeField(
        null=True, blank=True, help_text="After a fault: not asked again before this time."
    )
    judged_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["judge", "item"]
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "item", "rubric"], name="machine_verdict_once_a_version"
            ),
            models.CheckConstraint(
                condition=Q(state="judged", holds__in=[Holds.ONE, Holds.SEVERAL])
                | Q(state="unparsed", holds__in=[Holds.NONE, Holds.NOTHING])
                | (~Q(state__in=["judged", "unparsed"]) & Q(holds="")),
                name="machine_reply_holds_what_its_state_says",
            ),
            models.CheckConstraint(
                condition=Q(state__in=MachineState.values), name="machine_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state="judged", verdict__in=Verdict.values)
                | (~Q(state="judged") & Q(verdict=None)),
                name="machine_verdict_where_judged",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="machine_by_state_and_lease"),
            models.Index(fields=["judge", "state", "attempts", "id"], name="machine_next_to_ask"),
        ]

    def __str__(self) -> str:
        return self.verdict or self.get_state_display()


class JudgeCall(models.Model):
    """One call for a machine verdict: the raw reply, and the verdict read from it, if it has one."""

    machine_verdict = models.ForeignKey(
        MachineVerdict, on_delete=models.CASCADE, related_name="calls"
    )
    n = models.PositiveIntegerField(default=1)
    request = models.JSONField(null=True, blank=True, help_text="Null where it came from a file.")
    reply = models.TextField(blank=True)
    reasoning = models.TextField(
        blank=True, default="", help_text="What the model wrote before its reply."
    )
    parsed = models.CharField(max_length=20, blank=True)
    spelling = models.CharField(max_length=60, blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    status = models.PositiveIntegerField(
        null=True, blank=True, help_text="HTTP status; empty when there was none."
    )
    error = models.TextField(blank=True)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["machine_verdict", "n"]
        constraints = [
            models.UniqueConstraint(
                fields=["machine_verdict", "n"], name="judge_call_once_a_machine_verdict"
            )
        ]

    def __str__(self) -> str:
        return f"Call {self.n}"

"""The six steps of WikiContradict: campaigns, assignments, annotations, reviews."""

from random import SystemRandom

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotation.states import AnnotationState, AskedState, AssignmentState, CampaignState
from datasets.models import Collection, Contradiction, Modality, SamePassage, Validity
from leases.models import Leased
from wikifetch.models import Revision, Sighting, Tag, Wiki

PERSON = settings.AUTH_USER_MODEL


def drawn_lot() -> float:
    return SystemRandom().random()


class Guideline(models.Model):
    """One version of the annotators' guideline, in Markdown. Never changed; an edit is a new version."""

    version = models.CharField(max_length=40, unique=True)
    sha256 = models.CharField(max_length=64, unique=True)
    body = models.TextField()
    author = models.ForeignKey(
        PERSON,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="Who saved it; empty: it came with the program.",
    )
    created_at = models.DateTimeField(db_default=Now())
    current_since = models.DateTimeField(
        db_default=Now(), help_text="When it last became the version that new campaigns get."
    )

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"Guideline {self.version}"


class Campaign(models.Model):
    """The annotation of a drawn set of tags: the frame, the drawing, the rounds, and who annotates.

    With a pilot, round 1 is the pilot and round 2 the main round over the same tags; without one, round 1 is the main
    round. The frame and the drawing are fixed when it opens; limits, people and the open round may change.
    """

    name = models.CharField(max_length=120, unique=True)
    state = models.CharField(
        max_length=10, choices=CampaignState.choices, default=CampaignState.OPEN
    )
    collection = models.ForeignKey(
        Collection,
        on_delete=models.PROTECT,
        related_name="campaigns",
        help_text="Where accepted annotations go.",
    )
    guideline = models.ForeignKey(
        Guideline, on_delete=models.PROTECT, null=True, related_name="campaigns"
    )
    people_per_tag = models.PositiveIntegerField(default=1)
    double_share = models.FloatField(
        default=1.0, help_text="Share of the tags that get all people_per_tag people."
    )
    frame_query = models.JSONField(default=dict, help_text="How the tags were chosen.")
    frame_date = models.DateTimeField(db_default=Now())
    frame_size = models.PositiveIntegerField(
        default=0, help_text="N: how many tags fitted the query."
    )
    seed = models.BigIntegerField(default=0)
    strata = models.JSONField(
        default=list,
        help_text="By stratum: {kind, frame, wanted, drawn, reserve}, numbers of tags.",
    )
    pilot_tags = models.PositiveIntegerField(default=0, help_text="0: no pilot.")
    pilot_again = models.BooleanField(
        default=False, help_text="The pilot's people may get their tags again in the main round."
    )
    open_round = models.PositiveSmallIntegerField(
        default=1, help_text="The last round that is open."
    )
    stop_at_valid = models.PositiveIntegerField(
        null=True, help_text="Closes when so many tags of the main round are valid; empty: never."
    )
    quota = models.PositiveIntegerField(
        null=True, help_text="How many tags one person gets in all; empty: any number."
    )
    for_chosen = models.BooleanField(
        default=False, help_text="Only for the people chosen; else for every annotator not removed."
    )
    most_in_hand = models.PositiveSmallIntegerField(
        default=3, help_text="How many drafts one person may hold at a time."
    )
    gives_seen_tags = models.BooleanField(
        default=False, help_text="People also get tags of which they have seen others' work."
    )
    is_demonstration = models.BooleanField(default=False)
    created_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(people_per_tag__gte=1), name="campaign_has_people"),
            models.CheckConstraint(
                condition=Q(most_in_hand__gte=1), name="campaign_lets_one_be_in_hand"
            ),
            models.CheckConstraint(
                condition=Q(double_share__range=(0, 1)), name="campaign_double_share_is_a_share"
            ),
            models.CheckConstraint(
                condition=Q(open_round=1) | Q(open_round=2, pilot_tags__gte=1),
                name="campaign_opens_a_round_that_it_has",
            ),
            models.CheckConstraint(
                condition=Q(quota=None) | Q(quota__gte=1), name="campaign_quota_is_of_some"
            ),
            models.CheckConstraint(
                condition=Q(stop_at_valid=None) | Q(stop_at_valid__gte=1),
                name="campaign_stops_at_some",
            ),
            models.CheckConstraint(
                condition=Q(state__in=CampaignState.values), name="campaign_state_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def main_round(self) -> int:
        return 2 if self.pilot_tags else 1


class CampaignPerson(models.Model):
    """A person chosen for a campaign, or removed from it at `removed_at`."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="chosen")
    person = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    removed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["campaign", "person"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "person"], name="campaign_person_once_a_campaign"
            )
        ]

    def __str__(self) -> str:
        return f"{self.person} in {self.campaign}"


class Assignment(Leased):
    """One tag that one person annotates or will annotate. A campaign makes its assignments; people claim them."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="assignments")
    round = models.PositiveIntegerField(default=1)
    tag = models.ForeignKey(
        Tag, on_delete=models.PROTECT, related_name="assignments", db_index=False
    )
    sighting = models.ForeignKey(Sighting, on_delete=models.PROTECT, related_name="+")
    slot = models.PositiveIntegerField()
    order = models.PositiveIntegerField(default=0, help_text="Drawn from the campaign's seed.")
    lot = models.FloatField(
        default=drawn_lot,
        help_text="Orders the annotations of a tag for their reviewer, by chance (letters.py).",
    )
    person = models.ForeignKey(
        PERSON, on_delete=models.PROTECT, null=True, blank=True, related_name="assignments"
    )
    state = models.CharField(
        max_length=10, choices=AssignmentState.choices, default=AssignmentState.FREE
    )
    skip_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["campaign", "round", "order", "slot"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "round", "tag", "slot"], name="assignment_slot_once"
            ),
            models.UniqueConstraint(
                # In this order for whether a person has had a tag, in whichever round.
                fields=["campaign", "tag", "person", "round"],
                name="assignment_person_once",
            ),
            models.CheckConstraint(
                condition=Q(state__in=AssignmentState.values), name="assignment_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["reserve", "free", "unneeded", "withdrawn"])
                | Q(person__isnull=False),
                name="assignment_in_work_has_a_person",
            ),
        ]
        indexes = [
            # For the query of a person's next assignment.
            models.Index(
                fields=["state", "campaign", "round", "order", "slot"],
                name="assignment_next_to_take",
            ),
            # For what a tag has: with the state, or SQLite without statistics reads all that are free instead.
            models.Index(fields=["tag", "campaign", "round", "state"], name="assignment_of_tag"),
        ]

    def __str__(self) -> str:
        return f"{self.tag}, slot {self.slot}"


class Seen(models.Model):
    """A person was shown what others entered for a tag, whether or not they could get it then (blinding/)."""

    person = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    tag = models.ForeignKey(Tag, on_delete=models.PROTECT, related_name="seen_by")
    opened = models.CharField(max_length=300, help_text="The address of what was shown.")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["person", "tag"], name="seen_once")]

    def __str__(self) -> str:
        return f"{self.tag}, by {self.person}"


class Annotation(models.Model):
    """One person's annotation of one tag: a column for each field of the six steps (steps.py).

    A draft holds whatever was typed, "" for nothing. `touched` names the fields that the person has set: it tells a
    choice from a default.
    """

    assignment = models.OneToOneField(
        Assignment, on_delete=models.PROTECT, null=True, blank=True, related_name="annotation"
    )
    sighting = models.ForeignKey(Sighting, on_delete=models.PROTECT, related_name="annotations")
    author = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="annotations")
    state = models.CharField(
        max_length=10, choices=AnnotationState.choices, default=AnnotationState.DRAFT
    )
    version = models.PositiveIntegerField(
        default=0, help_text="Counts saves; a save names the version it read."
    )
    touched = models.JSONField(default=list, blank=True)
    filled = models.JSONField(
        default=list, blank=True, help_text="Fields that the app filled in and nobody has touched."
    )
    provenance = models.JSONField(
        default=dict,
        blank=True,
        help_text="By passage: the pieces it was copied from (captured.py).",
    )
    checked_warnings = models.JSONField(
        default=list, blank=True, help_text="Warnings the person has looked at."
    )
    current_step = models.CharField(max_length=40, blank=True)
    flagged = models.BooleanField(default=False)
    flag_note = models.TextField(blank=True)

    validity = models.CharField(max_length=10, choices=Validity.choices, blank=True)
    valid_comment = models.TextField(blank=True)
    article_1 = models.TextField(blank=True)
    passage_1_copied = models.TextField(blank=True)
    passage_1_standalone = models.TextField(blank=True)
    modality_1 = models.CharField(max_length=10, choices=Modality.choices, blank=True)
    article_2 = models.TextField(blank=True)
    passage_2_copied = models.TextField(blank=True)
    passage_2_standalone = models.TextField(blank=True)
    modality_2 = models.CharField(max_length=10, choices=Modality.choices, blank=True)
    same_passage = models.CharField(max_length=10, choices=SamePassage.choices, blank=True)
    statement_1 = models.TextField(blank=True)
    statement_2 = models.TextField(blank=True)
    span_1 = models.TextField(blank=True)
    span_2 = models.TextField(blank=True)
    span_1_at = models.TextField(
        blank=True, help_text="The span's ranges in its passage (spans.py)."
    )
    span_2_at = models.TextField(blank=True)
    taxonomy = models.JSONField(
        default=list, blank=True, help_text="[[dimension, option], …] in the order chosen."
    )
    contradict_comment = models.TextField(blank=True)
    qa_comment = models.TextField(blank=True)
    confidence = models.PositiveSmallIntegerField(null=True, blank=True)

    guideline = models.ForeignKey(Guideline, on_delete=models.PROTECT, null=True, related_name="+")
    seconds_active = models.FloatField(default=0, help_text="Time at the form, idle time left out.")
    seconds_by_step = models.JSONField(
        default=dict, blank=True, help_text="The same time, by the key of the step."
    )
    created_at = models.DateTimeField(db_default=Now())
    saved_at = models.DateTimeField(db_default=Now())
    submitted_at = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField(
        null=True, help_text="When it was first opened for review since it was submitted."
    )
    first_submitted_at = models.DateTimeField(null=True, blank=True)
    first_entries = models.JSONField(
        null=True, blank=True, help_text="The entries of the first submission, before any review."
    )
    # Not one to one: when it is withdrawn from the author, another person may submit for it too.
    first_assignment = models.ForeignKey(
        Assignment, on_delete=models.PROTECT, null=True, related_name="first_submissions"
    )
    # Not one to one: what was merged points at the record too, and two rounds may publish the same one.
    contradiction = models.ForeignKey(
        Contradiction, on_delete=models.PROTECT, null=True, blank=True, related_name="annotations"
    )
    merged_from = models.ManyToManyField(
        "self",
        symmetrical=False,
        related_name="merged_into",
        help_text="Those that a review merged; the author of the result is the reviewer.",
    )

    class Meta:
        ordering = ["-saved_at", "-pk"]
        indexes = [
            # For what waits: for review, for its author, to be published.
            models.Index(fields=["state"], name="annotation_by_state"),
            # For counts of a campaign, without reading the annotations.
            models.Index(fields=["assignment", "state", "validity"], name="annotation_counted"),
            # Few of many are flagged.
            models.Index(
                fields=["assignment"], condition=Q(flagged=True), name="annotation_flagged"
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=AnnotationState.values), name="annotation_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(confidence=None) | Q(confidence__range=(1, 5)),
                name="annotation_confidence_is_1_to_5",
            ),
            models.CheckConstraint(
                condition=Q(validity__in=["", *Validity.values]),
                name="annotation_validity_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(state="published") | Q(contradiction__isnull=False),
                name="annotation_published_as_a_contradiction",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "sent_back"]) | Q(validity__in=Validity.values),
                name="annotation_submitted_says_valid_or_invalid",
            ),
        ]

    def __str__(self) -> str:
        return f"Annotation {self.pk} of {self.sighting.tag}"


class AskedArticle(Leased):
    """Another article that the author of an annotation asked for; once fetched, one revision of it is pinned."""

    annotation = models.ForeignKey(
        Annotation, on_delete=models.CASCADE, related_name="asked_articles"
    )
    wiki = models.ForeignKey(Wiki, on_delete=models.PROTECT, related_name="+")
    base = models.CharField(max_length=300, blank=True, help_text="The address that is asked.")
    title = models.CharField(max_length=300, blank=True)
    revid = models.PositiveBigIntegerField(default=0, help_text="0: the newest revision.")
    state = models.CharField(max_length=10, choices=AskedState.choices, default=AskedState.ASKED)
    problem = models.TextField(blank=True, help_text="Why it waits, or why it was not fetched.")
    waited = models.PositiveIntegerField(default=0, help_text="Seconds, because the wiki is busy.")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, null=True, related_name="+")
    asked_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=AskedState.values), name="asked_article_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state="fetched", revision__isnull=False)
                | (~Q(state="fetched") & Q(revision__isnull=True)),
                name="asked_article_fetched_has_a_revision",
            ),
            models.UniqueConstraint(
                fields=["annotation", "wiki", "title", "revid"],
                condition=~Q(state="failed"),
                name="asked_article_once_an_annotation",
            ),
            # A wiki gets one of these requests at a time, however many people ask.
            models.UniqueConstraint(
                fields=["wiki"], condition=Q(state="fetching"), name="asked_article_one_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return self.title or f"revision {self.revid}"


class Question(models.Model):
    """A question of step 5 with its two answers. In a draft any of them may be empty."""

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="questions")
    n = models.PositiveIntegerField()
    question = models.TextField(blank=True)
    answer_1 = models.TextField(blank=True)
    answer_2 = models.TextField(blank=True)
    derived_1 = models.BooleanField(default=False)
    derived_2 = models.BooleanField(default=False)
    joined_from = models.ManyToManyField(
        "self",
        symmetrical=False,
        related_name="joined_into",
        help_text="In a merged annotation: the same question as its authors wrote it.",
    )

    class Meta:
        ordering = ["annotation", "n"]
        constraints = [
            models.UniqueConstraint(
                fields=["annotation", "n"], name="question_number_once_an_annotation"
            )
        ]

    def __str__(self) -> str:
        return self.question

    @property
    def words(self) -> tuple[str, str, str]:
        return self.question, self.answer_1, self.answer_2


class DraftRevision(models.Model):
    """A draft's entries at one save, as JSON. Some old ones are deleted (retention.py)."""

    annotation = models.ForeignKey(
        Annotation, on_delete=models.CASCADE, related_name="draft_revisions"
    )
    version = models.PositiveIntegerField()
    entries = models.JSONField()
    saved_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["annotation", "-version"]
        constraints = [
            models.UniqueConstraint(
                fields=["annotation", "version"], name="draft_version_once_an_annotation"
            )
        ]

    def __str__(self) -> str:
        return f"Version {self.version} of annotation {self.annotation_id}"


class WorkTime(models.Model):
    """How long an annotation's author was active at it on one day, idle time left out."""

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="work_times")
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="work_times")
    day = models.DateField(help_text="In UTC.")
    seconds = models.FloatField()

    class Meta:
        ordering = ["day", "annotation"]
        constraints = [
            models.UniqueConstraint(
                fields=["annotation", "campaign", "day"], name="work_time_once_a_day"
            )
        ]

    def __str__(self) -> str:
        return f"{self.day}: {self.seconds:.0f} s"


class TagReview(models.Model):
    """The decision on all annotations of one tag in a round. Its reviews name the versions that it was made on."""

    class Decision(models.TextChoices):
        ACCEPT = "accept", "One accepted"
        MERGE = "merge", "Merged"
        TWO = "two", "Two contradictions"
        DROP = "drop", "Ambiguous"

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="tag_reviews")
    round = models.PositiveIntegerField()
    tag = models.ForeignKey(Tag, on_delete=models.PROTECT, related_name="tag_reviews")
    decision = models.CharField(max_length=10, choices=Decision.choices)
    is_same = models.BooleanField(
        null=True, help_text="Whether all describe the same contradiction; null of a single one."
    )
    reason = models.TextField(blank=True)
    reviewer = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    taken_back_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, null=True, related_name="+")
    taken_back_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "round", "tag"],
                condition=Q(taken_back_at=None),
                name="tag_review_once_a_round",
            ),
            models.CheckConstraint(
                condition=Q(taken_back_at=None, taken_back_by=None)
                | Q(taken_back_at__isnull=False, taken_back_by__isnull=False),
                name="tag_review_taken_back_by_someone",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_decision_display()}: {self.tag}"


class Review(models.Model):
    """What was decided on one version of an annotation, with notes by field."""

    class Decision(models.TextChoices):
        ACCEPT = "accept", "Accepted"
        MERGE = "merge", "Merged"
        LEAVE = "leave", "Not used"
        SEND_BACK = "send_back", "Sent back"
        DROP = "drop", "Ambiguous"

    of_tag = models.ForeignKey(
        TagReview,
        on_delete=models.PROTECT,
        null=True,
        related_name="reviews",
        help_text="The decision on the tag; null of what was sent back.",
    )
    annotation = models.ForeignKey(Annotation, on_delete=models.PROTECT, related_name="reviews")
    annotation_version = models.PositiveIntegerField()
    decision = models.CharField(max_length=10, choices=Decision.choices)
    note = models.TextField(blank=True)
    notes_by_field = models.JSONField(default=dict, blank=True)
    reviewer = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    answer = models.TextField(blank=True, help_text="What the annotation's author answers.")
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["annotation", "annotation_version", "decision"],
                name="review_decision_once_a_version",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_decision_display()} (version {self.annotation_version})"

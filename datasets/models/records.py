"""Records and their questions; both are append-only."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from datasets.models.collections import Collection

PERSON = settings.AUTH_USER_MODEL


class Validity(models.TextChoices):
    VALID = "Valid", "Valid"
    INVALID = "Invalid", "Invalid"


class SamePassage(models.TextChoices):
    SAME = "Same", "Same"
    DIFFERENT = "Different", "Different"


class Modality(models.TextChoices):
    TEXT = "text", "Text"
    TABLE = "table", "Table"
    INFOBOX = "infobox", "Infobox"
    LIST = "list", "List"
    OTHER = "other", "Other"


def kept_text(**options: object) -> models.TextField:
    return models.TextField(null=True, blank=True, **options)  # type: ignore[arg-type]


class Contradiction(models.Model):
    """One tag with its annotation (WikiContradict, 3.1 and Appendix E)."""

    collection = models.ForeignKey(
        Collection, on_delete=models.PROTECT, related_name="contradictions"
    )
    position = models.PositiveIntegerField(
        help_text="Place in the collection, from 0; kept over versions."
    )
    external_id = models.CharField(
        max_length=64, help_text="sha256 of the record as canonical JSON."
    )
    version = models.PositiveIntegerField(default=1)
    supersedes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="superseded_by"
    )

    title = models.CharField(max_length=300)
    url = models.TextField(blank=True)
    oldid = models.PositiveBigIntegerField(null=True, blank=True)
    paragraph = models.TextField(
        blank=True, help_text="Cleaned paragraph with the tag kept (paragraph_A)."
    )
    paragraph_clean = models.TextField(blank=True, help_text="The same without the tag.")
    tag = models.TextField(blank=True, help_text="The tag as written, without its braces.")
    tag_date = models.TextField(blank=True)
    tag_reason = models.TextField(blank=True)

    validity = models.CharField(max_length=10, choices=Validity.choices)
    valid_comment = kept_text()
    article_1 = kept_text()
    passage_1_copied = kept_text()
    passage_1_standalone = kept_text()
    modality_1 = models.CharField(max_length=10, choices=Modality.choices, blank=True)
    article_2 = kept_text()
    passage_2_copied = kept_text()
    passage_2_standalone = kept_text()
    modality_2 = models.CharField(max_length=10, choices=Modality.choices, blank=True)
    same_passage = models.CharField(
        max_length=10, choices=SamePassage.choices, null=True, blank=True
    )
    statement_1 = kept_text(help_text="Passage 1 states that …")
    statement_2 = kept_text(help_text="However, passage 2 states that …")
    span_1 = kept_text()
    span_2 = kept_text()
    span_1_ranges = models.JSONField(
        default=list, blank=True, help_text="[[start, end], …] in the passage."
    )
    span_2_ranges = models.JSONField(default=list, blank=True)
    taxonomy = models.JSONField(
        null=True, blank=True, help_text="[[dimension, option] or [dimension], …], in order."
    )
    type_1 = kept_text(help_text="Last option chosen in dimension I.")
    type_2 = kept_text()
    type_3 = kept_text()
    type_4 = kept_text(help_text="Explicit or Implicit (reasoning required).")
    contradict_comment = kept_text()
    qa_comment = kept_text()
    confidence = kept_text(help_text="1 to 5 as text, empty, or absent.")
    filled = models.JSONField(
        default=list, blank=True, help_text="Columns that the app filled in and the annotator left."
    )
    provenance = models.JSONField(
        default=dict, blank=True, help_text="By passage: the pieces it was copied from."
    )
    unused_answers = models.JSONField(
        default=dict,
        blank=True,
        help_text="Answers that stand without a question: {n: [answer 1, answer 2]}.",
    )
    left_out = models.JSONField(
        default=list,
        blank=True,
        help_text="Numbers of the questions that the complete form it came in lacks: they were excluded there.",
    )
    same_tag_as = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="same_tag",
        help_text="The other contradiction that a review found in the same tag.",
    )

    author = models.ForeignKey(
        PERSON, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now())
    fields = models.JSONField(
        null=True,
        editable=False,
        help_text="The whole record as its collection's protocol declares it; null: WikiContradict's, in columns.",
    )

    class Meta:
        ordering = ["collection", "position", "version"]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "external_id"], name="contradiction_once_a_collection"
            ),
            models.UniqueConstraint(
                fields=["collection", "position", "version"], name="contradiction_version_once"
            ),
            models.CheckConstraint(
                condition=Q(validity__in=Validity.values), name="contradiction_validity_is_known"
            ),
            models.CheckConstraint(
                condition=Q(same_passage=None) | Q(same_passage__in=SamePassage.values),
                name="contradiction_same_passage_is_known",
            ),
            models.CheckConstraint(
                # A later version that came from elsewhere supersedes none that is here.
                condition=Q(version=1, supersedes=None) | Q(version__gt=1),
                name="contradiction_first_version_supersedes_none",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.external_id[:8]})"


class QuestionKind(models.TextChoices):
    YES_NO = "yes/no", "Yes/no"
    WH = "wh", "Wh-"


class Instance(models.Model):
    """One question about a contradiction, with the gold answer from each passage."""

    contradiction = models.ForeignKey(
        Contradiction, on_delete=models.PROTECT, related_name="instances"
    )
    n = models.PositiveIntegerField(help_text="Number of the question on its page, from 1.")
    external_number = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="The question's number in the file it was imported from; another file's may differ.",
    )
    question = models.TextField()
    kind = models.CharField(max_length=10, choices=QuestionKind.choices)
    answer_1 = kept_text(help_text="Gold answer from passage 1; null where the record lacks it.")
    answer_2 = kept_text()
    derived_1 = models.BooleanField(
        default=False, help_text="Calculated or inferred from the passage, and not written in it."
    )
    derived_2 = models.BooleanField(default=False)
    author = models.ForeignKey(
        PERSON, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["contradiction__position", "n"]
        constraints = [
            models.UniqueConstraint(
                fields=["contradiction", "n"], name="question_number_once_a_contradiction"
            ),
            models.CheckConstraint(condition=~Q(question=""), name="instance_has_a_question"),
            models.CheckConstraint(condition=Q(n__gte=1), name="question_numbers_start_at_one"),
        ]

    def __str__(self) -> str:
        return self.question

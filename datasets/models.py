"""Contradictions, their questions, and releases.

Contradictions and instances are append-only: an edit makes a new version that supersedes the old one,
so that a response or a verdict always points at the text it was given for. Keys of the published file
are spelled in schema.py alone. In text columns null means that the source record lacks the key,
"" that it holds an empty text.
"""

from typing import Any, ClassVar

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from datasets.states import RevisionState, UndoingState
from protocols.declaration import Declaration
from protocols.models import Protocol
from protocols.shipped import wikicontradict

PERSON = settings.AUTH_USER_MODEL


class SeenCollections(models.Manager["Collection"]):
    """All but those into which an import still writes (importers/arriving.py)."""

    def get_queryset(self) -> models.QuerySet["Collection"]:
        return super().get_queryset().filter(arriving_until=None)


class Collection(models.Model):
    """A named set of contradictions: a study's own, or an imported dataset."""

    name = models.CharField(
        max_length=80,
        unique=True,
        validators=[
            RegexValidator(r"^[a-z0-9][a-z0-9._-]*$", "Lower-case letters, digits, . _ - only.")
        ],
        help_text="Used in addresses and file names. Lower-case letters, digits, . _ - only.",
    )
    title = models.CharField(max_length=200, blank=True)
    description = models.TextField(blank=True)
    source = models.CharField(
        max_length=300, blank=True, help_text="Where it was imported from, if it was."
    )
    licence = models.CharField(max_length=200, blank=True)
    protocol = models.ForeignKey(
        Protocol,
        on_delete=models.PROTECT,
        null=True,
        related_name="collections",
        help_text="Which declares its records; null: WikiContradict.",
    )
    file_kept = models.JSONField(
        null=True,
        editable=False,
        help_text="Of the file of declared records that it was imported from: its other keys, and how it ends.",
    )
    is_demonstration = models.BooleanField(default=False)
    created_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    arriving_until = models.DateTimeField(
        null=True,
        editable=False,
        help_text="While an import writes into it, unseen: when the import counts as killed.",
    )

    objects = SeenCollections()
    everything: ClassVar[models.Manager["Collection"]] = models.Manager()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.title or self.name

    @property
    def is_declared(self) -> bool:
        """Whether a protocol declares its records; WikiContradict's special parts are for those where none does."""
        return self.protocol_id is not None

    @property
    def declaration(self) -> Declaration:
        return self.protocol.declaration if self.protocol else wikicontradict()

    def noted(self, part: str = "") -> dict[str, Any]:
        """What is kept of the file of declared records: `end` and `kept` (declared/writing.py).

        Where files are parted by a slice, it is of that part's, or of the keys of another's.
        """
        kept = self.file_kept or {}
        if not self.declaration.file.by:
            return kept
        first: dict[str, Any] = next(iter(kept.values()), {})
        return kept.get(part) or {"kept": first.get("kept", {})}

    @property
    def canary(self) -> str:
        """The text that marks the source of declared records; "" where their protocol has none."""
        kept: dict[str, str] = self.noted().get("kept", {})
        return kept.get(self.declaration.file.canary, "")


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
    same_tag_as = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="same_tag",
        help_text="The other contradiction that a review found in the same tag; imports have none.",
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
                condition=Q(version=1, supersedes=None)
                | Q(version__gt=1, supersedes__isnull=False),
                name="contradiction_later_versions_supersede",
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


class Release(models.Model):
    """A frozen version of a collection: which contradictions, in which order, with the hash of the file."""

    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="releases")
    version = models.CharField(max_length=40)
    notes = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64)
    app_version = models.CharField(max_length=20, blank=True)
    created_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["collection", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "version"], name="release_version_once_a_collection"
            )
        ]

    def __str__(self) -> str:
        return f"{self.collection.name} {self.version}"


class ReleaseRow(models.Model):
    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="rows")
    contradiction = models.ForeignKey(Contradiction, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["release", "position"]
        constraints = [
            models.UniqueConstraint(fields=["release", "position"], name="release_position_once"),
            models.UniqueConstraint(fields=["release", "contradiction"], name="release_row_once"),
        ]

    def __str__(self) -> str:
        return f"{self.release} #{self.position}"


class ReleaseExclusion(models.Model):
    """A question that a release leaves out, with the reason at that time."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="left_out")
    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()

    class Meta:
        ordering = ["release", "instance__contradiction__position", "instance__n"]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "instance"], name="question_left_out_once_a_release"
            )
        ]

    def __str__(self) -> str:
        return f"{self.release} without {self.instance}"

"""Studies: what is judged, by which rubric, in which rounds."""

from functools import cached_property
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from datasets.models import Collection, Instance, Subset
from generation.models import LanguageModel, Response
from judging.rules.rubric import protocol_of, scale_of
from judging.rules.verdict_scale import VerdictScale
from judging.states import StudyState
from leases.refusal import Refusal
from protocols.declaration import WIKICONTRADICT, Declaration
from protocols.models import Protocol
from protocols.shipped import wikicontradict

PERSON = settings.AUTH_USER_MODEL


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

    def judged(self, items: models.QuerySet["StudyItem"]) -> models.QuerySet["StudyItem"]:
        """Those whose prompts it has criteria for; no study takes others of WikiContradict."""
        if protocol_of(self.body) == WIKICONTRADICT:
            return items
        return items.filter(response__prompt__in=[*self.body["prompts"]])

    @cached_property
    def scale(self) -> VerdictScale:
        return scale_of(self.body)


class SeenStudies(models.Manager["Study"]):
    """All but those that an import still writes (datasets/importers/arriving.py)."""

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
        Rubric,
        on_delete=models.PROTECT,
        null=True,
        related_name="studies",
        help_text="Of its latest round; null: nobody judges.",
    )
    subset = models.ForeignKey(
        Subset,
        on_delete=models.PROTECT,
        null=True,
        related_name="studies",
        help_text="Its responses are to these questions; null: to all of its runs.",
    )
    protocol = models.ForeignKey(
        Protocol,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="Of its records, as it was when the study was opened; null: WikiContradict.",
    )
    only_label = models.CharField(
        max_length=100,
        blank=True,
        default="",
        help_text="SCORER=LABEL: only responses with this label were drawn.",
    )
    state = models.CharField(max_length=10, choices=StudyState.choices, default=StudyState.DRAFT)
    judges_per_response = models.PositiveIntegerField(
        default=2, help_text="0: nobody judges, and opening it closes it at once."
    )
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
                condition=Q(judges_per_response__gte=1, rubric__isnull=False)
                | Q(judges_per_response=0, rubric=None, repeat_percent=0)
                & ~Q(state=StudyState.OPEN),
                name="study_has_judges_and_rubric_or_neither",
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

    @property
    def declaration(self) -> Declaration:
        return self.protocol.declaration if self.protocol else wikicontradict()

    @property
    def canary(self) -> str:
        """The canaries of its records, which stand with its files; "" where their protocol has none."""
        if not self.declaration.file.canary:
            return ""
        runs = self.items.order_by().values("response__run")
        found = Collection.objects.filter(runs__in=runs).select_related("protocol").order_by("name")
        return "; ".join(dict.fromkeys(collection.canary for collection in found))

    @property
    def is_judged(self) -> bool:
        """Whether people judge its responses. Otherwise it has no rubric, rounds, judges or slots."""
        return self.judges_per_response > 0

    @property
    def judged_items(self) -> models.QuerySet["StudyItem"]:
        """What people judge. Responses to prompts that its rubric has nothing on are scored, and get no slots."""
        return self.rubric.judged(self.items.all()) if self.rubric else self.items.none()

    @property
    def judged_by(self) -> Rubric:
        """Its rubric; raises as require_judged."""
        self.require_judged()
        assert self.rubric is not None, "A constraint gives every study with judges a rubric."
        return self.rubric

    def require_judged(self) -> None:
        """Raise Refusal where nobody judges."""
        if not self.is_judged:
            raise Refusal(
                "This study is not judged by people. Make a study with judges over its runs."
            )


class StudyItem(models.Model):
    """A response of a study. Chosen before the round opens that judges it first."""

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
        help_text="The latest one that judges it; null before the first, and where none does.",
    )
    is_settled = models.BooleanField(
        default=False,
        editable=False,
        help_text="It has a resolution of its round (settling.store).",
    )
    # What lists show of its prompt (presenting.label_prompts).
    prompt_label: str

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
    def listed_as(self) -> str:
        """What lists show of it: its question; of a given text, about which its prompt asks, the text."""
        return self.response.text if self.is_given else self.response.instance.question

    @property
    def is_given(self) -> bool:
        """Whether its text is given. An imported response was not sent either, but has no prompt's hash."""
        return bool(not self.response.rendered and self.response.prompt_hash)

    @property
    def rubric(self) -> Rubric:
        """The version that its round judges it by; before the first, its study's."""
        return self.round.rubric if self.round else self.study.judged_by


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

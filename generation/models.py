"""Language models, runs and their responses."""

import hashlib
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from datasets.models import Collection, Instance, Release
from generation.inference import chat
from generation.prompts import controlled, prompting
from generation.states import ResponseState, RunState
from leases.models import Leased
from protocols.declaration import WIKICONTRADICT

# The fields of a response that may be a megabyte long, and that lists do not show.
LONG = ("request", "reply", "reasoning")
PERSON = settings.AUTH_USER_MODEL
# The options of a row that stands for the author of given texts, which no model is asked for.
GIVEN = {"given": True}


def shown_sha256(text: str, finding: str) -> str:
    """sha256 (hex) of what a judge is shown of an answer: its text, or the finding where it has none."""
    return hashlib.sha256((text or finding).encode()).hexdigest()


class ShownSha256(models.CharField):
    """The hash of a finished response, which save and bulk_create keep; who updates a text updates it too."""

    def pre_save(self, row: Any, add: bool) -> str | None:
        is_done = row.state == ResponseState.DONE
        row.text_sha256 = shown_sha256(row.text, row.finding) if is_done else None
        return row.text_sha256


# Why a finished response is not an answer of the model; judges are shown these words.
FINDINGS = (
    (chat.REFUSED, "The model declined to answer."),
    (chat.FILTERED, "The answer was withheld by a content filter."),
    (controlled.SKIPPED, "The model gave no answer of the asked form."),
    (chat.UNDECIDED, "None of the options was the likeliest answer."),
    (chat.EMPTY, "The model answered with an empty text."),
    (chat.ABORTED, "The service broke the reply off."),
)


class LanguageModel(models.Model):
    """A service's model id with the options of its requests. An imported model has no service."""

    service = models.CharField(max_length=60, blank=True)
    model_id = models.CharField(max_length=200)
    options = models.JSONField(
        default=dict, help_text="temperature, max_tokens, seed, system_message and the like."
    )
    options_hash = models.CharField(
        max_length=64, help_text="sha256 of the options as canonical JSON."
    )
    abilities = models.JSONField(
        default=dict, help_text="What a test call found out (chat.Abilities); empty before one."
    )
    price_read = models.FloatField(null=True, help_text="For a million tokens of prompts.")
    price_written = models.FloatField(null=True, help_text="For a million new tokens.")
    display_name = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["service", "model_id", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["service", "model_id", "options_hash"], name="model_once_with_options"
            ),
            models.CheckConstraint(
                condition=(Q(price_read=None) & Q(price_written=None))
                | (Q(price_read__gte=0) & Q(price_written__gte=0)),
                name="model_has_both_prices_or_none",
            ),
        ]

    def __str__(self) -> str:
        return self.display_name or self.model_id

    @property
    def is_author(self) -> bool:
        """Whether it stands for the author of given texts."""
        return bool(self.options == GIVEN)

    @property
    def source(self) -> str:
        """Where its responses come from, in words."""
        return self.service or ("given texts" if self.is_author else "imported")

    @property
    def able(self) -> chat.Abilities:
        return chat.Abilities(**self.abilities)


class ServiceStatus(models.Model):
    """What all workers know of a service of the setting: whose turn it is, and why it gets no calls now."""

    name = models.CharField(max_length=60, unique=True)
    turn_holder = models.CharField(max_length=100, blank=True, default="")
    turn_until = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True, help_text="Why it is paused; empty when all is well.")
    pauses = models.PositiveIntegerField(
        default=0, help_text="Pauses without a successful call between them."
    )
    paused_until = models.DateTimeField(null=True, blank=True)
    next_call_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the next call may begin, by the service's per_minute.",
    )

    def __str__(self) -> str:
        return self.name


class PromptVersion(models.Model):
    """A version of a prompt, under the key by which responses, studies and tables know it.

    Once a run has used it, it never changes: a trigger refuses it (migrations/0001).
    """

    class Origin(models.TextChoices):
        PROGRAM = "program", "Comes with the program"
        FILE = "file", "A file in DATA_DIR"
        PERSON = "person", "A person"
        PROTOCOL = "protocol", "A protocol's file"

    key = models.CharField(max_length=60, unique=True)
    name = models.CharField(max_length=50, help_text="The same for all versions of a prompt.")
    version = models.PositiveIntegerField()
    label = models.CharField(max_length=24, unique=True, help_text="In tables, as “5 v2”.")
    body = models.JSONField(help_text="As authoring.completed makes it.")
    sha256 = models.CharField(max_length=64, help_text="Also in its responses.")
    origin = models.CharField(max_length=10, choices=Origin.choices)
    protocol = models.CharField(
        max_length=24, db_default=WIKICONTRADICT, help_text="Over whose records it is asked."
    )
    author = models.ForeignKey(PERSON, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    published_at = models.DateTimeField(null=True, help_text="When a run first used it.")

    class Meta:
        ordering = ["name", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["name", "version"], name="prompt_version_once"),
            models.CheckConstraint(
                condition=Q(version=1, key=F("name")) | Q(version__gt=1),
                name="prompt_has_its_name_as_first_key",
            ),
            models.CheckConstraint(
                condition=Q(origin="person", author__isnull=False)
                | Q(origin__in=["program", "file", "protocol"], author=None),
                name="prompt_has_an_author_or_a_file",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}, version {self.version}"

    @property
    def prompt(self) -> prompting.Prompt:
        return prompting.parse(self.body, self.key, self.version)


class SeenRuns(models.Manager["Run"]):
    """All but those that an import still writes (datasets/importers/arriving.py)."""

    def get_queryset(self) -> models.QuerySet["Run"]:
        return super().get_queryset().filter(collection__arriving_until=None)


class Run(models.Model):
    """Requests to models about instances with prompts. Its responses are created when it is made."""

    name = models.CharField(max_length=120)
    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="runs")
    models_asked = models.ManyToManyField(LanguageModel, related_name="runs")
    prompts = models.JSONField(default=list, help_text="Keys of the prompts' versions.")
    samples = models.PositiveIntegerField(default=1)
    seed = models.BigIntegerField(
        null=True,
        help_text="Draws the order of passages, and examples; null where no prompt has any.",
    )
    state = models.CharField(max_length=10, choices=RunState.choices, default=RunState.DRAFT)
    reason = models.TextField(blank=True, help_text="Why workers paused it.")
    cost = models.FloatField(
        default=0.0,
        help_text="Of its calls; under a cap, those in flight count with the most they may cost.",
    )
    cost_cap = models.FloatField(null=True, help_text="No call begins that might exceed it.")
    longest = models.PositiveIntegerField(
        default=0, help_text="Bytes of its longest request at most, where it has a cap."
    )
    is_demonstration = models.BooleanField(default=False)
    release = models.ForeignKey(
        Release,
        on_delete=models.PROTECT,
        null=True,
        related_name="runs",
        help_text="The one whose prompts its responses, made elsewhere, answer.",
    )
    file_sha256 = models.CharField(
        max_length=64,
        blank=True,
        help_text="Of the file of its responses, made elsewhere: runs of one file have the same responses in order.",
    )
    form = models.UUIDField(
        null=True,
        unique=True,
        help_text="The form that made it, which makes one run however often it is sent.",
    )
    created_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = SeenRuns()
    everything: ClassVar[models.Manager["Run"]] = models.Manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=RunState.values), name="run_state_is_known"
            ),
            models.CheckConstraint(condition=Q(samples__gte=1), name="run_has_samples"),
        ]

    def __str__(self) -> str:
        return self.name


class Response(Leased):
    """One reply of one model to one prompt about one instance, with everything needed to repeat the request."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="responses")
    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="responses")
    model = models.ForeignKey(LanguageModel, on_delete=models.PROTECT, related_name="responses")
    prompt = models.CharField(max_length=60, help_text="Key of the prompt's version.")
    prompt_hash = models.CharField(max_length=64, help_text="sha256 of the prompt's text.")
    sample = models.PositiveIntegerField(default=1)
    order = models.PositiveIntegerField(
        default=0, help_text="Order of asking: by instance, so that prefixes cache."
    )
    prompt_verified = models.BooleanField(
        null=True,
        help_text="Of a response made elsewhere: whether its file has the prompt's sha256, so that the text sent is "
        "known. Null of all others.",
    )
    rendered = models.TextField(help_text="The text sent; empty where an imported file lacks it.")
    follow_up = models.JSONField(
        null=True,
        blank=True,
        help_text="Of a prompt of two turns or with a check: the pieces of the second text, between which the first "
        "reply comes.",
    )
    wanted = models.JSONField(
        null=True,
        blank=True,
        help_text="Of a prompt with an asked form: the form, and how often it is asked for (controlled.WantedForm).",
    )
    askings = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="Replies that were looked at for the asked form; null without one, and before the first.",
    )
    scored = models.JSONField(
        null=True,
        blank=True,
        help_text="The options whose tokens are scored; null where the answer is a text.",
    )
    passages = models.JSONField(
        null=True,
        blank=True,
        help_text="[passage 1, passage 2] as this model was given them, where they are not the question's own: "
        "an imported file words them otherwise, or the prompt shows revised ones.",
    )
    drawn = models.JSONField(
        null=True,
        blank=True,
        help_text='What the seed drew, as it stands in the text: {"order": fields of shuffled passages, "shots": names '
        "of examples}.",
    )
    gold = models.JSONField(
        default=list, help_text="The gold answers that a judge is shown for this prompt."
    )
    state = models.CharField(
        max_length=10, choices=ResponseState.choices, default=ResponseState.PENDING
    )
    text = models.TextField(blank=True)
    text_sha256 = ShownSha256(
        max_length=64,
        null=True,
        editable=False,
        help_text="Of what a judge is shown of it, by which the same text is known in another run.",
    )
    check_reply = models.TextField(
        null=True,
        blank=True,
        help_text="The reply to the check of the text; null where none was sent.",
    )
    reasoning = models.TextField(
        blank=True,
        default="",
        help_text="What the model wrote before its answer; no judge is shown it.",
    )
    held = models.BooleanField(
        null=True,
        help_text="Whether its text may have markup or reasoning in it: then it is in no study until an admin chooses "
        "how that is read. Null: nobody has looked.",
    )
    finding = models.CharField(max_length=10, choices=FINDINGS, blank=True, default="")
    request = models.JSONField(null=True, blank=True, help_text="The request's body as sent.")
    reply = models.JSONField(
        null=True,
        blank=True,
        help_text="The whole reply as it came; of an import, what the file has.",
    )
    answered_by = models.CharField(
        max_length=200, blank=True, help_text="The model id that the service reported."
    )
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    cost = models.FloatField(
        default=0.0, help_text="Of all its calls; of one whose worker died, the most it may cost."
    )
    finish_reason = models.CharField(max_length=40, blank=True)
    error = models.TextField(blank=True)
    not_before = models.DateTimeField(
        null=True, blank=True, help_text="After a fault: not asked again before this time."
    )
    is_trial = models.BooleanField(
        default=False, help_text="Asked before the run starts, for its preview."
    )
    created_at = models.DateTimeField(db_default=Now())
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["run", "order", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "instance", "model", "prompt", "sample"],
                name="response_once_in_a_run",
            ),
            models.CheckConstraint(
                condition=Q(state__in=ResponseState.values), name="response_state_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(state=ResponseState.DONE) | Q(text_sha256__isnull=False),
                name="response_done_is_known_by_its_text",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="response_by_state_and_lease"),
            # The next responses to ask are read from this index, whatever the length of the queue.
            models.Index(
                fields=["run", "model", "state", "attempts", "order"], name="response_next_to_ask"
            ),
            # Why responses of a run failed or wait, and the rows of its grid in which some did.
            models.Index(
                fields=["run", "state", "instance", "sample"], name="response_by_run_and_state"
            ),
            # Those asked for a form, few among many: how many were skipped and asked again.
            models.Index(
                fields=["run", "finding", "askings"],
                condition=Q(askings__isnull=False),
                name="response_asked_for_a_form",
            ),
            # The same texts in all runs (judging/blinding.py).
            models.Index(
                fields=["instance", "prompt", "text_sha256", "run"], name="response_by_shown_text"
            ),
            # Few among many: those that wait for an admin's choice.
            models.Index(fields=["model"], condition=Q(held=True), name="response_held"),
            # Those whose prompt is not verified, which pages and reports count.
            models.Index(
                fields=["run"], condition=Q(prompt_verified=False), name="response_not_verified"
            ),
            # The responses of the latest hour, for the metrics.
            models.Index(fields=["answered_at"], name="response_by_answer_time"),
        ]

    def __str__(self) -> str:
        return f"Response {self.pk}"

    @property
    def sent_texts(self) -> tuple[str, ...]:
        """All texts that are sent: the first, and of two turns the second once there is the first reply in it."""
        first: FirstReply | None = getattr(self, "first_reply", None) if self.follow_up else None
        return (self.rendered, first.text.join(self.follow_up or ())) if first else (self.rendered,)

    @property
    def check_sent(self) -> str:
        """The check of its text; "" where none was sent."""
        return "" if self.check_reply is None else self.text.join(self.follow_up or ())

    @property
    def all_sent(self) -> str:
        """What the model was given in all turns, without any words of its own."""
        return "\n".join((self.rendered, *(self.follow_up or ())))


class KeptReply(models.Model):
    """A reply that is not the response itself, with its call's request and numbers."""

    text = models.TextField()
    reasoning = models.TextField(blank=True, default="")
    request = models.JSONField(help_text="The request's body as sent.")
    reply = models.JSONField(help_text="The whole reply as it came.")
    answered_by = models.CharField(max_length=200, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    answered_at = models.DateTimeField(db_default=Now())

    class Meta:
        abstract = True


class FirstReply(KeptReply):
    """The reply to the first of two turns, with which the second is asked.

    The response has the reply to the second. Of a check it has the text of both, and the numbers of the second.
    """

    response = models.OneToOneField(Response, on_delete=models.CASCADE, related_name="first_reply")

    def __str__(self) -> str:
        return f"First reply of {self.response_id}"


class RejectedReply(KeptReply):
    """A reply that does not have the asked form; the model is asked again, or the response skipped."""

    response = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="rejected")
    n = models.PositiveSmallIntegerField(help_text="Which of the askings it answered.")

    class Meta:
        ordering = ["response", "n"]
        constraints = [
            models.UniqueConstraint(fields=["response", "n"], name="rejected_reply_once_an_asking")
        ]

    def __str__(self) -> str:
        return f"Rejected reply {self.n} of {self.response_id}"


class Attempt(models.Model):
    """One call to the service for a response; failed calls included."""

    response = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="attempt_log")
    n = models.PositiveIntegerField()
    started_at = models.DateTimeField(db_default=Now())
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    status = models.PositiveIntegerField(
        null=True, blank=True, help_text="HTTP status; empty when there was none."
    )
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["response", "n"]
        constraints = [
            models.UniqueConstraint(fields=["response", "n"], name="attempt_number_once_a_response")
        ]

    def __str__(self) -> str:
        return f"Attempt {self.n}"


class OptionScore(models.Model):
    """How probable an option was as the next token; null where it is not among the tokens that the service returned."""

    response = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="option_scores")
    option = models.CharField(max_length=prompting.LONGEST_OPTION)
    mass = models.FloatField(null=True)

    class Meta:
        ordering = ["response", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["response", "option"], name="option_once_a_response"),
            models.CheckConstraint(
                condition=Q(mass=None) | Q(mass__gte=0, mass__lte=1),
                name="option_mass_is_a_probability",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.option}: {self.mass}"

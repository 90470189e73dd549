"""The verdicts of judge models, and the calls that gave them."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from judging.models.slots import Judge
from judging.models.studies import Rubric, StudyItem
from judging.states import MachineState
from leases.models import Leased


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
                condition=Q(state="judged", verdict__isnull=False) & ~Q(verdict="")
                | ~Q(state="judged") & Q(verdict=None),
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

"""Frozen reports. Everything else in this room is computed from other rooms' rows."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from generation.models import Run
from judging.models import Study


class ReportSnapshot(models.Model):
    """A report as it was when a researcher froze it: numbers, and the hash of the rows that they count."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="snapshots")
    runs = models.ManyToManyField(
        Run, editable=False, related_name="+", help_text="Those of the responses that it counts."
    )
    rows_hash = models.CharField(
        max_length=64, help_text="sha256 of the verdicts that the numbers were computed from."
    )
    app_version = models.CharField(max_length=20)
    body = models.JSONField()
    # A database keeps the meaning of JSON, not its bytes, and a citation names the hash of bytes.
    text = models.TextField(
        blank=True, help_text="The report as JSON, byte for byte as it is served."
    )
    note = models.CharField(max_length=200, blank=True)
    public = models.BooleanField(default=False, help_text="Readable without signing in.")
    token = models.CharField(
        max_length=64, blank=True, help_text="The secret part of its address while it is public."
    )
    authors = models.CharField(max_length=300, blank=True, help_text="As they want to be cited.")
    comments = models.JSONField(
        null=True, blank=True, help_text="The judges' comments, if they are published with it."
    )
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    published_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=(Q(public=True) & ~Q(token="") & Q(published_by__isnull=False))
                | Q(public=False, token="", comments__isnull=True, published_by=None),
                name="snapshot_has_an_address_while_public",
            )
        ]

    def __str__(self) -> str:
        return f"Frozen report {self.pk}"


class WithdrawnReport(models.Model):
    """An address at which a report was published: it says that the report was withdrawn, and why."""

    snapshot = models.ForeignKey(ReportSnapshot, on_delete=models.CASCADE, related_name="withdrawn")
    token = models.CharField(max_length=64)
    published_at = models.DateTimeField()
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    withdrawn_at = models.DateTimeField(db_default=Now())
    reason = models.TextField()

    class Meta:
        ordering = ["snapshot", "-pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="report_withdrawn_with_a_reason")
        ]

    def __str__(self) -> str:
        return f"{self.snapshot}, withdrawn"

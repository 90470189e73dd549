"""Frozen reports. Everything else in this room is computed from other rooms' rows."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotation.models import Campaign
from datasets.models import Release
from judging.models import Study


class ReportSnapshot(models.Model):
    """A report as it stood when a researcher froze it: numbers, and the hash of the verdicts behind them."""

    study = models.ForeignKey(
        Study, on_delete=models.PROTECT, null=True, blank=True, related_name="snapshots"
    )
    release = models.ForeignKey(
        Release, on_delete=models.PROTECT, null=True, blank=True, related_name="snapshots"
    )
    campaign = models.ForeignKey(
        Campaign, on_delete=models.PROTECT, null=True, blank=True, related_name="snapshots"
    )
    rows_hash = models.CharField(
        max_length=64, help_text="sha256 of the verdicts that the numbers were computed from."
    )
    app_version = models.CharField(max_length=20)
    body = models.JSONField()
    note = models.CharField(max_length=200, blank=True)
    public = models.BooleanField(default=False, help_text="Readable without signing in.")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(study__isnull=False, release=None, campaign=None)
                | Q(study=None, release__isnull=False, campaign=None)
                | Q(study=None, release=None, campaign__isnull=False),
                name="snapshot_has_exactly_one_subject",
            )
        ]

    def __str__(self) -> str:
        return f"Snapshot {self.pk}"

"""Imports that a worker carries out."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from datasets.states import ImportState
from leases.models import Leased


class ImportJob(Leased):
    """A file that waits for its import, or what came of it. The file lies in the data folder until it is over."""

    collection = models.CharField(
        max_length=80, help_text="Its name; the collection may not be there yet."
    )
    format = models.CharField(max_length=80)
    part = models.CharField(max_length=200, blank=True)
    file_name = models.CharField(max_length=200, help_text="As its sender calls it.")
    upload = models.UUIDField(unique=True, help_text="The file's name here.")
    bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    state = models.CharField(
        max_length=10, choices=ImportState.choices, default=ImportState.WAITING
    )
    report = models.JSONField(null=True, help_text="Of a finished one: import_jobs.report_of.")
    error = models.TextField(blank=True, help_text="Why nothing was imported.")
    problems = models.JSONField(default=list, help_text="What is wrong with the file's records.")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=ImportState.values), name="import_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state="done", report__isnull=False) | ~Q(state="done"),
                name="import_done_has_its_report",
            ),
        ]

    def __str__(self) -> str:
        return f"Import {self.pk} into {self.collection}"

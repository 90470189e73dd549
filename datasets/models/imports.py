"""Imports that a worker carries out."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from datasets.states import ImportState
from leases.models import Leased

PERSON = settings.AUTH_USER_MODEL
OPEN = (ImportState.WAITING, ImportState.RUNNING, ImportState.CHECKED)


class ImportJob(Leased):
    """A file that is checked and imported, or what came of it. The file lies in the data folder until it is over.

    Without `is_confirmed` a worker only checks it, and somebody reads the report and decides.
    """

    kind = models.CharField(max_length=40, default="records", help_text="import_kinds.py.")
    collection = models.CharField(
        max_length=80, help_text="Its name; the collection may not be there yet."
    )
    format = models.CharField(max_length=80, blank=True)
    part = models.CharField(max_length=200, blank=True)
    options = models.JSONField(default=dict, help_text="What the kind or format asks for besides.")
    file_name = models.CharField(max_length=200, help_text="As its sender calls it.")
    upload = models.UUIDField(unique=True, help_text="The file's name here.")
    bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    same = models.CharField(
        max_length=64, blank=True, help_text="Equal for imports that would do the same."
    )
    is_confirmed = models.BooleanField(default=True)
    done_bytes = models.PositiveBigIntegerField(default=0, help_text="How far the file is read.")
    state = models.CharField(
        max_length=10, choices=ImportState.choices, default=ImportState.WAITING
    )
    report = models.JSONField(null=True, help_text="Of a checked or finished one, as its kind has.")
    made = models.JSONField(default=dict, help_text="What it added, as its kind undoes it.")
    error = models.TextField(blank=True, help_text="Why nothing was imported.")
    problems = models.JSONField(default=list, help_text="What is wrong with the file's records.")
    created_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=ImportState.values), name="import_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(report__isnull=False) | ~Q(state__in=["checked", "done", "undone"]),
                name="import_done_has_its_report",
            ),
            models.CheckConstraint(
                condition=~Q(state="checked", is_confirmed=True),
                name="checked_import_is_asked_about",
            ),
            models.UniqueConstraint(
                fields=["same"],
                condition=Q(state__in=["waiting", "running", "checked"]) & ~Q(same=""),
                name="import_of_a_file_once_at_a_time",
            ),
        ]

    @property
    def is_refused(self) -> bool:
        """Whether a checked file cannot be imported as its options are."""
        return self.state == ImportState.CHECKED and "refused" in (self.report or {})

    @property
    def waits_for_columns(self) -> bool:
        """Whether its sender has yet to say which field each column of a CSV file is, before it is checked."""
        return self.state == ImportState.CHECKED and self.options.get("columns", "") is None

    def __str__(self) -> str:
        return f"Import {self.pk} into {self.collection}"

"""Freezes of large collections, which a worker carries out."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from datasets.models.collections import Collection
from datasets.states import FreezeState
from leases.models import Leased


class FreezeJob(Leased):
    """A version of a large collection on its way to a release: who asked for it, how far it is, and how it ended."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="freezes")
    version = models.CharField(max_length=40)
    notes = models.TextField(blank=True)
    doi = models.CharField(max_length=200, blank=True)
    total = models.PositiveIntegerField(
        default=0, help_text="Records to read, once for each file; 0 until it has begun."
    )
    done = models.PositiveIntegerField(default=0, help_text="How many of them are read.")
    state = models.CharField(
        max_length=10, choices=FreezeState.choices, default=FreezeState.WAITING
    )
    error = models.TextField(blank=True, help_text="Why it has failed.")
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=FreezeState.values), name="freeze_state_is_known"
            ),
            models.UniqueConstraint(
                fields=["collection", "version"], name="freeze_of_a_version_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.collection.name} {self.version}"

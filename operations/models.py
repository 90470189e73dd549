"""The state of the background processes."""

from django.db import models
from django.db.models.functions import Now


class Heartbeat(models.Model):
    """A background process, and when it last reported, by the database's clock."""

    process = models.CharField(max_length=200, help_text="Its name, such as work@host.")
    role = models.CharField(
        max_length=40, help_text="The queue that it takes messages from, or 'scheduler'."
    )
    beaten_at = models.DateTimeField(db_default=Now())
    failing = models.JSONField(
        default=dict,
        help_text="Inference services that it cannot reach: name -> since when, ISO 8601 in UTC.",
    )

    class Meta:
        ordering = ["role", "process"]
        constraints = [
            models.UniqueConstraint(fields=["process", "role"], name="heartbeat_once_a_process")
        ]
        indexes = [models.Index(fields=["role", "beaten_at"], name="heartbeat_latest_of_role")]

    def __str__(self) -> str:
        return f"{self.role}: {self.process}"

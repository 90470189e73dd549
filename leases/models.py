"""The columns of a row that a person or a worker can hold for a limited time."""

from django.db import models


class Leased(models.Model):
    """A row that one holder works on until `lease_until` (by the database's clock).

    Only the holder stores a result: a worker whose lease was swept no longer matches `lease_holder`, and stops.
    """

    lease_holder = models.CharField(max_length=100, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)

    class Meta:
        abstract = True

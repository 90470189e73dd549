"""The columns of a row that can be held for a while by a person or a worker."""

from django.db import models


class Leased(models.Model):
    """A row that one holder works on until `lease_until` (by the database's clock).

    A result is stored only by the holder: a worker whose lease was swept and given to another
    finds its holder's name gone, and leaves.
    """

    lease_holder = models.CharField(max_length=100, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)

    class Meta:
        abstract = True

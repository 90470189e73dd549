"""Protocols: the studies that are declared as data."""

from functools import lru_cache

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from protocols.declaration import Declaration
from protocols.reading import read_protocol


class Protocol(models.Model):
    """A version of a protocol: the text of its file.

    Once a collection uses it, it never changes: a trigger refuses it (migrations/0001).
    """

    name = models.CharField(max_length=24)
    version = models.PositiveIntegerField()
    title = models.CharField(max_length=120)
    text = models.TextField(help_text="The file, in UTF-8.")
    sha256 = models.CharField(max_length=64, help_text="Of the file's bytes.")
    installed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="Null: the program.",
    )
    installed_at = models.DateTimeField(db_default=Now())
    used_at = models.DateTimeField(null=True, help_text="When a collection first used it.")

    class Meta:
        ordering = ["name", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["name", "version"], name="protocol_version_once"),
            models.CheckConstraint(condition=Q(version__gte=1), name="protocol_versions_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.name} version {self.version}"

    @property
    def declaration(self) -> Declaration:
        return _declared(self.text)


@lru_cache(maxsize=32)
def _declared(text: str) -> Declaration:
    """Of a file that was checked when it was installed."""
    return read_protocol(text.encode("utf-8"), lambda _: [])

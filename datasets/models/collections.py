"""Collections: named sets of records."""

from typing import Any, ClassVar

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Now

from datasets.description import ANNOTATED_BY, COLUMNS
from protocols.declaration import Declaration
from protocols.models import Protocol
from protocols.shipped import wikicontradict

PERSON = settings.AUTH_USER_MODEL


class SeenCollections(models.Manager["Collection"]):
    """All but those into which an import still writes (importers/arriving.py)."""

    def get_queryset(self) -> models.QuerySet["Collection"]:
        return super().get_queryset().filter(arriving_until=None)


class Collection(models.Model):
    """A named set of contradictions: a study's own, or an imported dataset."""

    name = models.CharField(
        max_length=80,
        unique=True,
        validators=[
            RegexValidator(r"^[a-z0-9][a-z0-9._-]*$", "Lower-case letters, digits, . _ - only.")
        ],
        help_text="Used in addresses and file names. Lower-case letters, digits, . _ - only.",
    )
    title = models.CharField(max_length=200, blank=True)
    description = models.TextField(blank=True)
    source = models.CharField(
        max_length=300, blank=True, help_text="Where it was imported from, if it was."
    )
    creators = models.JSONField(
        default=list,
        blank=True,
        help_text="In order: {name, orcid, affiliation}; the last two may be empty.",
    )
    licence = models.CharField(max_length=200, blank=True, help_text="Of the annotations.")
    language = models.CharField(max_length=35, default="en", help_text="Of the texts (BCP 47).")
    keywords = models.CharField(max_length=500, blank=True, help_text="With commas between them.")
    funding = models.TextField(blank=True)
    contact = models.CharField(max_length=200, blank=True)
    source_title = models.CharField(max_length=300, blank=True)
    source_authors = models.JSONField(default=list, blank=True, help_text="As the creators.")
    source_year = models.CharField(max_length=4, blank=True)
    source_citation = models.TextField(
        blank=True, help_text="How the source of the records is cited."
    )
    source_paper = models.CharField(max_length=300, blank=True, help_text="Address of its paper.")
    source_data = models.CharField(max_length=300, blank=True, help_text="Address of its data.")
    annotated_by = models.CharField(max_length=20, blank=True, choices=ANNOTATED_BY)
    how_made = models.TextField(blank=True)
    limits = models.TextField(blank=True)
    biases = models.TextField(blank=True)
    personal_data = models.TextField(blank=True)
    protocol = models.ForeignKey(
        Protocol,
        on_delete=models.PROTECT,
        null=True,
        related_name="collections",
        help_text="Which declares its records; null: WikiContradict.",
    )
    file_kept = models.JSONField(
        null=True,
        editable=False,
        help_text="Of the file of declared records that it was imported from: its other keys, and how it ends.",
    )
    is_demonstration = models.BooleanField(default=False)
    created_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    arriving_until = models.DateTimeField(
        null=True,
        editable=False,
        help_text="While an import writes into it, unseen: when the import counts as killed.",
    )

    objects = SeenCollections()
    everything: ClassVar[models.Manager["Collection"]] = models.Manager()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.title or self.name

    @property
    def about(self) -> dict[str, Any]:
        """What it says of itself, as a release keeps it."""
        return {name: getattr(self, name) for name in COLUMNS}

    @property
    def is_declared(self) -> bool:
        """Whether a protocol declares its records; WikiContradict's special parts are for those where none does."""
        return self.protocol_id is not None

    @property
    def declaration(self) -> Declaration:
        return self.protocol.declaration if self.protocol else wikicontradict()

    def noted(self, part: str = "") -> dict[str, Any]:
        """What is kept of the file of declared records: `end` and `kept` (declared/writing.py).

        Where files are parted by a slice, it is of that part's, or of the keys of another's.
        """
        kept = self.file_kept or {}
        if not self.declaration.file.by:
            return kept
        first: dict[str, Any] = next(iter(kept.values()), {})
        return kept.get(part) or {"kept": first.get("kept", {})}

    @property
    def canary(self) -> str:
        """The text that marks the source of declared records; "" where their protocol has none."""
        kept: dict[str, str] = self.noted().get("kept", {})
        return kept.get(self.declaration.file.canary, "")
